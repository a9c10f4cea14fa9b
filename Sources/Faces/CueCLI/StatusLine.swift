import CueBase
import CueEngine
import CueSystem
import CueTerminal
import Foundation

/// The one line that says how a library stands.
struct StatusLine {
    private let status: LibraryStatus
    private let now: Timestamp

    init(_ status: LibraryStatus, now: Timestamp = Environment.now) { (self.status, self.now) = (status, now) }

    /// Without what waits for a word of somebody.
    private var waiting: Int {
        status.new.count + status.changed.count + status.gone.count - status.heldBack.count
    }

    /// For people.
    var sentence: String {
        let conflicts = status.conflicts.count
        let needs =
            conflicts == 0
            ? "" : " \(Style.count(conflicts, "conflict")) need\(conflicts == 1 ? "s" : "") you: `cue sync` asks."
        let damage =
            status.vaultProblem.map { " The vault is damaged (\($0)): `cue check --read-data` tells more." } ?? ""
        return state + away + damage + needs + deletions + newer
    }

    /// Where a watcher runs, it says so itself.
    private var isAway: Bool { status.watcher == nil && !status.isVaultThere }
    private var away: String { isAway ? " The vault cannot be reached now." : "" }

    private var deletions: String {
        var text = ""
        let (here, there) = (status.heldBack.count, status.left.removals)
        if here > 0 {
            text =
                " \(Style.count(here, "document")) \(here == 1 ? "is" : "are") gone from the folder, and stay\(here == 1 ? "s" : "") in the vault: `cue sync` asks."
        }
        if there > 0 {
            text +=
                " Other devices deleted \(Style.count(there, "document")), which stay\(there == 1 ? "s" : "") here: `cue sync` asks."
        }
        return text
    }

    /// What other devices stored and could not be put here yet.
    private var newer: String {
        let count = status.left.waiting.count
        return count == 0 ? "" : " \(Style.count(count, "newer version")) wait\(count == 1 ? "s" : "") to be put here."
    }

    private var state: String {
        guard let saved = lastSaved else {
            return status.watcher.map { broken($0) ?? "The first sync is under way." }
                ?? "This device has not stored this folder yet: run `cue sync`, or `cue backup`."
        }
        if let watcher = status.watcher, let broken = broken(watcher) { return broken }
        if waiting == 0 {
            let all =
                status.documents == 1 ? "The one document is" : "All \(Style.number(status.documents)) documents are"
            return "\(all) in the vault, \(Self.ago(saved, now))."
        }
        let changes = "\(Style.count(waiting, "change")) wait\(waiting == 1 ? "s" : "")"
        guard status.watcher != nil else {
            return "\(changes) for `cue backup`; the last one was \(Self.ago(saved, now))."
        }
        return "\(changes) to be stored when you rest; the last sync was \(Self.ago(saved, now))."
    }

    private var lastSaved: Timestamp? {
        let watched = status.watcher?.lastSync.map { Timestamp($0) }
        return [status.lastBackup, watched].compactMap(\.self).max { $0.milliseconds < $1.milliseconds }
    }

    private func broken(_ watcher: WatchState) -> String? {
        let since = Timestamp(watcher.phaseSince).shown
        let what = waiting == 0 ? "Nothing waits" : "\(Style.count(waiting, "change")) wait\(waiting == 1 ? "s" : "")"
        switch watcher.phase {
        case .offline: return "\(what): \(watcher.message ?? "the vault cannot be reached"), since \(since)."
        case .error: return "Nothing is stored since \(since): \(watcher.message ?? "something is wrong")."
        case .starting, .idle, .syncing: return nil
        }
    }

    /// For a shell's prompt or a status bar: a word or two.
    var short: String {
        if status.vaultProblem != nil { return "damaged vault" }
        if !status.conflicts.isEmpty { return Style.count(status.conflicts.count, "conflict") }
        switch status.watcher?.phase {
        case .error?: return "error"
        case .offline?: return waiting == 0 ? "offline" : "offline, \(waiting) waiting"
        default: break
        }
        if lastSaved == nil { return "never stored" }
        if isAway { return waiting == 0 ? "offline" : "offline, \(waiting) waiting" }
        if waiting > 0 { return "\(waiting) waiting" }
        if !status.heldBack.isEmpty || status.left.removals > 0 { return "needs you" }
        if !status.left.waiting.isEmpty { return "\(status.left.waiting.count) incoming" }
        // Nobody knows how many documents are in what has not arrived.
        return status.left.pending.isEmpty ? "ok" : "incoming"
    }

    static func ago(_ time: Timestamp, _ now: Timestamp) -> String {
        let seconds = (now.milliseconds - time.milliseconds) / 1000
        return switch seconds {
        case ..<0: "at \(time.shown)"
        case ..<2: "just now"
        case ..<120: "\(seconds) s ago"
        case ..<7200: "\(seconds / 60) min ago"
        case ..<172_800: "\(seconds / 3600) h ago"
        default: "\(seconds / 86_400) days ago"
        }
    }
}
