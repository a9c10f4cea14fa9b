import CSodium

/// Ed25519 (RFC 8032, the pure form) through libsodium's `crypto_sign`.
package enum Ed25519 {
    package static let signatureLength = 64

    /// What signatures are checked with.
    package struct PublicKey: Hashable, Sendable {
        package static let length = 32
        package let bytes: [UInt8]

        /// Takes 32 bytes; whether they are a point that may sign shows when a signature is checked.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count == Self.length else { return nil }
            self.bytes = bytes
        }

        /// Whether `signature` is this key's for `message`. Refuses what libsodium refuses: keys and points of small order,
        /// and numbers that are not in their one canonical form, so that nobody can make a second signature of a first.
        package func accepts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
            guard signature.count == signatureLength, (try? Sodium.start()) != nil else { return false }
            return unsafe crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
        }
    }

    /// A key that signs, in guarded memory.
    package struct SigningKey: Sendable {
        package static let seedLength = 32
        package let publicKey: PublicKey
        /// The seed, and the public key behind it: libsodium's form of a secret key.
        private let secret: SecretBytes

        /// The key of a seed: what RFC 8032 calls the private key.
        package init(seed: SecretBytes) {
            precondition(seed.count == Self.seedLength, "a seed of 32 bytes")
            var key = [UInt8](repeating: 0, count: PublicKey.length)
            secret = SecretBytes(count: 64) { out in
                unsafe out.withUnsafeMutableBytes { out in
                    unsafe seed.withPointer { seed in
                        guard let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                        unsafe crypto_sign_seed_keypair(&key, target, seed)
                    }
                }
            }
            guard let publicKey = PublicKey(key) else { preconditionFailure("an array of 32 bytes has 32") }
            self.publicKey = publicKey
        }

        package func signature(of message: [UInt8]) -> [UInt8] {
            var signature = [UInt8](repeating: 0, count: signatureLength)
            unsafe secret.withPointer { secret in
                _ = unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
            }
            return signature
        }
    }
}
