import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import CueVault
import Foundation

/// The state of a library in one line.
struct StatusLine {
    private let status: LibraryStatus
    private let now: Timestamp

    init(_ status: LibraryStatus, now: Timestamp = Environment.now) { (self.status, self.now) = (status, now) }

    /// The number of changes that are not stored yet, without deletions that wait for a person's consent.
    private var waiting: Int {
        // A renamed document is both gone and new.
        let held = Set(status.heldBack)
        let (gone, new) = (Set(status.gone), Set(status.new))
        let renamed = status.renamed.count { gone.contains($0.from) && new.contains($0.to) && !held.contains($0.from) }
        return status.new.count + status.changed.count + status.gone.count - held.count - renamed
    }

    /// Whether something waits to be stored or brought, for a person or for cue: the flag of a sync.
    var needsSync: Bool {
        !isAllStored || status.settingsWaiting > 0 || !status.conflicts.isEmpty || !status.left.waiting.isEmpty
            || status.onlyInVault > 0
    }

    /// One or more sentences for people. Also `headline` in JSON.
    var sentence: String {
        // Of a device that was shut out nothing is stored or asked any more, whatever waits.
        if let shutOut {
            return state + unread + away
                + " \(DeviceWords.shutOut(shutOut.by, shutOut.time)): nothing is stored any more."
        }
        let conflicts = status.conflicts.count
        let needs =
            conflicts == 0
            ? "" : " \(Style.count(conflicts, "conflict")) need\(conflicts == 1 ? "s" : "") you: `cue sync` asks."
        let damage =
            status.vaultProblem.map { " The vault is damaged (\($0.sentence)): `cue check --read-data` tells more." }
            ?? ""
        return state + unread + away + damage + needs + deletions + newer + events
            + SettingsWords.waiting(status.settingsWaiting)
    }

    /// The number of folders that cannot be read.
    private var unreadable: Int {
        status.skipped.count { if case .folderUnreadable = $0.reason { true } else { false } }
    }
    private var unread: String {
        switch unreadable {
        case 0: ""
        case 1: " 1 folder cannot be read, and is not stored as it is now."
        default: " \(Style.number(unreadable)) folders cannot be read, and are not stored as they are now."
        }
    }

    /// Whether this device has stored everything that is in the folder, and knows of no damage in the vault.
    var isAllStored: Bool {
        lastSaved != nil && waiting == 0 && status.heldBack.isEmpty && unreadable == 0 && status.vaultProblem == nil
    }

    /// The name of the device that shut out this one, and when; nil if none did, as far as this device knows.
    private var shutOut: (by: String, time: Timestamp)? {
        guard case .damage(.deviceShutOut(by: let by, at: let time))? = status.vaultProblem else { return nil }
        return (by, time)
    }

    /// Whether this device was shut out, as its last run learned.
    var isShutOut: Bool { shutOut != nil }

    /// Whether to report that the vault is away; a running watcher reports that itself.
    private var isAway: Bool { status.watcher == nil && !status.isVaultThere }
    private var away: String { isAway ? " The vault cannot be reached now." : "" }

    /// Deletions that wait for a person's consent, here and from other devices.
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

    /// Versions of other devices that could not be placed yet.
    private var newer: String {
        let count = status.left.waiting.count
        return count == 0 ? "" : " \(Style.count(count, "newer version")) wait\(count == 1 ? "s" : "") to be put here."
    }

    /// Events that are not in the vault yet.
    private var events: String {
        let count = status.eventsWaiting
        return count == 0
            ? ""
            : " \(Style.count(count, "note")) of the event log \(count == 1 ? "is" : "are") not in the vault yet: the next backup takes \(count == 1 ? "it" : "them")."
    }

