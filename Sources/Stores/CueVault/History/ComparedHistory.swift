package import CueStorage

/// The newest state as all commits have it. A checkpoint counts for speed alone (docs/format.md §8).
package struct ComparedHistory: Sendable {
    /// The state, with the problem of the newest checkpoint in `checkpointProblem` if it is wrong.
    package let history: History
    /// The checkpoint that agrees with the commits; nil if none was compared, or if it does not agree.
    package let checkpoint: ObjectName?

    /// A compared checkpoint is used until another one covers so many commits more.
    private static let patience = 256

    /// Starts from the checkpoint that this device has compared before. If there is none, or a much newer one, it reads
    /// all commits and compares the newest checkpoint with them.
    ///
    /// `log` is all commits as listed, `compared` the name of that checkpoint. Damaged commits are noted in the
    /// history. Throws `StorageError`.
    package static func load(
        _ vault: Vault, _ log: [LogEntry], compared: ObjectName?
    ) throws -> ComparedHistory {
        let entries = try Checkpoint.entries(in: vault)
        if let known = entries.first(where: { $0.name == compared }), !isOutrun(known.covered, entries, log) {
            return ComparedHistory(
                history: try History.loadLatest(vault, log, from: known.name), checkpoint: known.name)
        }
        // Keep the claims alone: a checkpoint is as large as all live versions, and the history needs memory too.
        let claims = try newestClaims(entries, vault)
        var history = try History.load(vault, log)
        let verdict = claims?.verdict(history)
        if case .differs(.wrong(let name))? = verdict { history.checkpointProblem = .wrong(name) }
        return ComparedHistory(history: history, checkpoint: verdict == .same ? claims?.name : nil)
    }

    /// True if a checkpoint covers so many commits more. A name may claim any number; none covers more commits than
    /// there are.
    private static func isOutrun(
        _ covered: Int, _ entries: [(name: ObjectName, covered: Int, size: Int)], _ log: [LogEntry]
    ) -> Bool {
        entries.contains { $0.covered - covered >= patience && $0.covered <= log.count }
    }

    /// The claims of the checkpoint that covers most and opens; nil if none of the first eight opens, or if its members
    /// break a rule.
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
