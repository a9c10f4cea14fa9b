import CueBase
import CueSodium

// This layout is frozen: docs/entitlements.md §1.

/// A snapshot as it travels: with the signature, and the id of the key that made it (docs/entitlements.md §1).
package struct SignedSnapshot: Hashable, Sendable {
    /// The verified statement.
    package let snapshot: EntitlementsSnapshot
    /// The id of the key that signed.
    package let key: KeyID
    /// The bytes of the file, with a line feed at the end.
    package let file: [UInt8]

    /// Stands in front of the signed bytes, so that a signature by the same key on anything else does not count for a
    /// plan.
    private static let prefix = Array("cue plan snapshot v1".utf8) + [0]

    /// Signs a snapshot.
    package init(_ snapshot: EntitlementsSnapshot, by secret: IssuerSecret) {
        let signature = secret.signing.signature(of: Self.prefix + snapshot.json.canonical)
        (self.snapshot, key) = (snapshot, secret.publicKey.id)
        file = CanonicalFile.bytes(
            .fields([
                "key": .string(key.description), "signature": .string(Hexadecimal.text(signature)),
                "snapshot": snapshot.json,
            ]))
    }

    /// Reads a file and verifies it with one of the keys that the device trusts; a file never brings a key.
    ///
    /// Throws the first refusal in the order of docs/entitlements.md §3.
    package init(parsing bytes: [UInt8], trusting keys: [IssuerKey]) throws(SnapshotRefusal) {
        let json = try CanonicalFile.parse(bytes)
        if let format = json["snapshot"]?["format"]?.integer, format != EntitlementsSnapshot.format {
            throw .newerFormat(format)
        }
        let object = try StrictObject(json, .file, keys: ["key", "signature", "snapshot"])
        guard let id = KeyID(try object.text("key")) else { throw object.wrong("key") }
        let signature = try object.bytes("signature", count: Ed25519.signatureLength)
        // The file is canonical, so these are the bytes that stand in it.
        guard let signed = json["snapshot"] else { throw object.wrong("snapshot") }
        guard let issuer = keys.first(where: { $0.id == id }) else { throw .unknownKey(id) }
        guard issuer.key.accepts(signature, of: Self.prefix + signed.canonical) else { throw .wrongSignature }
        guard signed["format"]?.integer == EntitlementsSnapshot.format else {
            throw .malformed(.wrongValue(.snapshot, key: "format"))
        }
        snapshot = try EntitlementsSnapshot(signed)
        key = id
        file = CanonicalFile.bytes(json)
    }
}
