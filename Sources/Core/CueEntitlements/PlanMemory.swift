package import CueBase

/// What a device keeps of plans, for all its libraries: a value, which somebody else reads and writes (docs/entitlements.md §4).
package struct PlanMemory: Equatable, Sendable {
    package let device: DeviceID
    /// The issuers' keys that the owner of the device gave it; sorted by id.
    package internal(set) var keys: [IssuerKey] = []
    /// The signed file as it came. It is verified anew each time.
    package internal(set) var file: [UInt8]?
    package internal(set) var account: String?
    /// By account: when the newest snapshot that was ever accepted was issued.
    package internal(set) var accepted: [String: Timestamp] = [:]
    package internal(set) var highestTime: Timestamp?
    package internal(set) var importedAt: Timestamp?
    package internal(set) var checkedAt: Timestamp?

    package init(device: DeviceID) { self.device = device }

    /// Judges what is stored, and notes that it was looked at and when.
    package mutating func look(at now: Timestamp) -> PlanReport {
        defer { note(now) }
        guard let file else { return PlanReport(state: .local, signed: nil, facts: facts(now, of: nil)) }
        do {
            let signed = try SignedSnapshot(parsing: file, trusting: keys)
            let facts = facts(now, of: signed.snapshot)
            return PlanReport(state: .of(signed.snapshot, facts), signed: signed, facts: facts)
        } catch {
            return PlanReport(state: .refused(error), signed: nil, facts: facts(now, of: nil))
        }
    }

    /// Takes a new file in the place of the stored one; if it is refused, nothing is changed.
    package mutating func accept(_ bytes: [UInt8], at now: Timestamp) throws(SnapshotRefusal) -> PlanReport {
        let signed = try SignedSnapshot(parsing: bytes, trusting: keys)
        let snapshot = signed.snapshot
        let facts = facts(now, of: snapshot)
        let state = EntitlementsState.of(snapshot, facts)
        switch state {
        case .refused(let refusal): throw refusal
        case .over(let since): throw .over(since: since)
        case .local, .valid, .stale: break
        }
        (file, account, importedAt) = (signed.file, snapshot.account, now)
        accepted[snapshot.account] = snapshot.issuedAt
        note(now)
        return PlanReport(state: state, signed: signed, facts: facts)
    }

    /// Drops the snapshot. What protects from an older one, or from a clock that is set back, stays.
    package mutating func forget() { (file, account, importedAt) = (nil, nil, nil) }

    package mutating func trust(_ key: IssuerKey) {
        if !keys.contains(key) { keys = (keys + [key]).sorted { $0.id < $1.id } }
    }

    /// Whether the key was among them.
    package mutating func distrust(_ id: KeyID) -> Bool {
        let count = keys.count
        keys.removeAll { $0.id == id }
        return keys.count < count
    }

    /// Times are kept in whole seconds, rounded down: none that was not seen is ever noted.
    private mutating func note(_ now: Timestamp) {
        let now = Timestamp(wholeSeconds: now.wholeSeconds) ?? Timestamp(milliseconds: 0)
        (checkedAt, highestTime) = (now, max(now, highestTime ?? now))
    }

    private func facts(_ now: Timestamp, of snapshot: EntitlementsSnapshot?) -> DeviceFacts {
        DeviceFacts(
            now: now, highestTime: highestTime, device: device, account: account,
            lastIssuedAt: snapshot.flatMap { accepted[$0.account] })
    }
}

/// How a plan stands, for whoever shows it or asks it.
package struct PlanReport: Sendable {
    package let state: EntitlementsState
    /// What was judged; nil if there is none, or if it could not be verified.
    package let signed: SignedSnapshot?
    package let facts: DeviceFacts

    package var entitlements: SnapshotEntitlements { SnapshotEntitlements(signed?.snapshot, state) }
}
