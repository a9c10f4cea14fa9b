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
    /// What it tells.
    package let message: ReminderMessage
    /// When it was meant to be shown.
    package let planned: Timestamp
    /// When to show it: `planned`, or now if that has passed.
    package let time: Timestamp
    /// Whether to show it now.
    package var isDue: Bool { planned <= now }

    private let now: Timestamp

    /// `time` is the later of `planned` and `now`.
    init(
        _ id: String, _ kind: Kind, of project: ProjectID?, _ message: ReminderMessage, planned: Timestamp,
        now: Timestamp
    ) {
        (self.id, self.kind, self.project, self.message) = (id, kind, project, message)
        (self.planned, self.now, time) = (planned, now, max(planned, now))
    }

    /// A document has far fewer words than before. `version` is the pinned version before. Made once, by the run that
    /// notices it.
    package static func wordsFell(
        of project: ProjectID, title: String, path: RelativePath, from before: Int, to after: Int,
        kept version: VersionID,
        now: Timestamp
    ) -> Reminder {
        Reminder(
            "words-\(version)", .words, of: project,
            .wordsFell(title: title, path: path, from: before, to: after, kept: version), planned: now, now: now)
    }
}

// MARK: What is wrong

extension Reminder {
    /// A part of the vault was read back and differs from what was stored.
    static func damage(_ problem: VaultProblem, more: Int, now: Timestamp) -> Reminder {
        Reminder("damage", .damage, of: nil, .damaged(problem, more: more), planned: now, now: now)
    }

    /// Nothing is stored, for a reason that does not go away by itself.
    static func error(_ failure: Failure, now: Timestamp) -> Reminder {
        Reminder("error", .error, of: nil, .failing(failure), planned: now, now: now)
    }

    /// A person has to choose between versions; nil without any conflict.
    static func conflicts(_ conflicts: [Conflict], now: Timestamp) -> Reminder? {
        guard let first = conflicts.first else { return nil }
        return Reminder(
            conflictID(first.project), .conflict, of: nil, .conflicts(conflicts.map(\.path)), planned: now, now: now)
    }

    /// The id of a reminder of a conflict.
    static func conflictID(_ project: ProjectID) -> String { "conflict-\(project)" }
}
