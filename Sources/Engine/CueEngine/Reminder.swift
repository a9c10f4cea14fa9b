package import CueBase

/// One thing that cue says by itself, and when.
package struct Reminder: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case nudge, deadline, snooze, backup, words
        /// What a watcher cannot mend by itself.
        case damage, error, conflict
    }

    /// The same as long as it speaks of the same: `nudge-<project>`, `deadline-<project>-24h`, `-morning` or `-overdue`,
    /// `snooze-<project>-<time>`, `backup`, `words-<version>`, `damage`,
    /// `error`, `conflict-<project>`.
    package let id: String
    package let kind: Kind
    package let project: ProjectID?
    package let title: String
    package let body: String
    /// When it was to be said.
    package let planned: Timestamp
    /// When to say it: `planned`, or now where that has passed.
    package let time: Timestamp
    /// Whether it is to be said now.
    package var isDue: Bool { planned <= now }

    private let now: Timestamp

    init(
        _ id: String, _ kind: Kind, of project: ProjectID?, title: String, body: String, planned: Timestamp,
        now: Timestamp
    ) {
        (self.id, self.kind, self.project, self.title, self.body) = (id, kind, project, title, body)
        (self.planned, self.now, time) = (planned, now, max(planned, now))
    }

    /// That a document has far fewer words than before. Said once, by whoever noticed it and keeps the version before.
    package static func wordsFell(
        of project: ProjectID, title: String, path: String, from before: Int, to after: Int, kept version: VersionID,
        now: Timestamp
    ) -> Reminder {
        let words = after == 1 ? "1 word" : "\(after) words"
        let name = "'" + path.replacing("'", with: "'\\''") + "'"
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
    /// That a part of the vault, read back, was not what was stored.
    static func damage(_ problems: [String], now: Timestamp) -> Reminder {
        let more = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
        return Reminder(
            "damage", .damage, of: nil, title: "The vault is damaged",
            body:
                "\(problems.first ?? "")\(more). What is in your folder is not touched by it; "
                + "`cue check --read-data` says what can still be read.",
            planned: now, now: now)
    }

    /// That nothing is stored, for a reason that does not go away by itself.
    static func error(_ message: String, _ hints: [String], now: Timestamp) -> Reminder {
        Reminder(
            "error", .error, of: nil, title: "Nothing is stored just now",
            body: "\(message). What is stored is safe, and what you write stays in your folder. "
                + (hints.first.map { "What to do: \($0)\($0.hasSuffix("?") ? "" : ".")" }
                    ?? "`cue status` says how it goes."),
            planned: now, now: now)
    }

    /// That somebody has to choose.
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

    static func conflictID(_ project: ProjectID) -> String { "conflict-\(project)" }
}
