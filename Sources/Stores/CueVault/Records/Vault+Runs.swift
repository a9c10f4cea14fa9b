import CueBase
import CueCrypto
package import CueStorage
import Synchronization

extension Vault {
    /// All commits, those in runs too, sorted; each once. A commit of its own comes before one in a run. Throws
    /// `StorageError`.
    package func commits() throws -> [LogEntry] { try commits(after: .start).entries }

    /// The commits after a cursor, with those that the runs hold which were found with them. A run that does not open has
    /// none. Of one whose commits all stand by themselves, too, only the list is read.
    ///
    /// Where only what is new was listed and something is gone, everything is listed: it may stand in a run now.
    package func commits(after cursor: LogCursor) throws -> LogNews {
        var news = try log.news(after: cursor)
        if !news.isWhole, !news.lost.isEmpty { news = try log.news(after: .start) }
        var broken: [RunEntry: VaultError] = [:]
        defer { openRuns.withLock { $0.broken = broken } }
        guard !news.runs.isEmpty else { return news }
        var holders: [LogPosition: [RunEntry]] = [:]
        var shares: [RunEntry: Int] = [:]
        for run in news.runs {
            let marks: [CommitMark]
            do { marks = try self.marks(of: run) } catch let error as VaultError {
                broken[run] = error
                continue
            }
            shares[run] = run.size / max(1, marks.count)
            for mark in marks { holders[mark.position, default: []].append(run) }
        }
        var entries = news.entries.map { entry in
            holders.removeValue(forKey: entry.position).map {
                LogEntry(position: entry.position, size: entry.size, copies: $0)
            } ?? entry
        }
        // A list alone proves nothing, and what stands nowhere else must not count as there by it.
        let needed = Set(holders.values.joined())
        for run in needed.sorted() where !openRuns.withLock({ $0.wasOpened(run) }) {
            do { _ = try self.run(run) } catch let error as VaultError { broken[run] = error }
        }
        for (position, runs) in holders {
            let whole = runs.filter { broken[$0] == nil }
            guard let first = whole.first else { continue }
            entries.append(
                LogEntry(position: position, size: shares[first] ?? 0, in: first, copies: Array(whole.dropFirst())))
        }
        entries.sort { $0.position < $1.position }
        return LogNews(entries, runs: news.runs, cursor: news.cursor, isWhole: news.isWhole, lost: news.lost)
    }

    /// The runs whose lists did not open in the last listing, in order, with the reason.
    var brokenRuns: [(run: RunEntry, error: VaultError)] {
        openRuns.withLock(\.broken).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The commits that a run lists, in order. Only the front of the run is read, once for each process as long as there
    /// is room to remember it.
    ///
    /// Throws `VaultError.damaged` or `.missing`, and `StorageError` for an error that heals by itself.
    func marks(of entry: RunEntry) throws -> [CommitMark] {
        if let known = openRuns.withLock({ $0.marks(of: entry) }) { return known }
        let marks = try object(entry.name) {
            let plaintext = try PlainReader(
                .object(objects, entry.name, size: entry.size), of: self, .run, entry.name)
            return try OpenRun.marks(plaintext, of: entry)
        }
        openRuns.withLock { $0.remember(marks, of: entry) }
        return marks
    }

    /// Opens a run, and checks all that it holds. Some are remembered.
    ///
    /// Throws `VaultError.damaged` or `.missing`, and `StorageError` for an error that heals by itself.
    func run(_ entry: RunEntry) throws -> OpenRun {
        if let known = openRuns.withLock({ $0.run(entry) }) { return known }
        let run = try object(entry.name) {
            let context = context(.run, entry.name)
            let plaintext = try PlainReader(
                .object(objects, entry.name, size: entry.size), of: self, .run, entry.name)
            return try OpenRun(plaintext, of: entry, self, context)
        }
        openRuns.withLock { $0.remember(run, of: entry) }
        return run
    }

    /// Lists the packs and the commits; `known` are the commits if they were listed a moment ago. Throws `StorageError`.
    package func presentPacks(_ known: [LogEntry]? = nil) throws -> PresentPacks {
        PresentPacks(
            sizes: Dictionary(
                try objects.list("packs").compactMap { entry in
                    PackRecord.id(of: entry.name).map { ($0, entry.size) }
                },
                uniquingKeysWith: { size, _ in size }), commits: try known ?? commits())
    }

    /// All runs that do not open, with the reason. Throws `StorageError`.
    package func damagedRuns() throws -> [VaultError] {
        try log.news(after: .start).runs.compactMap { entry in
            do { _ = try run(entry) } catch let error as VaultError { return error }
            return nil
        }
    }
}

extension OpenRun {
    /// The most commits in a run (docs/format.md §10).
    private static let most = 100_000

