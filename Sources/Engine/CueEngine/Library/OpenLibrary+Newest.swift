import CueLibrary
import CueStorage
import CueVault

extension OpenLibrary {
    /// The newest state of the vault, according to its commits. A checkpoint is compared with them once, and its name
    /// noted.
    ///
    /// `listing`: all commits of the log; nil to list them here.
    func newest(of vault: Vault, _ listing: [LogEntry]? = nil) throws -> History {
        let known = try comparedCheckpoint()
        let compared = try ComparedHistory.load(vault, try listing ?? vault.commits(), compared: known)
        if let name = compared.checkpoint, name != known { try remember(compared: name) }
        if let problem = compared.history.checkpointProblem {
            try store.write { try $0.set(.gap(.checkpoint(problem)), as: .checkProblem) }
        }
        return compared.history
    }

    /// The checkpoint that this device has compared with the commits; nil if there is none.
    func comparedCheckpoint() throws -> ObjectName? {
        try store.read { try $0.value(.comparedCheckpoint) }
    }

    /// Notes the checkpoint that was found to match the commits.
    func remember(compared name: ObjectName) throws { try store.write { try $0.set(.comparedCheckpoint, to: name) } }
}
