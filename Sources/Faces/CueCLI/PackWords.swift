import CueEngine
import CueStorage
import CueVault

/// The words for packs of the vault.
enum PackWords {
    static func name(_ claim: FalseClaim) -> String { PackRecord.name(of: claim.pack).text }

    /// The commits that make the claim, by their names in the vault.
    static func commits(_ claim: FalseClaim) -> [String] {
        claim.commits.sorted().map { ObjectRecordLog.name(of: $0).text }
    }

    static func sentence(_ claim: FalseClaim) -> String {
        let commits = commits(claim)
        let liar = commits.isEmpty ? "a checkpoint" : commits.joined(separator: ", ")
        return "\(claim.problem.sentence), and \(liar) says that it holds what is in this folder. "
            + "Nothing that is stored now stands on it; `cue check --read-data` names the documents that do"
    }
}
