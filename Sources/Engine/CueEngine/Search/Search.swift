import CueBase
import CueLibrary
package import CueSearch
import CueStorage
import CueSystem
import CueText
package import CueVault

/// Finds passages in all versions of all documents.
///
/// The first search of a library makes an index in this device's state folder. Later ones add what has come since, and
/// so does each backup, as far as it knows the text. Where the vault's key is not remembered there is no index: each
/// search reads the vault.
package struct Search {
    /// What was found.
    package struct Result: Sendable {
        /// By document, the one with the newest first.
        package let passages: [SearchIndex.Passage]
        /// Whether more was found than was looked at.
        package let areMore: Bool
        /// Whether the index is as large as it may be, so that newer text is not in it.
        package let isFull: Bool
        /// How many versions could not be read; the next search tries again.
        package let unread: Int
        /// What of the history is missing or does not open; empty if it was not read.
        package let gaps: [HistoryGap]
    }

    /// The most paragraphs that are looked at.
    private static let limit = 2_000
    /// The versions that are read in one transaction: what a search that is stopped has to read again at most.
    private static let batch = 64
    /// And the text in one transaction, in bytes, but for the last version.
    private static let batchBytes = 16 << 20

    private let index: SearchIndex
    private var isFull = false
    private var unread = 0
    private var gaps: [HistoryGap] = []

    /// Searches for words that stand side by side in one paragraph. `library`: the library that may keep an index, nil
    /// for a vault alone. `rebuilds`: whether the index that is kept is made anew. `isNow`: only what is still there.
    ///
    /// Throws `StorageError`, `SearchError`, and `Interrupted`; what was read until then is kept.
    package static func run(
        _ words: String, isNow: Bool, rebuilds: Bool, _ context: VaultContext, _ library: OpenLibrary?
    ) throws -> Result {
        let vault = context.vault.id.description
        guard let library, library.marker.rememberKey else {
            if let library { SearchIndex.remove(in: library.state.library(library.marker.library)) }
            return try run(words, isNow: isNow, context, SearchIndex(inMemoryOf: vault))
        }
        let folder = library.state.library(library.marker.library)
        if rebuilds { SearchIndex.remove(in: folder) }
        do {
            return try run(words, isNow: isNow, context, SearchIndex(in: folder, of: vault))
        } catch SearchError.noSpace {
            // Backups need the room.
            SearchIndex.remove(in: folder)
            throw SearchError.noSpace
        } catch let error as SearchError where error.isOfFile {
            // Damage inside of the file shows only when it is read.
            SearchIndex.remove(in: folder)
            return try run(words, isNow: isNow, context, SearchIndex(in: folder, of: vault))
        }
    }

    private static func run(
        _ words: String, isNow: Bool, _ context: VaultContext, _ index: SearchIndex
    ) throws -> Result {
        var search = Search(index)
        try search.catchUp(context)
        return try search.result(words, isNow: isNow)
    }

    /// The same in what the index holds, without the vault. nil if there is no index.
    package static func runOffline(_ words: String, isNow: Bool, _ library: OpenLibrary) throws -> Result? {
        let folder = library.state.library(library.marker.library)
        guard SearchIndex.exists(in: folder), let vault = try library.store.read({ try $0.value(.vault) }) else {
            return nil
        }
        return try Search(try SearchIndex(in: folder, of: vault.description)).result(words, isNow: isNow)
    }

    private init(_ index: SearchIndex) { self.index = index }

    private func result(_ words: String, isNow: Bool) throws -> Result {
        let (found, areMore) = try index.find(words, limit: Self.limit)
        return Result(
            passages: isNow ? found.filter { $0.cut == nil } : found, areMore: areMore, isFull: isFull,
            unread: unread, gaps: gaps)
    }

    /// Reads all versions that the index does not have.
    private mutating func catchUp(_ context: VaultContext) throws {
        let known = try index.commits()
        guard try context.vault.commits().contains(where: { !known.contains($0.position.commit) }) else { return }
        var history = try History.load(context.vault)
        let packs = try history.findPacks(in: context.vault)
        let texts = try Texts(context.vault, history, packs)
        gaps = history.gaps
        var there = try index.versions()
        // What was given up is not offered, and its content may be gone.
        let retired = FullHistory(history)?.retiredVersions ?? []
        let removed = there.intersection(retired)
        if !removed.isEmpty { try index.write { writing in try writing.remove(removed) } }
        there.formUnion(retired)
        // In the order of their times, as their content lies in the vault.
        let new = history.versions.values.filter { !there.contains($0.id) && $0.header.kind.isDocument }
            .sorted { ($0.time, $0.id) < ($1.time, $1.id) }
        var open: Set<CommitID> = []
        var progress = WorkProgress(.reading)
        progress.totalFiles = new.count
        var next = 0
        while next < new.count {
            // Read first: while the index is written to, others wait.
            var batch: [(SearchIndex.Version, [SearchIndex.Part])] = []
            var bytes = 0
            while next < new.count, batch.count < Self.batch, bytes < Self.batchBytes {
                let version = new[next]
                next += 1
                progress.path = version.header.path
                try context.surroundings.cancellation.throwIfRequested()
                do {
                    let parts = try texts.text(of: version)?.map { ($0.title, $0.text) } ?? []
                    bytes += parts.reduce(0) { $0 + $1.1.utf8.count }
                    batch.append((Self.version(version, history), parts))
                } catch is VaultError {
                    // Content that has not arrived, or is damaged: the next search tries again.
                    open.insert(version.id.commit)
                    unread += 1
                }
                progress.files += 1
            }
            do {
                try index.write { writing in for (version, parts) in batch { try writing.add(version, parts) } }
            } catch SearchError.full {
                guard try index.isAtLimit() else { throw SearchError.noSpace }
                return isFull = true
            }
            context.reporter.progress(progress)
        }
        // A commit that could not be read is none of these, and is tried again.
        let done = history.commits.keys.map(\.commit).filter { !known.contains($0) && !open.contains($0) }
        try index.write { writing in for commit in done { try writing.note(commit) } }
    }

    private static func version(_ version: History.Version, _ history: History) -> SearchIndex.Version {
        SearchIndex.Version(
            id: version.id, project: version.header.project, parents: version.header.parents, time: version.time,
            device: history.name(of: version.device), path: Display.text(version.header.path))
    }
}
