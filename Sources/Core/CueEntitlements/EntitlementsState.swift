package import CueBase

/// The judgement of a snapshot at one moment (docs/entitlements.md §3).
package enum EntitlementsState: Equatable, Sendable {
    /// There is no snapshot.
    case local
    /// All features count until then.
    case valid(until: Timestamp)
    /// All features count until then, but a fresh snapshot is due.
    case stale(until: Timestamp)
    /// The grace ended at that time; no feature counts.
    case over(since: Timestamp)
    /// The snapshot is not accepted; no feature counts.
    case refused(SnapshotRefusal)

    /// How long a snapshot counts after its end: long enough for a holiday without a network.
    package static let grace = Duration.seconds(7 * 86_400)
    /// The most by which the clocks of issuer and device may differ.
    package static let skew = Duration.seconds(5 * 60)

    /// Judges a snapshot whose signature was verified; nil gives `.local`.
    package static func of(_ snapshot: EntitlementsSnapshot?, _ facts: DeviceFacts) -> EntitlementsState {
        guard let snapshot else { return .local }
        if let refusal = refusal(of: snapshot, facts) { return .refused(refusal) }
        if facts.time < snapshot.end { return .valid(until: snapshot.end) }
        return facts.time < snapshot.graceEnd ? .stale(until: snapshot.graceEnd) : .over(since: snapshot.graceEnd)
    }

    private static func refusal(of snapshot: EntitlementsSnapshot, _ facts: DeviceFacts) -> SnapshotRefusal? {
        guard snapshot.device == facts.device else { return .otherDevice(snapshot.device) }
        // Compare bytes: Swift holds two spellings of one accented letter for equal strings.
        if let account = facts.account, !account.utf8.elementsEqual(snapshot.account.utf8) {
            return .otherAccount(snapshot.account)
        }
        if let last = facts.lastIssuedAt, snapshot.issuedAt < last { return .older(than: last) }
        return snapshot.issuedAt > facts.time + skew ? .fromTheFuture(snapshot.issuedAt) : nil
    }

    /// True if the features of the snapshot count.
    package var isActive: Bool {
        switch self {
        case .valid, .stale: true
        case .local, .over, .refused: false
        }
    }
}

extension EntitlementsSnapshot {
    /// The moment from which the snapshot gives nothing.
    package var graceEnd: Timestamp { end + EntitlementsState.grace }
}
