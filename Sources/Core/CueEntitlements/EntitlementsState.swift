package import CueBase

/// What a device knows when it judges a snapshot.
package struct DeviceFacts: Sendable, Equatable {
    package var now: Timestamp
    /// The latest time that was ever seen at a judgement.
    package var highestTime: Timestamp?
    package var device: DeviceID
    /// Whose plan this device has; nil before the first, and after it was forgotten.
    package var account: String?
    /// When the newest snapshot that was ever accepted for the snapshot's account was issued.
    package var lastIssuedAt: Timestamp?

    package init(
        now: Timestamp, highestTime: Timestamp? = nil, device: DeviceID, account: String? = nil,
        lastIssuedAt: Timestamp? = nil
    ) {
        (self.now, self.highestTime, self.device) = (now, highestTime, device)
        (self.account, self.lastIssuedAt) = (account, lastIssuedAt)
    }

    /// The time that counts: a clock that was set back prolongs nothing.
    package var time: Timestamp { max(now, highestTime ?? now) }
}

/// What a snapshot gives at a moment (docs/entitlements.md §3).
package enum EntitlementsState: Equatable, Sendable {
    /// There is no snapshot.
    case local
    case valid(until: Timestamp)
    /// A fresh one is due; all is still allowed.
    case stale(until: Timestamp)
    case over(since: Timestamp)
    case refused(SnapshotRefusal)

    /// Long enough for a holiday without a network.
    package static let grace = Duration.seconds(7 * 86_400)
    /// By how much the clocks of issuer and device may differ.
    package static let skew = Duration.seconds(5 * 60)

    /// Judges a snapshot whose signature was verified.
    package static func of(_ snapshot: EntitlementsSnapshot?, _ facts: DeviceFacts) -> EntitlementsState {
        guard let snapshot else { return .local }
        if let refusal = refusal(of: snapshot, facts) { return .refused(refusal) }
        if facts.time < snapshot.end { return .valid(until: snapshot.end) }
        return facts.time < snapshot.graceEnd ? .stale(until: snapshot.graceEnd) : .over(since: snapshot.graceEnd)
    }

    private static func refusal(of snapshot: EntitlementsSnapshot, _ facts: DeviceFacts) -> SnapshotRefusal? {
        guard snapshot.device == facts.device else { return .otherDevice(snapshot.device) }
        // As bytes: to Swift, two spellings of one accented letter are equal strings.
        if let account = facts.account, !account.utf8.elementsEqual(snapshot.account.utf8) {
            return .otherAccount(snapshot.account)
        }
        if let last = facts.lastIssuedAt, snapshot.issuedAt < last { return .older(than: last) }
        return snapshot.issuedAt > facts.time + skew ? .fromTheFuture(snapshot.issuedAt) : nil
    }

    /// Whether the snapshot's features count.
    package var isActive: Bool {
        switch self {
        case .valid, .stale: true
        case .local, .over, .refused: false
        }
    }
}
