package import CueBase
package import CueOpenSSL
package import CueSodium
import Synchronization

/// AES-256-GCM under one key, libsodium's or OpenSSL's: the bytes are the same (docs/decisions/0009-openssl-for-packs.md).
package enum Cipher: Sendable {
    case sodium(SodiumAES256GCM)
    case openSSL(OpenSSLAES256GCM)

    /// Which of the two.
    package enum Choice: UInt8, Sendable {
        /// For records and key slots, few and small: libsodium's where the CPU has what it needs.
        case small
        /// For packs: OpenSSL's, which is two to three times as fast and takes a moment to start.
        case bulk
        case sodium, openSSL

        /// `CUE_TEST_AES=openssl` or `=sodium` makes one of them do everything, so that tests cross both on any machine.
        package static func useEverywhere(_ name: String?) {
            let choice: Choice? = name == "openssl" ? .openSSL : name == "sodium" && Sodium.hasAES ? .sodium : nil
            everywhere.store(choice?.rawValue ?? 0, ordering: .relaxed)
        }

        /// Zero: each what it says.
        private static let everywhere = Atomic<UInt8>(0)

        fileprivate var usesSodium: Bool {
            switch self {
            case .sodium: true
            case .openSSL: false
            case .small, .bulk:
                switch Choice(rawValue: Self.everywhere.load(ordering: .relaxed)) {
                case .sodium: true
                case .openSSL: false
                default: self == .small && Sodium.hasAES
                }
            }
        }
    }

    package init(key: Span<UInt8>, choice: Choice = .small) {
        self = choice.usesSodium ? .sodium(SodiumAES256GCM(key: key)) : .openSSL(OpenSSLAES256GCM(key: key))
    }

    package func seal(_ plaintext: Span<UInt8>, nonce: Nonce96, into output: inout MutableSpan<UInt8>) {
        switch self {
        case .sodium(let cipher): cipher.seal(plaintext, nonce: nonce, into: &output)
        case .openSSL(let cipher): cipher.seal(plaintext, nonce: nonce, into: &output)
        }
    }

    package func open(_ sealed: Span<UInt8>, nonce: Nonce96, into output: inout MutableSpan<UInt8>) -> Bool {
        switch self {
        case .sodium(let cipher): cipher.open(sealed, nonce: nonce, into: &output)
        case .openSSL(let cipher): cipher.open(sealed, nonce: nonce, into: &output)
        }
    }
}
