import CueEngine
import CueStorage
import CueVault

/// Sentences about packs of the vault.
enum PackWords {
    /// The pack's name in the vault.
    static func name(_ claim: FalseClaim) -> String { PackRecord.name(of: claim.pack).text }

    /// The names of the commits that make the claim.
    static func commits(_ claim: FalseClaim) -> [String] {
        claim.commits.sorted().map { ObjectRecordLog.name(of: $0).text }
    }

    /// Packs that this device knew, and that are gone or cut.
    static func gone(_ count: Int) -> String {
        count == 1 ? "a pack is gone, or not whole" : "\(count) packs are gone, or not whole"
    }

    /// The false claim, and how to find the documents that depend on it.
    static func sentence(_ claim: FalseClaim) -> String {
        let commits = commits(claim)
        let liar = commits.isEmpty ? "a checkpoint" : commits.joined(separator: ", ")
        return "\(claim.problem.sentence), and \(liar) says that it holds what is in this folder. "
            + "Nothing that is stored now stands on it; `cue check --read-data` names the documents that do"
    }
}
