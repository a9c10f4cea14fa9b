package import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// The answers that a sync was given.
struct SyncAnswers {
    var answers: [ProjectID: SyncAnswer] = [:]
    /// The answer to every other conflict; nil to leave them open.
    var rest: Keep?
    /// The versions that the disk gets although their projects are in conflict: answers that are undone.
    var forced: [ProjectID: VersionID] = [:]

    /// The answer to this conflict as it is now: one that was given to other versions does not count.
    subscript(conflict: Conflict) -> Keep? {
        // An answer for all conflicts is not used where it does not pick one side.
        guard let answer = answers[conflict.project] else { return rest.flatMap { conflict.allows($0) ? $0 : nil } }
        return answer.heads == conflict.heads ? answer.keep : nil
    }
}

/// A person's answer to one conflict.
package struct SyncAnswer: Sendable {
    /// The heads that were shown. If the project has others by now, the answer is not used.
    package let heads: Set<VersionID>
    /// The side that the person chose.
    package let keep: Keep

    /// Binds the answer to the heads of the conflict.
    package init(to conflict: Conflict, _ keep: Keep) { (heads, self.keep) = (conflict.heads, keep) }
}
