import CueBase
import CueEngine
import CueSystem
import Foundation

/// A line of `cue watch --json`: one event, for a monitor. docs/json.md has every key. Documents are counted and not
/// named, so a line may be sent on to a stranger; `message` alone may name the folder of the library or the vault.
/// `WatchPings` decides what of it the address of `[notify] ping` hears.
struct WatchLine: Encodable {
    private(set) var event: String
    private(set) var time = Environment.now.date
    private(set) var folders: Int?
    private(set) var limitation: String?
    private(set) var waiting: Int?
    private(set) var seconds: Double?
    private(set) var snapshot: String?
    private(set) var documents: Int?
    private(set) var stored: Int?
    private(set) var deleted: Int?
    private(set) var received: Int?
    private(set) var renamed: Int?
    private(set) var removed: Int?
    private(set) var skipped: Int?
    private(set) var heldBack: Int?
    private(set) var removalsHeldBack: Int?
    private(set) var conflicts: Int?
    private(set) var complete: Bool?
    private(set) var damaged: Bool?
    private(set) var vault: Bool?
    private(set) var code: Int32?
    private(set) var message: String?
    private(set) var hints: [String]?
    private(set) var nextTry: Double?
    private(set) var aside: Bool?
    private(set) var reason: String?
    private(set) var kind: String?
    private(set) var shown: Bool?
    private(set) var packs: Int?
    private(set) var problems: Int?
    private(set) var objects: Int?
    private(set) var unreadable: Int?
    private(set) var extended: Int?
    private(set) var left: Int?

    private init(_ event: String) { self.event = event }

    /// The last line of a watcher that ended well.
    static let ended = WatchLine("ended")

    /// The lines for an event of a watcher.
    static func lines(_ event: Watcher.Event) -> [WatchLine] {
        var line: WatchLine
        switch event {
        case .started(let folders, let limitation):
            line = WatchLine("started")
            (line.folders, line.limitation) = (folders, limitation?.words)
        case .changed(let waiting):
            line = WatchLine("changed")
            line.waiting = waiting
        case .syncing: line = WatchLine("sync_started")
        case .saved(let summary, let whole, let seconds):
            line = WatchLine("sync_finished")
            line.take(whole, seconds)
            guard !summary.conflicts.isEmpty else { break }
            var conflict = WatchLine("conflict")
            conflict.conflicts = summary.conflicts.count
            return [line, conflict]
        case .recovered(let isVaultBack):
            line = WatchLine("back")
            line.vault = isVaultBack
        case .offline(let failure, let nextTry):
            line = WatchLine("offline")
            line.take(failure)
            line.nextTry = nextTry
        case .error(let failure):
            line = WatchLine("failure")
            line.take(failure)
        case .failedAgain: return []
        case .asideFailed(let failure):
            line = WatchLine("failure")
            line.take(failure)
            line.aside = true
        case .folderAway: line = WatchLine("folder_away")
        case .rescan(let reason):
            line = WatchLine("rescan")
            line.reason = reason.words
        case .settings(let problem):
            line = WatchLine("settings")
            problem.map { line.take($0) }
        case .reminded(let reminder, let outcome):
            line = WatchLine("reminder")
            (line.kind, line.shown) = (reminder.kind.rawValue, outcome == .delivered)
        case .place(let report):
            line = WatchLine("place")
            line.take(report)
        case .verified(let report):
            line = WatchLine("verified")
            (line.packs, line.problems) = (report.packs, report.problems.count)
        case .locked(let summary):
            line = WatchLine("locked")
            (line.extended, line.left) = (summary.extended, summary.left)
        case .stopping: line = WatchLine("stopping")
        case .unsaved(let count):
            line = WatchLine("unsaved")
            line.waiting = count
        }
        return [line]
    }

    private mutating func take(_ failure: Failure) {
        let words = failure.words.printable
        (code, message, hints) = (words.outcome.rawValue, words.message, words.hints)
    }

    private mutating func take(_ report: PlaceReport) {
        let row = PlaceRow(report)
        (complete, objects, unreadable, message) = (row.state == "complete", row.objects, row.unreadable, row.problem)
    }

    private mutating func take(_ summary: Sync.Summary, _ seconds: Double) {
        let backup = summary.backup
        self.seconds = (seconds * 1000).rounded() / 1000
        (snapshot, documents) = (backup.snapshot?.description, backup.documents)
        (stored, deleted) = (backup.new + backup.changed + backup.renamed, backup.removed)
        (received, renamed, removed) = (summary.received.count, summary.renamed.count, summary.removed.count)
        (skipped, waiting) = (backup.skipped.count, summary.waiting.count)
        (heldBack, removalsHeldBack) = (backup.heldBack.count, summary.removalsHeldBack.count)
        conflicts = summary.conflicts.count
        (complete, damaged) = (SyncReport.outcome(of: summary) == .done, summary.isDamaged)
    }
}
