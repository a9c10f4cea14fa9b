import CueBase

/// The file form of docs/entitlements.md §4.
extension PlanMemory {
    /// The bytes of the file.
    package var bytes: [UInt8] {
        let accepted = accepted.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { account, time in
            JSON.fields(["account": .string(account), "issuedAt": .string(time.wholeSeconds)])
        }
        return CanonicalFile.bytes(
            .fields([
                "accepted": .array(accepted), "account": account.map { .string($0) },
                "checkedAt": checkedAt.map { .string($0.wholeSeconds) }, "device": .string(device.description),
                "format": .integer(1), "highestTime": highestTime.map { .string($0.wholeSeconds) },
                "importedAt": importedAt.map { .string($0.wholeSeconds) },
                "keys": .array(keys.map { .string($0.digits) }), "snapshot": file.flatMap { try? JSON(parsing: $0) },
            ]))
    }

    /// Reads the file. Throws `.malformed` or `.newerFormat`; signatures are not verified here.
    package init(parsing bytes: [UInt8]) throws(SnapshotRefusal) {
        let json = try CanonicalFile.parse(bytes, upTo: Self.limit)
        if let format = json["format"]?.integer, format != 1 { throw .newerFormat(format) }
        let object = try StrictObject(
            json, .memory,
            keys: [
                "accepted", "account", "checkedAt", "device", "format", "highestTime", "importedAt", "keys", "snapshot",
            ])
        guard try object.integer("format") == 1 else { throw object.wrong("format") }
        guard let device = DeviceID(try object.text("device")) else { throw object.wrong("device") }
        self.init(device: device)
        let digits = try object.texts("keys")
        keys = digits.compactMap { IssuerKey(digits: $0) }
        guard keys.count == digits.count else { throw object.wrong("keys") }
        for entry in json["accepted"]?.array ?? [] {
            let entry = try StrictObject(entry, .acceptedSnapshot, keys: ["account", "issuedAt"])
            accepted[try entry.text("account")] = try entry.time("issuedAt")
        }
        account = object.has("account") ? try object.text("account") : nil
        highestTime = object.has("highestTime") ? try object.time("highestTime") : nil
        importedAt = object.has("importedAt") ? try object.time("importedAt") : nil
        checkedAt = object.has("checkedAt") ? try object.time("checkedAt") : nil
        file = json["snapshot"].map { CanonicalFile.bytes($0) }
    }

    /// The largest file in bytes: room for the keys and accounts of a long life.
    package static let limit = 1 << 20
}
