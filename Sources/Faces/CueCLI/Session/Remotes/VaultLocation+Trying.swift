import CueEngine
import CueStorage
import CueVault

extension VaultLocation {
    /// Tries out whether a service does what a vault needs, before anything is asked or copied; a folder is tried by its
    /// first object. Warns of what a vault can do without. Throws `CueError`.
    func tryOut(_ output: Output) throws {
        guard folder == nil else { return }
        output.note(RemoteWords.trying)
        let probe: StoreProbe
        do { probe = StoreProbe(of: try open(writerName: "try").objects) } catch {
            throw CueError.describing(error, vault: description)
        }
        if let (step, outcome) = probe.firstNeeded { throw RemoteWords.notEnough(step, outcome, self) }
        for (step, outcome) in probe.outcomes where outcome != .works && outcome != .notTried {
            if let meaning = RemoteWords.meaning(step) { output.warning(meaning) }
        }
    }
}