    fileprivate init(_ plaintext: PlainReader, of entry: RunEntry, _ vault: Vault, _ context: SealContext) throws {
        // A run has no inline blocks: what is still needed stands in packs.
        guard try plaintext.count(upTo: 0) == 0 else { throw FormatError.invalid(.inlineLength) }
        let frames = try FrameReader(plaintext)
        var (budget, authors) = (RecordBudget(), AuthorshipReader(context))
        var wanted: [CommitMark]?
        var commits: [LogPosition: RecordObject] = [:]
        var packs: [PackRecord] = []
        var names: Set<PackID> = []
        var weight = 0
        while let frame = try frames.next(&budget) {
            weight += frame.count
            try authors.read(frame) { kind, body in
                var inner = ByteReader(frame, body)
                switch (kind, wanted) {
                case (.run?, nil): wanted = try Self.marks(&inner, of: entry)
                case (.commitOfRun?, let marks?):
                    guard commits.count < marks.count else { throw FormatError.invalid(.impossibleRun) }
                    let mark = marks[commits.count]
                    let name = ObjectRecordLog.name(of: mark.position)
                    let object = try RecordObject(
                        commitInRun: Array(frame[body]), at: mark.position, vault.context(.commit, name), &budget)
                    try object.prove(by: entry.device, in: vault.id)
                    guard object.authorship?.digest == mark.digest else { throw FormatError.invalid(.impossibleRun) }
                    commits[mark.position] = object
                case (.pack?, .some):
                    packs.append(try PackRecord(&inner))
                    guard names.insert(packs[packs.count - 1].id).inserted else {
                        throw FormatError.invalid(.repeatedPack)
                    }
                case (nil, .some), (.batch?, .some), (.event?, .some), (.replaced?, .some): break  // docs/format.md §6
                default: throw FormatError.invalid(.impossibleRun)
                }
            }
        }
        try plaintext.drain()
        // Whoever signed it: the commits prove themselves, and so does content.
        _ = try authors.finish().device(in: vault.id)
        guard let wanted, commits.count == wanted.count else { throw FormatError.invalid(.impossibleRun) }
        self.init(commits: commits, packs: packs, weight: 2 * weight + commits.count * Self.weightOfCommit)
    }

    /// Roughly what an opened commit takes beside its records, in bytes.
    private static let weightOfCommit = 2048

    /// The least number of bytes that a commit takes in a run: neither its digest nor half of its signature can be
    /// compressed.
    private static let leastBytes = 64

    /// Reads the list at the front of a run alone. That the run holds these commits is not known yet.
    fileprivate static func marks(_ plaintext: PlainReader, of entry: RunEntry) throws -> [CommitMark] {
        guard try plaintext.count(upTo: 0) == 0 else { throw FormatError.invalid(.inlineLength) }
        var budget = RecordBudget()
        guard let frame = try FrameReader(plaintext).next(&budget) else { throw FormatError.invalid(.impossibleRun) }
        var reader = ByteReader(frame)
        guard RecordKind(rawValue: try reader.varint()) == .run else { throw FormatError.invalid(.impossibleRun) }
        var inner = ByteReader(frame, try reader.lengthAndRange())
        return try marks(&inner, of: entry)
    }

    /// Reads the first record, which says which commits follow.
    private static func marks(_ reader: inout ByteReader, of entry: RunEntry) throws -> [CommitMark] {
        let count = try reader.count(ofItems: 41)
        // A short object that lists very many would take much memory and time, and cannot hold them.
        guard (1...min(most, max(1, entry.size / leastBytes))).contains(count) else {
            throw FormatError.invalid(.impossibleRun)
        }
        var marks: [CommitMark] = []
        for _ in 0..<count {
            let position = LogPosition(
                device: entry.device, generation: try reader.varint(), commit: try reader.commitID())
            marks.append(CommitMark(position, try reader.id32()))
        }
        try reader.expectEnd()
        let positions = marks.map(\.position)
        guard positions.first?.generation == entry.first, positions.last?.generation == entry.last,
            zip(positions, positions.dropFirst()).allSatisfy({ $0 < $1 }),
            Set(positions.map(\.commit)).count == count, !positions.contains(where: { $0.commit == .none })
        else { throw FormatError.invalid(.impossibleRun) }
        return marks
    }
}
