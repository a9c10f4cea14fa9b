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
        /// How many versions were read for this search.
        package let readVersions: Int
        /// What of the history is missing or does not open; empty if it was not read.
        package let gaps: [HistoryGap]
    }

    /// The most paragraphs that are looked at.
    private static let limit = 2_000
    /// The versions that are read in one transaction: what a search that is stopped has to read again at most.
    private static let batch = 64

    private let index: SearchIndex
    private var isFull = false
    private var readVersions = 0
    private var gaps: [HistoryGap] = []

    /// Searches for words that stand side by side in one paragraph. `remembers`: whether an index may be kept; `rebuilds`:
    /// whether the one that is kept is made anew. `isNow`: only what is still there.
    ///
    /// Throws `StorageError`, `SearchError`, and `Interrupted`; what was read until then is kept.
    package static func run(
        _ words: String, isNow: Bool, rebuilds: Bool, remembers: Bool, _ context: VaultContext, _ library: OpenLibrary?
    ) throws -> Result {
        var search = Search(try index(remembers: remembers, rebuilds: rebuilds, context.vault, library))
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

    private static func index(
        remembers: Bool, rebuilds: Bool, _ vault: Vault, _ library: OpenLibrary?
    ) throws -> SearchIndex {
        guard let library else { return try SearchIndex(inMemoryOf: vault.id.description) }
        let folder = library.state.library(library.marker.library)
        if rebuilds || !remembers { SearchIndex.remove(in: folder) }
        return try remembers
            ? SearchIndex(in: folder, of: vault.id.description) : SearchIndex(inMemoryOf: vault.id.description)
    }

    private func result(_ words: String, isNow: Bool) throws -> Result {
        let (found, areMore) = try index.find(words, limit: Self.limit)
        return Result(
            passages: isNow ? found.filter { $0.cut == nil } : found, areMore: areMore, isFull: isFull,
            readVersions: readVersions, gaps: gaps)
    }

    /// Reads all versions that the index does not have.
    private mutating func catchUp(_ context: VaultContext) throws {
        let known = try index.commits()
        guard try context.vault.log.all().contains(where: { !known.contains($0.position.commit) }) else { return }
        var history = try History.load(context.vault)
        let packs = try history.findPacks(in: context.vault)
        let texts = try Texts(context.vault, history, packs)
        gaps = history.gaps
        let there = try index.versions()
        let order = Self.inOrder(history) { !there.contains($0.id) && $0.header.kind.isDocument }
        var progress = WorkProgress(.reading)
        progress.totalFiles = order.count
        for start in stride(from: 0, to: order.count, by: Self.batch) {
            try context.surroundings.cancellation.throwIfRequested()
            let part = order[start..<min(start + Self.batch, order.count)]
            do { try add(part, history, texts) } catch SearchError.full { return isFull = true }
            progress.files += part.count
            context.reporter.progress(progress)
        }
        readVersions = order.count
        // A commit that could not be read is tried again by the next search.
        try index.write { writing in
            for position in history.commits.keys where !known.contains(position.commit) {
                try writing.note(position.commit)
            }
        }
    }

    private func add(_ versions: ArraySlice<History.Version>, _ history: History, _ texts: Texts) throws {
        try index.write { writing in
            for version in versions {
                try writing.add(
                    Self.version(version, history), texts.sections(of: version)?.map { ($0.title, $0.text) } ?? []
                ) { parent in
                    history.versions[parent].flatMap { texts.sections(of: $0) }?.map { ($0.title, $0.text) } ?? []
                }
            }
        }
    }

    private static func version(_ version: History.Version, _ history: History) -> SearchIndex.Version {
        SearchIndex.Version(
            id: version.id, project: version.header.project, parents: version.header.parents, time: version.time,
            device: history.name(of: version.device), path: Display.text(version.header.path))
    }

    /// The wanted versions, each behind those that it came from; else in the order of their times.
    private static func inOrder(
        _ history: History, _ isWanted: (History.Version) -> Bool
    ) -> [History.Version] {
        let wanted = history.versions.values.filter(isWanted).sorted { ($0.time, $0.id) < ($1.time, $1.id) }
        let ids = Set(wanted.map(\.id))
        var order: [History.Version] = []
        var done: Set<VersionID> = []
        var entered: Set<VersionID> = []
        for version in wanted {
            var open = [version]
            while let next = open.last {
                let before = next.header.parents.filter { ids.contains($0) && !done.contains($0) }
                // Hostile versions may come from each other; each is entered once.
                if !before.isEmpty, entered.insert(next.id).inserted {
                    open += before.compactMap { history.versions[$0] }
                } else {
                    open.removeLast()
                    if done.insert(next.id).inserted { order.append(next) }
                }
            }
        }
        return order
    }
}
