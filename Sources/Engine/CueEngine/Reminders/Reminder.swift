package import CueBase

/// One thing to remind a writer of, and when.
package struct Reminder: Sendable, Equatable {
    /// The subject of a reminder. The names are part of the JSON output.
    package enum Kind: String, Sendable {
        /// Time to write, a deadline, the end of a snooze; no backup for days; a document that lost most of its words.
        case nudge, deadline, snooze, backup, words
        /// A problem that a watcher cannot repair by itself.
        case damage, error, conflict
    }

    /// The same as long as the subject is the same: `nudge-<project>`, `deadline-<project>-24h`, `-morning` or
    /// `-overdue`, `snooze-<project>-<time>`, `backup`, `words-<version>`, `damage`, `error`, `conflict-<project>`.
    package let id: String
    /// Its subject.
    package let kind: Kind
    /// nil if it is about the library or the vault.
    package let project: ProjectID?
    /// One line of plain text.
    package let title: String
    /// One or more sentences of plain text.
    package let body: String
    /// When it was meant to be shown.
    package let planned: Timestamp
    /// When to show it: `planned`, or now if that has passed.
    package let time: Timestamp
    /// Whether to show it now.
    package var isDue: Bool { planned <= now }

    private let now: Timestamp

    /// `time` is the later of `planned` and `now`.
    init(
        _ id: String, _ kind: Kind, of project: ProjectID?, title: String, body: String, planned: Timestamp,
        now: Timestamp
    ) {
        (self.id, self.kind, self.project, self.title, self.body) = (id, kind, project, title, body)
        (self.planned, self.now, time) = (planned, now, max(planned, now))
    }

    /// A document has far fewer words than before. `version` is the pinned version before. Made once, by the run that
    /// notices it.
    package static func wordsFell(
        of project: ProjectID, title: String, path: String, from before: Int, to after: Int, kept version: VersionID,
        now: Timestamp
    ) -> Reminder {
        let words = after == 1 ? "1 word" : "\(after) words"
        let name = ShellWord.inQuotes(path)
        return Reminder(
            "words-\(version)", .words, of: project, title: title,
            body:
                "It has \(words) now, and had \(before) before. If that was not meant: version \(version.short) is kept, "
                + "and `cue restore \(name) --version \(version.short)` brings it back.",
            planned: now, now: now)
    }
}

// MARK: What is wrong

extension Reminder {
    /// A part of the vault was read back and differs from what was stored.
    static func damage(_ problems: [String], now: Timestamp) -> Reminder {
        let more = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
        return Reminder(
            "damage", .damage, of: nil, title: "The vault is damaged",
            body:
                "\(problems.first ?? "")\(more). What is in your folder is not touched by it; "
                + "`cue check --read-data` says what can still be read.",
            planned: now, now: now)
    }

    /// Nothing is stored, for a reason that does not go away by itself.
    static func error(_ message: String, _ hints: [String], now: Timestamp) -> Reminder {
        Reminder(
            "error", .error, of: nil, title: "Nothing is stored just now",
            body: "\(message). What is stored is safe, and what you write stays in your folder. "
                + (hints.first.map { "What to do: \($0)\($0.hasSuffix("?") ? "" : ".")" }
                    ?? "`cue status` says how it goes."),
            planned: now, now: now)
    }

    /// A person has to choose between versions; nil without any conflict.
    static func conflicts(_ conflicts: [Conflict], now: Timestamp) -> Reminder? {
        guard let first = conflicts.first else { return nil }
        let names = conflicts.prefix(3).map { Display.text($0.path) }.joined(separator: ", ")
        let more = conflicts.count > 3 ? " and \(conflicts.count - 3) more" : ""
        return Reminder(
            conflictID(first.project), .conflict, of: nil,
            title: conflicts.count == 1 ? "A conflict needs you" : "\(conflicts.count) conflicts need you",
            body:
                "Changed on two devices: \(names)\(more). All versions are in the vault; `cue sync` asks which one to keep.",
            planned: now, now: now)
    }

    /// The id of a reminder of a conflict.
    static func conflictID(_ project: ProjectID) -> String { "conflict-\(project)" }
}
