import CueEngine

/// Decides which events of a watcher are sent to a monitor. A healthy watcher syncs at least each 10 minutes and sends
/// a message as often; one that hangs sends none.
struct WatchPings {
    /// The fewest seconds between two pings that all is well.
    private static let pause = 60.0
    /// The seconds after which a trouble that goes on is sent again.
    private static let again = 3600.0

    private var last: (ping: Ping, time: Double)?
    /// The last reading of a part of the vault found damage.
    private var isDamaged = false

    /// The message for an event at a time in seconds of any clock; nil for none.
    mutating func ping(for event: Watcher.Event, at now: Double) -> Ping? {
        guard let ping = state(after: event), isDue(ping, at: now) else { return nil }
        last = (ping, now)
        return ping
    }

    /// The state of the watcher after an event; nil if the event says nothing about it.
    private mutating func state(after event: Watcher.Event) -> Ping? {
        switch event {
        case .saved(_, let whole, let seconds):
            let outcome = isDamaged ? .damaged : SyncReport.outcome(of: whole)
            return .end("watch", outcome.rawValue, seconds: seconds, Ping.Counts(whole))
        case .offline(let failure, _), .error(let failure), .failedAgain(let failure):
            return .end("watch", failure.words.outcome.rawValue, seconds: nil)
        case .verified(let report):
            isDamaged = !report.problems.isEmpty
            return isDamaged ? .end("watch", Outcome.damaged.rawValue, seconds: nil) : nil
        case .started, .changed, .syncing, .recovered, .asideFailed, .rescan, .settings, .reminded, .locked, .place,
            .stopping, .unsaved, .folderAway:
            return nil
        }
    }

    /// True if it is news, or was sent long enough ago. A failure with another exit code is another trouble.
    private func isDue(_ ping: Ping, at now: Double) -> Bool {
        guard let last, last.ping.event == ping.event else { return true }
        if ping.event == .ok { return now - last.time >= Self.pause }
        return last.ping.exitCode != ping.exitCode || now - last.time >= Self.again
    }
}
