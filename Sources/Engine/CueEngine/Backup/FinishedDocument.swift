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

    /// The entry that the local store has of it, under this or another path; nil for a new document.
    var known: ScanEntry? { candidate.old ?? move?.entry }

    /// What was found of a file that is unchanged by its size and times.
    enum Reading {
        /// It changed, or was not read again.
        case new
        /// It has the content that was stored.
        case same
        /// It has another content, and no program wrote that.
        case damaged
    }

    /// Compares a file that was read again with what was stored. A file system may give it other times and modes than
    /// its version has: only the content counts.
    func content(in again: LostContent, _ vault: Vault) -> Reading {
        guard candidate.kind == .file, move == nil, let known, let stored = again.content(of: known.project),
            case .stored(let members, isUnsettled: false) = outcome, members.first?.stat == known.stat
        else { return .new }
        let read = members.map(\.member)
        let isSame =
            vault.fingerprint(of: read) == known.fingerprint || vault.contentFingerprint(of: read) == stored
        return isSame ? .same : .damaged
    }
}
