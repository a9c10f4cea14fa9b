package import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// The answers that a sync was given.
struct SyncAnswers {
    var answers: [ProjectID: SyncAnswer] = [:]
    /// What to do with every other conflict.
    var rest: Keep?

    /// The answer to this conflict as it is now: one that was given to other versions does not count.
    subscript(conflict: Conflict) -> Keep? {
        // One answer for all passes over those to which it says nothing.
        guard let answer = answers[conflict.project] else { return rest.flatMap { conflict.allows($0) ? $0 : nil } }
        return answer.heads == conflict.heads ? answer.keep : nil
    }
}

package struct SyncAnswer: Sendable {
    package let heads: Set<VersionID>
    package let keep: Keep

    package init(to conflict: Conflict, _ keep: Keep) { (heads, self.keep) = (conflict.heads, keep) }
}
