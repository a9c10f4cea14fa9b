package import CueBase

/// The facts about plans that a device keeps for all its libraries (docs/entitlements.md §4).
///
/// This is a value; `PlanFolder` reads and stores it.
package struct PlanMemory: Equatable, Sendable {
    /// The id of this device for issuers.
    package let device: DeviceID
    /// The issuers' keys that the owner of the device trusts, sorted by id.
    package internal(set) var keys: [IssuerKey] = []
    /// The signed file as it came; nil if there is none. It is verified anew each time.
    package internal(set) var file: [UInt8]?
    /// The account of the stored snapshot; nil if there is none.
    package internal(set) var account: String?
    /// By account: the latest `issuedAt` that was ever accepted.
    package internal(set) var accepted: [String: Timestamp] = [:]
    /// The latest time ever seen; nil before the first judgement.
    package internal(set) var highestTime: Timestamp?
    /// The time at which the stored snapshot came; nil if there is none.
    package internal(set) var importedAt: Timestamp?
    /// The time of the last judgement; nil before the first.
    package internal(set) var checkedAt: Timestamp?

    /// A device without keys and without a plan.
    package init(device: DeviceID) { self.device = device }

    /// Judges the stored snapshot, and notes the time of this judgement.
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

    /// Replaces the stored file by `bytes`. Throws the refusal, and changes nothing then.
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

    /// Replaces the stored file by one that came out of a vault: only by one that was issued after all that were accepted
    /// for its account, so that nothing comes back that was forgotten. Changes nothing if it is refused.
    package mutating func take(_ bytes: [UInt8], at now: Timestamp) {
        guard let snapshot = try? SignedSnapshot(parsing: bytes, trusting: keys).snapshot else { return }
        if let last = accepted[snapshot.account], snapshot.issuedAt <= last { return }
        _ = try? accept(bytes, at: now)
    }

    /// Drops the snapshot. The facts that protect from an older snapshot, or from a clock that was set back, stay.
    package mutating func forget() { (file, account, importedAt) = (nil, nil, nil) }

    /// Adds a key, unless it is there.
    package mutating func trust(_ key: IssuerKey) {
        if !keys.contains(key) { keys = (keys + [key]).sorted { $0.id < $1.id } }
    }

    /// Removes a key; false if it was not there.
    package mutating func distrust(_ id: KeyID) -> Bool {
        let count = keys.count
        keys.removeAll { $0.id == id }
        return keys.count < count
    }

    /// Notes the time in whole seconds, rounded down, so that no later time than the seen one is ever noted.
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

/// The judgement of a plan with its grounds.
package struct PlanReport: Sendable {
    /// The result.
    package let state: EntitlementsState
    /// The snapshot that was judged; nil if there is none, or if it could not be verified.
    package let signed: SignedSnapshot?
    /// The facts that decided.
    package let facts: DeviceFacts

    /// The features that follow from the judgement.
    package var entitlements: SnapshotEntitlements { SnapshotEntitlements(signed?.snapshot, state) }
}
