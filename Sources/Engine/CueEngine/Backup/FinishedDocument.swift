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

    /// The entry of a file whose times and size are as they were and whose content is not: no program wrote that. nil
    /// for anything else.
    func damaged(_ vault: Vault) -> ScanEntry? {
        guard candidate.kind == .file, let known = candidate.old ?? move?.entry,
            case .stored(let members, isUnsettled: false) = outcome, members.first?.stat == known.stat,
            vault.fingerprint(of: members.map(\.member)) != known.fingerprint
        else { return nil }
        return known
    }
}
