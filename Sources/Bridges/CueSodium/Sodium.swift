import CSodium

/// What libsodium can refuse.
public enum SodiumError: Error, Sendable, Equatable {
    case unavailable
    case noMemory
    case keyDerivationFailed
    case authenticationFailed
}

/// libsodium, started once for the process.
package enum Sodium {
    private static let started: Bool = sodium_init() >= 0

    package static func start() throws(SodiumError) {
        guard started else { throw .unavailable }
    }

    /// Whether this CPU has what libsodium's AES-256-GCM needs.
    package static var hasAES: Bool { started && crypto_aead_aes256gcm_is_available() == 1 }

    package static func random(_ count: Int) -> [UInt8] {
        precondition(started, "libsodium must have started")
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// Compares without telling by its time where the difference is.
    package static func equal(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        return unsafe a.withUnsafeBytes { a in
            unsafe b.withUnsafeBytes { b in
                guard let left = a.baseAddress, let right = b.baseAddress else { return true }
                return unsafe sodium_memcmp(left, right, a.count) == 0
            }
        }
    }
}

/// The system's source of random numbers through libsodium.
package struct SodiumGenerator: RandomNumberGenerator, Sendable {
    package init() {}

    package mutating func next() -> UInt64 {
        var value: UInt64 = 0
        unsafe randombytes_buf(&value, 8)
        return value
    }
}
