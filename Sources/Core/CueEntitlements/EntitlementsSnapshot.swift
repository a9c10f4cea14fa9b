package import CueBase

// This layout is frozen: docs/entitlements.md §1.

/// An issuer's statement: this plan with these features, for this account on this device, in this period.
package struct EntitlementsSnapshot: Hashable, Sendable {
    /// The one value of `format` that this version reads.
    package static let format: Int64 = 1
    /// The values that `ttlSeconds` may have, in seconds: up to 366 days.
    package static let ttls: ClosedRange<Int64> = 1...31_622_400

    /// The plan's name.
    package let plan: Plan
    /// Sorted by their bytes, none twice.
    package let features: [Feature]
    /// The time of signing, in whole seconds.
    package let issuedAt: Timestamp
    /// The end of the plan, in whole seconds.
    package let expiresAt: Timestamp
    /// The time, in seconds from `issuedAt`, for which the snapshot may be used without a newer one.
    package let ttlSeconds: Int64
    /// The owner of the plan, 1 to 256 bytes.
    package let account: String
    /// The only device that may use it.
    package let device: DeviceID

    /// Checks the rules of docs/entitlements.md §1 and throws `.malformed`. Times are cut to whole seconds.
    package init(
        plan: Plan, features: Set<Feature>, issuedAt: Timestamp, expiresAt: Timestamp, ttlSeconds: Int64,
        account: String, device: DeviceID
    ) throws(SnapshotRefusal) {
        guard let issuedAt = Timestamp(wholeSeconds: issuedAt.wholeSeconds),
            let expiresAt = Timestamp(wholeSeconds: expiresAt.wholeSeconds)
        else { throw .malformed(.beforeEpoch) }
        guard expiresAt > issuedAt else { throw .malformed(.endsBeforeStart) }
        guard Self.ttls.contains(ttlSeconds) else { throw .malformed(.ttl) }
        guard Self.isAccount(account) else {
            throw .malformed(.account)
        }
        guard features.count <= 256 else { throw .malformed(.tooManyFeatures) }
        (self.plan, self.features, self.issuedAt, self.expiresAt) = (plan, features.sorted(), issuedAt, expiresAt)
        (self.ttlSeconds, self.account, self.device) = (ttlSeconds, account, device)
    }

    /// The moment from which it is stale: the end of its time to live or of the plan, whichever comes first.
    package var end: Timestamp { min(issuedAt + .seconds(ttlSeconds), expiresAt) }

    /// True for 1 to 256 bytes without control characters.
    package static func isAccount(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
    }
}

extension EntitlementsSnapshot {
    static let keys: Set<String> = [
        "account", "device", "expiresAt", "features", "format", "issuedAt", "plan", "ttlSeconds",
    ]

    /// Reads the signed object. The caller has verified the signature; the format is checked here.
    init(_ json: JSON) throws(SnapshotRefusal) {
        let object = try StrictObject(json, .snapshot, keys: Self.keys)
        guard let plan = Plan(try object.text("plan")) else { throw object.wrong("plan") }
        guard let device = DeviceID(try object.text("device")) else { throw object.wrong("device") }
        let names = try object.texts("features")
        let features = names.compactMap { Feature($0) }
        try self.init(
            plan: plan, features: Set(features), issuedAt: object.time("issuedAt"),
            expiresAt: object.time("expiresAt"), ttlSeconds: object.integer("ttlSeconds"),
            account: object.text("account"), device: device)
        // The names are not sorted, or one stands twice or is not a name.
        guard self.features.map(\.name) == names else { throw object.wrong("features") }
    }

    var json: JSON {
        .fields([
            "account": .string(account), "device": .string(device.description),
            "expiresAt": .string(expiresAt.wholeSeconds), "features": .array(features.map { .string($0.name) }),
            "format": .integer(Self.format), "issuedAt": .string(issuedAt.wholeSeconds), "plan": .string(plan.name),
            "ttlSeconds": .integer(ttlSeconds),
        ])
    }
}

extension Timestamp {
    /// The moment `duration` later, in whole seconds; the result is cut to the range of `Timestamp`.
    package static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.components.seconds * 1000)
        return Timestamp(milliseconds: overflow ? .max : sum)
    }
}
