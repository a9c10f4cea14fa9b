import CueLibrary
import CueStorage
import CueVault

extension OpenLibrary {
    /// The newest state of the vault, as its commits say it. A checkpoint is held against them once, and remembered.
    ///
    /// `listing`: all commits of the log; nil where they are not known yet.
    func newest(of vault: Vault, _ listing: [LogEntry]? = nil) throws -> History {
        let known = try comparedCheckpoint()
        let compared = try ComparedHistory.load(vault, try listing ?? vault.log.all(), compared: known)
        if let name = compared.checkpoint, name != known { try remember(compared: name) }
        if let problem = compared.history.checkpointProblem {
            try store.write { try $0.set(.gap(.checkpoint(problem)), as: .checkProblem) }
        }
        return compared.history
    }

    /// The checkpoint of which this device knows that it says what the commits say.
    func comparedCheckpoint() throws -> ObjectName? {
        try store.read { try $0.value(.comparedCheckpoint) }
    }

    func remember(compared name: ObjectName) throws { try store.write { try $0.set(.comparedCheckpoint, to: name) } }
}
