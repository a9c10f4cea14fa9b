package import CueBase
package import CueOpenSSL
package import CueSodium
import Synchronization

/// AES-256-GCM under one key, by libsodium or OpenSSL; the bytes are the same
/// (docs/decisions/0017-libsodium-seals.md).
package enum Cipher: Sendable {
    case sodium(SodiumAES256GCM)
    case openSSL(OpenSSLAES256GCM)

    /// The library that does the work.
    package enum Choice: UInt8, Sendable {
        /// libsodium if the CPU has AES for it, else OpenSSL.
        case standard
        case sodium, openSSL

        /// Makes one library do everything, so that tests cross both on any machine. The name comes from
        /// `CUE_TEST_AES`: `openssl` or `sodium`.
        ///
        /// Another name, nil, or a CPU without libsodium's AES ends that.
        package static func useEverywhere(_ name: String?) {
            let choice: Choice = name == "openssl" ? .openSSL : name == "sodium" && Sodium.hasAES ? .sodium : .standard
            everywhere.store(choice.rawValue, ordering: .relaxed)
        }

        /// What `standard` means.
        private static let everywhere = Atomic<UInt8>(standard.rawValue)

        fileprivate var usesSodium: Bool {
            let choice = self == .standard ? Choice(rawValue: Self.everywhere.load(ordering: .relaxed)) : self
            return choice == .sodium || choice != .openSSL && Sodium.hasAES
        }
    }

    /// Takes a key of 32 bytes.
    package init(key: Span<UInt8>, choice: Choice = .standard) {
        self = choice.usesSodium ? .sodium(SodiumAES256GCM(key: key)) : .openSSL(OpenSSLAES256GCM(key: key))
    }

    /// Writes `plaintext.count + 16` bytes to the front of `output`. A nonce must be used once only.
    package func seal(_ plaintext: Span<UInt8>, nonce: Nonce96, into output: inout MutableSpan<UInt8>) {
        switch self {
        case .sodium(let cipher): cipher.seal(plaintext, nonce: nonce, into: &output)
        case .openSSL(let cipher): cipher.seal(plaintext, nonce: nonce, into: &output)
        }
    }

    /// Writes `sealed.count - 16` bytes to the front of `output`; false if the tag is wrong, and then `output` holds
    /// nothing of use.
    package func open(_ sealed: Span<UInt8>, nonce: Nonce96, into output: inout MutableSpan<UInt8>) -> Bool {
        switch self {
        case .sodium(let cipher): cipher.open(sealed, nonce: nonce, into: &output)
        case .openSSL(let cipher): cipher.open(sealed, nonce: nonce, into: &output)
        }
    }
}
