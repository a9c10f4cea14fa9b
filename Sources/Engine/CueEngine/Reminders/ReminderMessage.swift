package import CueBase
package import CueLibrary

/// What a reminder tells. `title` is the name of a project.
package enum ReminderMessage: Sendable, Equatable {
    /// Time to write. `days`: since the last work; `choice` picks one of several texts, always the same for the same
    /// reminder.
    case nudge(title: String, ProjectSettings.NudgeMode, days: Int, choice: Int)
    /// A deadline on a local day at a local time, which is so many days away; negative behind it.
    case deadline(title: String, inDays: Int, isPast: Bool, day: String, time: String)
    /// The end of a snooze.
    case snoozed(title: String)
    /// No backup for so many days, since this local day.
    case backup(days: Int, last: String)
    /// A document has far fewer words than before; the version before is kept.
    case wordsFell(title: String, path: RelativePath, from: Int, to: Int, kept: VersionID)
    /// A part of the vault was read back and differs from what was stored; with the number of further problems.
    case damaged(VaultProblem, more: Int)
    /// Nothing is stored, for a reason that does not go away by itself.
    case failing(Failure)
    /// A person has to choose between versions of these documents.
    case conflicts([RelativePath])
}
