import CSodium

/// The failures of libsodium.
public enum SodiumError: Error, Sendable, Equatable {
    /// The library could not be started.
    case unavailable
    /// There is no memory.
    case noMemory
    /// Argon2id had no memory for the derivation.
    case keyDerivationFailed
    /// A tag is wrong.
    case authenticationFailed
}

/// The libsodium library, started once for each process.
package enum Sodium {
    private static let started: Bool = sodium_init() >= 0

    /// Starts the library; cheap after the first call. Throws `.unavailable`.
    package static func start() throws(SodiumError) {
        guard started else { throw .unavailable }
    }

    /// True if this CPU has the instructions that libsodium's AES-256-GCM needs.
    package static var hasAES: Bool { started && crypto_aead_aes256gcm_is_available() == 1 }

    /// Returns `count` random bytes; traps if `start` failed.
    package static func random(_ count: Int) -> [UInt8] {
        precondition(started, "libsodium must have started")
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// Compares in a time that does not depend on the place of the difference.
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

/// The system's source of random numbers, by libsodium.
package struct SodiumGenerator: RandomNumberGenerator, Sendable {
    /// Has no state of its own.
    package init() {}

    /// Eight random bytes.
    package mutating func next() -> UInt64 {
        var value: UInt64 = 0
        unsafe randombytes_buf(&value, 8)
        return value
    }
}
