import CSodium

/// An X25519 pair to which anybody can seal, and that opens what was sealed to it: libsodium's `crypto_box_seal`.
package struct SealedBox: Sendable {
    /// The bytes of each half.
    package static let length = 32
    /// The bytes by which a box is longer than its content.
    package static let overhead = 48

    /// The half that opens.
    package let secret: SecretBytes
    /// The half that anybody may have.
    package let publicKey: [UInt8]

    /// Makes a new pair.
    package static func random() -> SealedBox { SealedBox(secret: .random(length)) }

    /// The pair of a secret half of 32 bytes; traps for another length.
    package init(secret: SecretBytes) {
        precondition(secret.count == Self.length, "a secret half of 32 bytes")
        var key = [UInt8](repeating: 0, count: Self.length)
        // It fails for no scalar: the base point has no small order.
        unsafe secret.withPointer { secret in _ = unsafe crypto_scalarmult_base(&key, secret) }
        (self.secret, publicKey) = (secret, key)
    }

    /// Seals a secret to a public half; nil for one that is no key: another length, or a point of small order.
    package static func seal(_ content: SecretBytes, to publicKey: [UInt8]) -> [UInt8]? {
        guard publicKey.count == length, (try? Sodium.start()) != nil else { return nil }
        var box = [UInt8](repeating: 0, count: content.count + overhead)
        let result = unsafe content.withPointer { content in
            unsafe crypto_box_seal(&box, content, UInt64(box.count - overhead), publicKey)
        }
        return result == 0 ? box : nil
    }

    /// Opens a box; nil if it was sealed to another key, changed, or cut.
    package func open(_ box: [UInt8]) -> SecretBytes? {
        guard box.count >= Self.overhead else { return nil }
        do {
            return try SecretBytes(count: box.count - Self.overhead) { out throws(SodiumError) in
                let result = unsafe out.withUnsafeMutableBytes { out in
                    unsafe secret.withPointer { secret in
                        guard let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                            return Int32(-1)
                        }
                        return unsafe crypto_box_seal_open(target, box, UInt64(box.count), publicKey, secret)
                    }
                }
                if result != 0 { throw .authenticationFailed }
            }
        } catch {
            return nil
        }
    }
}
