import CueBase
package import CueSodium

// This layout is frozen: docs/entitlements.md §2.

/// A public key that signs plans. It counts only if the device trusts it.
package struct IssuerKey: Hashable, Sendable {
    /// The Ed25519 key.
    package let key: Ed25519.PublicKey

    /// An issuer's key of these bytes.
    package init(_ key: Ed25519.PublicKey) { self.key = key }

    /// The short id by which files name this key.
    package var id: KeyID { KeyID(of: key) }

    /// The 64 hexadecimal digits of the key.
    package var digits: String { Hexadecimal.text(key.bytes) }

    /// Reads the form of `digits`; nil for anything else.
    package init?(digits: String) {
        guard let key = Hexadecimal.bytes(digits).flatMap({ Ed25519.PublicKey($0) }) else { return nil }
        self.key = key
    }

    /// The `kind` in a public key file.
    package static let kind = "cue plan public key"

    /// Reads a public key file. Throws `.malformed`, `.otherKind` or `.newerFormat`.
    package init(parsing bytes: [UInt8]) throws(SnapshotRefusal) {
        let file = try KeyFile.open(bytes, kind: Self.kind, field: "public")
        guard let key = Ed25519.PublicKey(file) else { throw .malformed(.keyLength) }
        self.key = key
    }

    /// The bytes of a public key file.
    package var file: [UInt8] {
        CanonicalFile.bytes(
            .fields(["format": .integer(1), "kind": .string(Self.kind), "public": .string(digits)]))
    }
}

/// The secret half, with which an issuer signs.
package struct IssuerSecret: Sendable {
    /// The `kind` in a secret key file.
    package static let kind = "cue plan secret key"
    let signing: Ed25519.SigningKey
    private let seed: SecretBytes

    /// The key of a seed of 32 bytes.
    package init(seed: SecretBytes) { (self.seed, signing) = (seed, Ed25519.SigningKey(seed: seed)) }

    /// Makes a new key.
    package static func random() -> IssuerSecret {
        IssuerSecret(seed: SecretBytes.random(Ed25519.SigningKey.seedLength))
    }

    /// The public half, which devices may trust.
    package var publicKey: IssuerKey { IssuerKey(signing.publicKey) }

    /// Reads a secret key file; the caller wipes `bytes`. Throws `.malformed`, `.otherKind` or `.newerFormat`.
    package init(parsing bytes: [UInt8]) throws(SnapshotRefusal) {
        var seed = try KeyFile.open(bytes, kind: Self.kind, field: "seed")
        defer { wipe(&seed) }
        self.init(seed: SecretBytes(copying: seed.span))
    }

    /// The bytes of a secret key file; the caller wipes them.
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
        let object = try StrictObject(json, .keyFile, keys: ["format", "kind", field])
        let format = try object.integer("format")
        guard format == 1 else { throw .newerFormat(format) }
        return try object.bytes(field, count: 32)
    }
}
