package import CueBase
import CueSystem
package import CueVault

/// What one snapshot changed, document by document.
package struct SnapshotChanges: Sendable {
    /// A document that the snapshot changed.
    package struct Change: Sendable {
        /// The ways in which a document changes.
        package enum Kind: String, Sendable {
            /// It was not there before.
            case new
            /// It was deleted, and is there again.
            case back
            /// It has other content.
            case changed
            /// It has another name, and perhaps other content.
            case renamed
            /// It has other times or rights, and the same content.
            case touched
            /// It was deleted.
            case deleted
        }

        package let kind: Kind
        /// The version that the snapshot brought.
        package let version: History.Version
        /// Its name before; nil if it is the same.
        package let renamedFrom: RelativePath?
        /// The words that came and went; nil if cue cannot read the text.
        package let words: (added: Int, removed: Int)?
        /// The number of versions in whose place it alone came; 0 if it came from one or none.
        package let joined: Int
    }

    /// The snapshot.
    package let snapshot: SnapshotLog.Entry
    /// In the order of their paths.
    package let changes: [Change]
    /// What of the history is missing or does not open.
    package let gaps: [HistoryGap]

    /// Compares each document of a snapshot with the version that it came from. `text`: a snapshot or time as people
    /// type it. Throws `EngineError` and `VaultError` if there is no such snapshot.
    package static func of(_ text: String, _ context: VaultContext) throws -> SnapshotChanges {
        var past = try FullHistory.load(context.vault)
        let packs = try past.history.findPacks(in: context.vault)
        let texts = try Texts(context.vault, past.history, packs)
        let position = try SnapshotSelector.find(text, in: past, at: context.surroundings.clock.now)
        let log = SnapshotLog(past)
        guard let entry = log.entries.first(where: { $0.position == position }) else {
            throw EngineError.nothingAt(text, first: past.snapshots.first?.record.time)
        }
        return SnapshotChanges(entry, log, texts)
    }

    /// The same for the newest snapshots of a log, `limit` of them at most.
    package static func newest(_ limit: Int, of log: SnapshotLog, _ context: VaultContext) throws -> [SnapshotChanges] {
        var history = log.history
        let packs = try history.findPacks(in: context.vault)
        let texts = try Texts(context.vault, history, packs)
        return log.entries.prefix(limit).map { SnapshotChanges($0, log, texts) }
    }

    private init(_ entry: SnapshotLog.Entry, _ log: SnapshotLog, _ texts: Texts) {
        let versions = log.versions(of: entry.position)
        let settled = Set(SnapshotLog.settled(versions, log.answers).map(\.id))
        let changes = versions.filter { version in
            version.header.kind.isDocument && log.folder.map { version.header.path.isInside($0) } ?? true
        }.map { Change($0, isSettled: settled.contains($0.id), log.history, texts) }
        (snapshot, gaps) = (entry, log.gaps)
        self.changes = changes.sorted { $0.version.header.path < $1.version.header.path }
    }
}

extension SnapshotChanges.Change {
    fileprivate init(_ version: History.Version, isSettled: Bool, _ history: History, _ texts: Texts) {
        self.version = version
        let header = version.header
        joined = isSettled ? header.parents.count : 0
        let parent = header.parents.first.flatMap { history.versions[$0] }
        renamedFrom = parent.flatMap {
            $0.header.path == header.path || $0.header.isTombstone || header.isTombstone ? nil : $0.header.path
        }
        // A document without a list that can be read counts as changed, without words.
        let diff = try? DocumentDiff(
            header.path, parent.map { try DocumentDiff.end($0, history, texts) } ?? .nothing,
            DocumentDiff.end(version, history, texts), gaps: [])
        words = diff.flatMap { diff in
            diff.old.words == nil || diff.new.words == nil ? nil : (diff.addedWords, diff.removedWords)
        }
        kind =
            if header.isTombstone { .deleted } else if let parent {
                if parent.header.isTombstone {
                    .back
                } else if renamedFrom != nil {
                    .renamed
                } else {
                    diff?.isEmpty ?? false ? .touched : .changed
                }
            } else { .new }
    }
}
