import CueBase
import CueEvents
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// A result with everything that is known of its document.
struct FinishedDocument {
    let candidate: Scan.Candidate
    let move: (path: RelativePath, entry: ScanEntry)?
    let outcome: UnitResult.Outcome
    let oldMembers: [MemberEntry]?
}
