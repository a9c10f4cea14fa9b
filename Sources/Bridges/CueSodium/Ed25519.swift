import CSodium

/// Ed25519 signatures (RFC 8032, the pure form) by libsodium's `crypto_sign`.
package enum Ed25519 {
    /// The bytes of a signature.
    package static let signatureLength = 64

    /// The public half of a key, which checks signatures.
    package struct PublicKey: Hashable, Sendable {
        /// The bytes of a key.
        package static let length = 32
        /// The encoded point.
        package let bytes: [UInt8]

        /// Takes 32 bytes, and gives nil for another count. Whether they are a valid point shows only when a signature
        /// is checked.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count == Self.length else { return nil }
            self.bytes = bytes
        }

        /// True if `signature` is this key's for `message`.
        ///
        /// Refuses what libsodium refuses: keys and points of small order, and numbers that are not in canonical form.
        /// So no one can make a second signature out of a first.
        package func accepts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
            guard signature.count == signatureLength, (try? Sodium.start()) != nil else { return false }
            return unsafe crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
        }
    }

    /// A key that signs, kept in guarded memory.
    package struct SigningKey: Sendable {
        /// The bytes of a seed.
        package static let seedLength = 32
        /// The half that may be given away.
        package let publicKey: PublicKey
        /// The seed and the public key behind it: libsodium's form of a secret key.
        private let secret: SecretBytes

        /// The key of a seed of 32 bytes, which RFC 8032 calls the private key; traps for another length.
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

        /// Signs `message`; the same message always has the same signature of 64 bytes.
        package func signature(of message: [UInt8]) -> [UInt8] {
            var signature = [UInt8](repeating: 0, count: signatureLength)
            unsafe secret.withPointer { secret in
                _ = unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
            }
            return signature
        }
    }
}
