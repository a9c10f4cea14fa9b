package import CueBase

/// One thing that cue says by itself, and when.
package struct Reminder: Sendable, Equatable {
    package enum Kind: String, Sendable { case nudge, deadline, snooze, backup, words }

    /// The same as long as it speaks of the same: `nudge-<project>`, `deadline-<project>-24h`, `-morning` or `-overdue`,
    /// `snooze-<project>-<time>`, `backup`, `words-<version>`.
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
        of project: ProjectID, title: String, from before: Int, to after: Int, kept version: VersionID, now: Timestamp
    ) -> Reminder {
        let words = after == 1 ? "1 word" : "\(after) words"
        return Reminder(
            "words-\(version)", .words, of: project, title: title,
            body:
                "It has \(words) now, and had \(before) before. If that was not meant: version \(version.short) is kept, "
                + "and `cue restore --version \(version.short)` with its name brings it back.",
            planned: now, now: now)
    }
}
