package import CueBase
package import CueSodium

/// The key with which a device signs what it writes (docs/format.md §12).
package struct DeviceKey: Sendable {
    /// The bytes of a seed.
    package static let seedLength = Ed25519.SigningKey.seedLength

    /// The id of the device: a hash of the public key and the vault's id. A signature by another key does not match it.
    package let id: DeviceID
    private let key: Ed25519.SigningKey

    /// The key of a seed of 32 bytes, for one vault.
    package init(seed: SecretBytes, vault: VaultID) {
        key = Ed25519.SigningKey(seed: seed)
        id = DeviceSignature.device(of: key.publicKey, vault)
    }

    /// A new random seed.
    package static func newSeed(using random: inout some RandomNumberGenerator) -> SecretBytes {
        var bytes = [UInt8](repeating: 0, count: seedLength)
        defer { wipe(&bytes) }
        for i in bytes.indices { bytes[i] = UInt8.random(in: 0...255, using: &random) }
        return SecretBytes(copying: bytes.span)
    }

    /// Signs what a digest stands for.
    package func sign(_ digest: CommitDigest) -> DeviceSignature {
        DeviceSignature(key: key.publicKey, signature: key.signature(of: DeviceSignature.message(digest)))
    }
}

/// The signature at the end of an object, with the public key that checks it (docs/format.md §12).
package struct DeviceSignature: Sendable {
    private let key: Ed25519.PublicKey
    private let signature: [UInt8]

    fileprivate init(key: Ed25519.PublicKey, signature: [UInt8]) { (self.key, self.signature) = (key, signature) }

    /// Reads the body of a signature record. Throws `FormatError` for another length.
    package init(_ body: [UInt8]) throws(FormatError) {
        var reader = ByteReader(body)
        guard let key = Ed25519.PublicKey(try reader.raw(Ed25519.PublicKey.length)) else { throw .truncated }
        self.key = key
        signature = try reader.raw(Ed25519.signatureLength)
        try reader.expectEnd()
    }

    /// The body of a signature record.
    package var encoded: [UInt8] { key.bytes + signature }

    /// The device whose key it is.
    package func device(in vault: VaultID) -> DeviceID { Self.device(of: key, vault) }

    /// True if the key signed this digest.
    package func holds(for digest: CommitDigest) -> Bool { key.accepts(signature, of: Self.message(digest)) }

    fileprivate static func message(_ digest: CommitDigest) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw("cue/1 signature\0".utf8)
        writer.id(digest)
        return writer.bytes
    }

    fileprivate static func device(of key: Ed25519.PublicKey, _ vault: VaultID) -> DeviceID {
        var writer = ByteWriter()
        writer.raw("cue/1 device\0".utf8)
        writer.id(vault)
        writer.raw(key.bytes)
        let hash = BLAKE2b.Stream(writer.bytes).finish()
        return DeviceID(high: hash.a, low: hash.b)
    }
}
