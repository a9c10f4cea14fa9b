import CueBase
import CueEngine
import CueStorage
import CueTerminal
import CueVault

/// Sentences about packs and commits of the vault that are gone or false.
enum PackWords {
    /// The pack's name in the vault.
    static func name(_ claim: FalseClaim) -> String { claim.name.text }

    /// The names of the commits that make the claim.
    static func commits(_ claim: FalseClaim) -> [String] {
        claim.commits.sorted().map { ObjectRecordLog.name(of: $0).text }
    }

    /// Packs that this device knew, and that are gone or cut.
    static func gone(_ count: Int) -> String {
        count == 1 ? "a pack is gone, or not whole" : "\(count) packs are gone, or not whole"
    }

    /// A warning of a run that found packs gone or cut.
    static func lost(_ count: Int) -> String {
        let (packs, holder) =
            count == 1 ? ("a pack of the vault is", "it") : ("\(count) packs of the vault are", "they")
        return "\(packs) gone, or not whole: content that only \(holder) held may be lost; "
            + "`cue check` names the documents"
    }

    /// Documents that were stored again; nil if there were none.
    static func storedAgain(_ paths: [RelativePath]) -> String? {
        guard let first = paths.first else { return nil }
        return paths.count == 1
            ? "\(Display.text(first)): the vault had lost a part of it; it was stored again from this folder"
            : "the vault had lost parts of \(Style.number(paths.count)) documents, \(Display.text(first)) among them; they were stored again from this folder"
    }

    /// The vault lacks commits that this device has seen.
    static func wentBack(_ missing: Int) -> String {
        "the vault went back in time: \(Style.count(missing, "commit")) that this device has seen \(missing == 1 ? "is" : "are") no longer there"
    }

    /// The vault lacks a change of its keys that this device has seen.
    static func keysWentBack(_ missing: Int) -> String {
        "the vault went back in time: \(Style.count(missing, "change")) of its keys that this device has seen \(missing == 1 ? "is" : "are") no longer there"
    }

    /// The same, for a command that only shows what the vault holds.
    static func older(_ missing: Int) -> String {
        "\(wentBack(missing)). What is shown is older than what was stored. Was an old copy of the vault put in place, or is a sync service still at work?"
    }

    /// The same of a copy, or of a vault of which only the place was named.
    static func olderCopy(_ missing: Int) -> String {
        "the vault there is older than what this device has seen: \(Style.count(missing, "commit")) \(missing == 1 ? "is" : "are") not in it. What is shown is older than what was stored."
    }

    /// The false claim, and how to find the documents that depend on it.
    static func sentence(_ claim: FalseClaim) -> String {
        let commits = commits(claim)
        let liar = commits.isEmpty ? "a checkpoint" : commits.joined(separator: ", ")
        return "\(claim.problem.sentence), and \(liar) says that it holds what is in this folder. "
            + "Nothing that is stored now stands on it; `cue check --read-data` names the documents that do"
    }
}
