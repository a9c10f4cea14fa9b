package import CueStorage

/// A history of which all commits were read, so that it knows the past of every version.
///
/// A `History` may be the newest state alone: a checkpoint, and the commits after it. Ancestry, snapshots and older
/// states are questions to this type. It has all properties of `History` too.
@dynamicMemberLookup
package struct FullHistory: Sendable {
    /// What was read. Its packs may be looked for (`History.findPacks`), and nothing else changes.
    package var history: History { didSet { assert(!history.isSummary) } }

    /// nil if a checkpoint stands for some of the commits.
    package init?(_ history: History) {
        guard !history.isSummary else { return nil }
        self.history = history
    }

    /// Reads all commits. Damaged ones are noted, as by `History.load`. Throws `StorageError`.
    package static func load(_ vault: Vault) throws -> FullHistory { try FullHistory(reading: vault) }

    private init(reading vault: Vault) throws { history = try History.load(vault) }

    /// Reads the commits that came since. `log`: all commits as listed.
    ///
    /// Returns false, and is of no use any more, if that may not be enough: a commit is gone, or something is missing
    /// or damaged that a checkpoint may have. Throws `StorageError`.
    package mutating func follow(_ log: [LogEntry], of vault: Vault) throws -> Bool {
        // What stood in a commit itself is elsewhere once it stands in a run.
        guard
            log.allSatisfy({
                $0.run == nil || history.commitsInRuns.contains($0.position) || history.commits[$0.position] == nil
            })
        else { return false }
        let new = log.filter { history.commits[$0.position] == nil }
        guard history.isComplete, log.count == history.commits.count + new.count, !log.haveTwins else { return false }
        if !new.isEmpty { try history.extend(by: new, of: vault) }
        return history.isComplete
    }

    /// A property of the history.
    package subscript<Value>(dynamicMember path: KeyPath<History, Value>) -> Value { history[keyPath: path] }
}
