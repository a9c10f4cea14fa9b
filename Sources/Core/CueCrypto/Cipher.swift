package import CueOpenSSL
package import CueSodium
import Synchronization

/// AES-256-GCM under one key: libsodium's where the CPU has what it needs, else OpenSSL's. The bytes are the same.
package enum Cipher: Sendable {
    case sodium(SodiumAES256GCM)
    case openSSL(OpenSSLAES256GCM)

    /// Which of the two a process uses.
    package enum Choice: Sendable {
        case automatic, sodium, openSSL

        /// `CUE_TEST_AES=openssl` forces the other path, so that tests cross both on any machine.
        package static func forced(by value: String?) -> Choice { value == "openssl" ? .openSSL : .automatic }

        /// Makes `choice` what `automatic` means in this process. Called once, before anything is sealed.
        package static func useEverywhere(_ choice: Choice) {
            avoidsSodium.store(choice == .openSSL, ordering: .relaxed)
        }

        fileprivate static let avoidsSodium = Atomic<Bool>(false)
    }

    package init(key: Span<UInt8>, choice: Choice = .automatic) {
        let useSodium =
            choice == .sodium
            || choice == .automatic && Sodium.hasAES && !Choice.avoidsSodium.load(ordering: .relaxed)
        self = useSodium ? .sodium(SodiumAES256GCM(key: key)) : .openSSL(OpenSSLAES256GCM(key: key))
    }

    package func seal(_ plaintext: Span<UInt8>, nonce: [UInt8], into output: inout MutableSpan<UInt8>) {
        switch self {
        case .sodium(let cipher): cipher.seal(plaintext, nonce: nonce, into: &output)
        case .openSSL(let cipher): cipher.seal(plaintext, nonce: nonce, into: &output)
        }
    }

    package func open(_ sealed: Span<UInt8>, nonce: [UInt8], into output: inout MutableSpan<UInt8>) -> Bool {
        switch self {
        case .sodium(let cipher): cipher.open(sealed, nonce: nonce, into: &output)
        case .openSSL(let cipher): cipher.open(sealed, nonce: nonce, into: &output)
        }
    }
}