    /// Whether everything is stored, and since when.
    private var state: String {
        guard let saved = lastSaved else {
            return status.watcher.map { broken($0) ?? "The first sync is under way." }
                ?? "This device has not stored this folder yet\(shutOut == nil ? ": run `cue sync`, or `cue backup`." : ".")"
        }
        if shutOut == nil, let watcher = status.watcher, let broken = broken(watcher) { return broken }
        if waiting == 0 {
            guard status.documents > 0 else {
                return "No document is in this folder; the last backup was \(Self.ago(saved, now))."
            }
            let (isOne, isDamaged) = (status.documents == 1, status.vaultProblem != nil)
            let all = isOne ? "The one document" : "All \(Style.number(status.documents)) documents"
            let verb = isDamaged ? isOne ? "was stored" : "were stored" : isOne ? "is in the vault" : "are in the vault"
            return "\(all) \(verb), \(Self.ago(saved, now))."
        }
        if shutOut != nil {
            return
                "\(Style.count(waiting, "change")) \(waiting == 1 ? "is" : "are") only in this folder; the last backup was \(Self.ago(saved, now))."
        }
        let changes = "\(Style.count(waiting, "change")) wait\(waiting == 1 ? "s" : "")"
        guard status.watcher != nil else {
            return "\(changes) for `cue backup`; the last one was \(Self.ago(saved, now))."
        }
        return "\(changes) to be stored when you rest; the last sync was \(Self.ago(saved, now))."
    }

    /// The later of the last backup and the watcher's last sync; nil if this device never stored anything.
    var lastSaved: Timestamp? {
        let watched = status.watcher?.lastSync.map { Timestamp($0) }
        return [status.lastBackup, watched].compactMap(\.self).max { $0.milliseconds < $1.milliseconds }
    }

    /// The problem of a watcher that is offline or failed; nil for one that works.
    private func broken(_ watcher: WatchState) -> String? {
        let since = Timestamp(watcher.phaseSince).shown
        let what = waiting == 0 ? "Nothing waits" : "\(Style.count(waiting, "change")) wait\(waiting == 1 ? "s" : "")"
        let problem = watcher.failure?.words.problem
        switch watcher.phase {
        case .offline: return "\(what): \(problem ?? "the vault cannot be reached"), since \(since)."
        case .error: return "Nothing is stored since \(since): \(problem ?? "something is wrong")."
        case .starting, .idle, .syncing: return nil
        }
    }

    /// The one thing to do next, as a command with what it does.
    var next: String {
        if isShutOut { return DeviceWords.goOn }
        if status.vaultProblem != nil { return "`cue check --read-data` names all that is damaged" }
        if isAway { return "plug the vault's disk in, or mount its network folder" }
        if !status.conflicts.isEmpty || !status.heldBack.isEmpty || status.left.removals > 0 {
            return "`cue sync` asks what you mean"
        }
        if status.watcher != nil {
            return "nothing, the watcher stores what is new; `cue log` lists what there is"
        }
        if lastSaved == nil { return "`cue backup` stores this folder" }
        if waiting > 0 || status.settingsWaiting > 0 { return "`cue backup` stores what is new" }
        if !status.left.waiting.isEmpty || status.onlyInVault > 0 { return "`cue sync` brings what is new elsewhere" }
        return "`cue watch` stores by itself from here on; `cue help` lists all commands"
    }

    /// One or two words for a shell's prompt or a status bar.
    var short: String {
        if isShutOut { return "shut out" }
        if status.vaultProblem != nil { return "damaged vault" }
        if !status.conflicts.isEmpty { return Style.count(status.conflicts.count, "conflict") }
        switch status.watcher?.phase {
        case .error?: return "error"
        case .offline?: return waiting == 0 ? "offline" : "offline, \(waiting) waiting"
        default: break
        }
        if lastSaved == nil { return "never stored" }
        if unreadable > 0 { return "error" }
        if isAway { return waiting == 0 ? "offline" : "offline, \(waiting) waiting" }
        if waiting > 0 { return "\(waiting) waiting" }
        if !status.heldBack.isEmpty || status.left.removals > 0 { return "needs you" }
        if !status.left.waiting.isEmpty { return "\(status.left.waiting.count) incoming" }
        // The number of documents in what has not arrived is unknown.
        return status.left.pending.isEmpty ? "ok" : "incoming"
    }

    /// The time since then: `just now`, `5 min ago`. A time in the future is shown itself.
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
