import CueBase
import CueEvents
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// The result of reading a candidate, with what is known of its project.
struct FinishedDocument {
    let candidate: Scan.Candidate
    /// The project of another path that the candidate is; nil unless it was moved.
    let move: (path: RelativePath, entry: ScanEntry)?
    let outcome: UnitResult.Outcome
    /// The members of a bundle's last version; nil for other kinds, or if they are unknown.
    let oldMembers: [MemberEntry]?
}
