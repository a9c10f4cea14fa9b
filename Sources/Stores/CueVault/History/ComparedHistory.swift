package import CueStorage

/// The newest state, as all commits say it: a checkpoint counts for speed alone (docs/format.md §8).
package struct ComparedHistory: Sendable {
    /// With what is wrong with the newest checkpoint, if anything is.
    package let history: History
    /// The checkpoint that says the same as the commits; nil where none was held against them.
    package let checkpoint: ObjectName?

    /// A checkpoint that was compared is gone on from until another sums up so many commits more.
    private static let patience = 256

    /// Begins with the checkpoint that this device has compared. Where there is none, or a much newer one, all commits are read, and the
    /// newest checkpoint is held against them.
    ///
    /// `log`: all commits.
    package static func load(
        _ vault: Vault, _ log: [LogEntry], compared: ObjectName?
    ) throws -> ComparedHistory {
        let entries = try Checkpoint.entries(in: vault)
        if let known = entries.first(where: { $0.name == compared }), !isOutrun(known.covered, entries, log) {
            return ComparedHistory(
                history: try History.loadLatest(vault, log, from: known.name), checkpoint: known.name)
        }
        // As large as all that is alive: gone before the history comes.
        let claims = try newestClaims(entries, vault)
        var history = try History.load(vault, log)
        let verdict = claims?.verdict(history)
        if case .differs(.wrong(let name))? = verdict { history.checkpointProblem = .wrong(name) }
        return ComparedHistory(history: history, checkpoint: verdict == .same ? claims?.name : nil)
    }

    /// Whether a checkpoint sums up so many commits more. A name is a claim: none sums up more commits than there are.
    private static func isOutrun(
        _ covered: Int, _ entries: [(name: ObjectName, covered: Int, size: Int)], _ log: [LogEntry]
    ) -> Bool {
        entries.contains { $0.covered - covered >= patience && $0.covered <= log.count }
    }

    /// Of the one that covers most and opens.
    private static func newestClaims(
        _ entries: [(name: ObjectName, covered: Int, size: Int)], _ vault: Vault
    ) throws -> CheckpointClaims? {
        for entry in entries.prefix(8) {
            let checkpoint: RecordObject
            do { checkpoint = try Checkpoint.read(entry.name, size: entry.size, of: vault) } catch is VaultError {
                continue
            }
            return try? CheckpointClaims(checkpoint, entry.name, count: entry.covered)
        }
        return nil
    }
}
