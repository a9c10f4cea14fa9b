import CueBase
package import CueSodium

// This layout is frozen: docs/entitlements.md §2.

/// The first 16 digits of the hash of a public key.
package struct KeyID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let description: String

    package init(of key: Ed25519.PublicKey) {
        description = Hexadecimal.text(Array(BLAKE2b.hash(key.bytes).prefix(8)))
    }

    package init?(_ text: String) {
        guard text.utf8.count == 16, Hexadecimal.bytes(text) != nil else { return nil }
        description = text
    }

    package static func < (a: KeyID, b: KeyID) -> Bool { a.description < b.description }
}

/// A public key that may sign plans, if a device trusts it.
package struct IssuerKey: Hashable, Sendable {
    package let key: Ed25519.PublicKey

    package init(_ key: Ed25519.PublicKey) { self.key = key }

    package var id: KeyID { KeyID(of: key) }

    /// The 64 digits of the key.
    package var digits: String { Hexadecimal.text(key.bytes) }

    package init?(digits: String) {
        guard let key = Hexadecimal.bytes(digits).flatMap({ Ed25519.PublicKey($0) }) else { return nil }
        self.key = key
    }

    package static let kind = "cue plan public key"

    /// Reads a public key file.
    package init(parsing bytes: [UInt8]) throws(SnapshotRefusal) {
        let file = try KeyFile.open(bytes, kind: Self.kind, field: "public")
        guard let key = Ed25519.PublicKey(file) else { throw .malformed("its key has not 32 bytes") }
        self.key = key
    }

    package var file: [UInt8] {
        CanonicalFile.bytes(
            .fields(["format": .integer(1), "kind": .string(Self.kind), "public": .string(digits)]))
    }
}

/// The secret half, with which an issuer signs.
package struct IssuerSecret: Sendable {
    package static let kind = "cue plan secret key"
    let signing: Ed25519.SigningKey
    private let seed: SecretBytes

    package init(seed: SecretBytes) { (self.seed, signing) = (seed, Ed25519.SigningKey(seed: seed)) }

    package static func random() -> IssuerSecret {
        IssuerSecret(seed: SecretBytes.random(Ed25519.SigningKey.seedLength))
    }

    package var publicKey: IssuerKey { IssuerKey(signing.publicKey) }

    /// Reads a secret key file; the caller wipes `bytes`.
    package init(parsing bytes: [UInt8]) throws(SnapshotRefusal) {
        var seed = try KeyFile.open(bytes, kind: Self.kind, field: "seed")
        defer { wipe(&seed) }
        self.init(seed: SecretBytes(copying: seed.span))
    }

    /// What a secret key file holds; the caller wipes it.
    package var file: [UInt8] {
        let digits = seed.withBytes { seed in Hexadecimal.text((0..<seed.count).map { seed[$0] }) }
        return CanonicalFile.bytes(
            .fields(["format": .integer(1), "kind": .string(Self.kind), "seed": .string(digits)]))
    }
}

private enum KeyFile {
    static func open(_ bytes: [UInt8], kind: String, field: String) throws(SnapshotRefusal) -> [UInt8] {
        let json = try CanonicalFile.parse(bytes)
        guard json["kind"]?.string == kind else { throw .otherKind(kind) }
        let object = try StrictObject(json, "the key file", keys: ["format", "kind", field])
        let format = try object.integer("format")
        guard format == 1 else { throw .newerFormat(format) }
        return try object.bytes(field, count: 32)
    }
}
