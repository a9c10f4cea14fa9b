import CueBase
import CueCrypto
package import CueStorage
import Synchronization

extension Vault {
    /// All commits, those in runs too, sorted; each once. A commit of its own comes before one in a run. Throws
    /// `StorageError`.
    package func commits() throws -> [LogEntry] { try commits(after: .start).entries }

    /// The commits after a cursor, with those that stand in runs. A run that does not open has none.
    ///
    /// Where only what is new was listed and something is gone, everything is listed: it may stand in a run now.
    package func commits(after cursor: LogCursor) throws -> LogNews {
        var news = try log.news(after: cursor)
        if !news.isWhole, !news.lost.isEmpty { news = try log.news(after: .start) }
        guard !news.runs.isEmpty else { return news }
        var known = Set(news.entries.map(\.position))
        var entries = news.entries
        for run in news.runs {
            let open: OpenRun
            do { open = try self.run(run) } catch is VaultError { continue }
            let share = run.size / max(1, open.commits.count)
            for position in open.commits.keys where known.insert(position).inserted {
                entries.append(LogEntry(position: position, size: share, in: run))
            }
        }
        entries.sort { $0.position < $1.position }
        return LogNews(entries, runs: news.runs, cursor: news.cursor, isWhole: news.isWhole, lost: news.lost)
    }

    /// Opens a run, and checks all that it holds. The last few are remembered.
    ///
    /// Throws `VaultError.damaged` or `.missing`, and `StorageError` for an error that heals by itself.
    func run(_ entry: RunEntry) throws -> OpenRun {
        if let known = lastRuns.withLock({ $0.first { $0.entry == entry }?.run }) { return known }
        let run = try object(entry.name) {
            let context = context(.run, entry.name)
            let plaintext = try PlainReader(
                .object(objects, entry.name, size: entry.size), of: self, .run, entry.name)
            return try OpenRun(plaintext, of: entry, self, context)
        }
        lastRuns.withLock { runs in
            if runs.count >= Self.runsInMemory { runs.removeFirst() }
            runs.append((entry, run))
        }
        return run
    }

    /// How many runs are remembered.
    private static let runsInMemory = 4

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
        while let frame = try frames.next(&budget) {
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
                case (.pack?, .some): packs.append(try PackRecord(&inner))
                case (nil, .some), (.batch?, .some), (.event?, .some), (.replaced?, .some): break  // docs/format.md §6
                default: throw FormatError.invalid(.impossibleRun)
                }
            }
        }
        try plaintext.drain()
        // Whoever signed it: the commits prove themselves, and so does content.
        _ = try authors.finish().device(in: vault.id)
        guard let wanted, commits.count == wanted.count else { throw FormatError.invalid(.impossibleRun) }
        self.init(commits: commits, packs: packs)
    }

    /// Reads the first record, which says which commits follow.
    private static func marks(_ reader: inout ByteReader, of entry: RunEntry) throws -> [CommitMark] {
        let count = try reader.count(ofItems: 41)
        guard (1...most).contains(count) else { throw FormatError.invalid(.impossibleRun) }
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
