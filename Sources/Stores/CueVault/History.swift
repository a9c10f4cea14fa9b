package import CueBase
package import CueStorage

/// Everything that the commits of a vault say, replayed (docs/format.md §7).
package struct History: Sendable {
    /// A commit and what a person would want to know of it.
    package struct Commit: Sendable {
        package let position: LogPosition
        package let record: CommitRecord
        package let versionCount: Int
        package let size: Int
    }

    package typealias Version = RecordObject.Version

    package private(set) var commits: [LogPosition: Commit] = [:]
    package private(set) var versions: [VersionID: Version] = [:]
    package private(set) var devices: [DeviceID: DeviceRecord] = [:]
    package private(set) var index = ChunkIndex()
    /// Commits that others name and that are not there.
    package private(set) var missing: Set<LogPosition> = []
    /// When they were first named, by the clocks of those that name them.
    private var namedSince: [LogPosition: Timestamp] = [:]
    /// Objects that do not open, and why.
    package private(set) var damaged: [VaultError] = []
    /// The commits whose objects those are: damaged, or not arrived whole.
    package private(set) var unread: Set<LogPosition> = []
    private var objects: [RecordObject] = []
    /// The numbers of each object's chunks in `index`; nil where the object keeps its own.
    private var chunks: [Range<Int>?] = []
    /// The number of the object that brought a commit's versions; those of a checkpoint stand under their own commits.
    private var objectNumbers: [CommitID: Int] = [:]
    /// The checkpoint's number among the objects.
    private var checkpoint: Int?
    /// Whether it is a checkpoint and the commits after it, without what was not alive.
    package private(set) var isSummary = false
    /// The last commits that the checkpoint sums up, and how many those are by its name.
    private(set) var coverage: [LogPosition] = []
    private(set) var summedUp = 0
    /// The commits that the log lists, whether they were read or not.
    private var listed: Set<CommitID> = []

    package init() {}

    private init(of entries: [LogEntry]) { listed = Set(entries.lazy.map(\.position.commit)) }

    /// Reads all commits. A damaged one is noted, and the others are read all the same.
    ///
    /// What commits held that do not open, or are not there, is taken from the newest checkpoint; `rescue`: not where it is false.
    package static func load(_ vault: Vault, rescue: Bool = true) throws -> History {
        let entries = try vault.log.all()
        let history = try load(vault, entries)
        guard rescue, !history.damaged.isEmpty || !history.missing.isEmpty,
            let (checkpoint, _) = try Checkpoint.newest(in: vault, roomFor: entries.bytes)
        else { return history }
        return try load(vault, entries, rescuing: checkpoint)
    }

    /// `checkpoint`: what it alone has is taken from it.
    private static func load(
        _ vault: Vault, _ entries: [LogEntry], rescuing checkpoint: RecordObject? = nil
    ) throws -> History {
        var history = History(of: entries)
        try history.read(entries, of: vault)
        if let checkpoint { history.rescue(checkpoint) }
        history.finish()
        return history
    }

    /// Reads the newest checkpoint that opens, and the commits that it does not cover: enough for what is alive now.
    package static func loadLatest(_ vault: Vault) throws -> History {
        try loadLatest(vault, try vault.log.all())
    }

    private static func loadLatest(_ vault: Vault, _ entries: [LogEntry]) throws -> History {
        guard let (checkpoint, count) = try Checkpoint.newest(in: vault, roomFor: entries.bytes) else {
            return try load(vault, entries)
        }
        let covered = Coverage(checkpoint.coverage)
        guard !covered.hasBranches(among: entries.map(\.position)) else { return try load(vault, entries) }
        guard covered.isWhole(in: entries, count) else { return try load(vault, entries, rescuing: checkpoint) }
        var history = History(of: entries)
        (history.isSummary, history.summedUp) = (true, count)
        history.add(checkpoint)
        try history.read(entries.filter { !covered.mayHold($0.position) }, of: vault)
        history.finish()
        // A device that did not know what the checkpoint sums up may have written against what it left out; and content that was
        // not alive may be so again.
        if history.hasAllBases && history.hasAllContent { return history }
        // Gone before the larger one comes.
        history = History()
        return try load(vault, entries)
    }

    /// What the next checkpoint is made of: the last one and the commits after it, so that its cost does not grow with the history.
    ///
    /// It is all commits where a pack that the last checkpoint names is gone: another pack may hold the same content.
    package static func loadForCheckpoint(_ vault: Vault) throws -> History {
        let entries = try vault.log.all()
        var history = try loadLatest(vault, entries)
        let sizes = try vault.packSizes()
        let isThere = { (pack: ChunkIndex.PackSummary) in sizes[pack.id] == pack.size }
        if history.isSummary, !history.index.packs.allSatisfy(isThere) { history = try load(vault, entries) }
        history.index.prepare(isThere: isThere)
        return history
    }

    /// Reads all commits, one at a time in memory, and keeps only that they are there, for `missing` and `damaged`.
    package static func walk(_ vault: Vault, _ visit: (LogEntry, RecordObject) throws -> Void) throws -> History {
        var history = History()
        for entry in try vault.log.all() {
            do {
                let object = try vault.commit(entry)
                history.note(object, at: entry)
                try visit(entry, object)
            } catch let error as VaultError {
                history.damaged.append(error)
            }
        }
        history.finish()
        return history
    }

    /// Whether nothing is known to be lost, damaged or still on its way.
    var isWhole: Bool {
        missing.isEmpty && damaged.isEmpty
            && versions.values.allSatisfy { version in
                !wasRead(version)
                    || version.header.parents.allSatisfy { versions[$0] != nil || listed.contains($0.commit) }
            }
    }

    /// Whether a commit brought it, and not a checkpoint.
    private func wasRead(_ version: Version) -> Bool { objectNumbers[version.id.commit] != nil }

    /// Whether it is known where all content lies of the heads that commits brought.
    private var hasAllContent: Bool {
        let superseded = Set(versions.values.lazy.flatMap(\.header.parents))
        return versions.values.allSatisfy { version in
            guard wasRead(version), !superseded.contains(version.id), !version.header.isTombstone,
                let members = try? members(of: version.id)
            else { return true }
            return members.allSatisfy { $0.chunks.allSatisfy { index.location(of: $0) != nil } }
        }
    }

    private var hasAllBases: Bool {
        versions.values.allSatisfy { version in
            !version.header.isDelta || version.header.parents.first.map { versions[$0] != nil } ?? false
        }
    }

    private mutating func read(_ entries: [LogEntry], of vault: Vault) throws {
        // The first object brings the index, with room for what all others name.
        let bytes = entries.bytes
        for entry in entries {
            do {
                add(try vault.commit(entry, roomFor: index.packs.isEmpty ? bytes : 0), at: entry)
            } catch let error as VaultError {
                damaged.append(error)
                unread.insert(entry.position)
            }
        }
    }

    private mutating func note(_ object: RecordObject, at entry: LogEntry) {
        guard let record = object.commit else { return }
        commits[entry.position] = Commit(
            position: entry.position, record: record, versionCount: object.versions.count, size: entry.size)
        // The device's own newest word on its name counts; entries come in the order of generations.
        for device in object.devices where device.id == entry.position.device { devices[device.id] = device }
    }

    private mutating func add(_ object: RecordObject, at entry: LogEntry) {
        guard object.commit != nil else { return }
        note(object, at: entry)
        objectNumbers[entry.position.commit] = objects.count
        addContent(object)
    }

    private mutating func add(_ checkpoint: RecordObject) {
        coverage = checkpoint.coverage
        for device in checkpoint.devices { devices[device.id] = device }
        self.checkpoint = objects.count
        addContent(checkpoint)
    }

    /// Takes what stood in commits that are gone, on their way, or damaged.
    private mutating func rescue(_ checkpoint: RecordObject) {
        for device in checkpoint.devices where devices[device.id] == nil { devices[device.id] = device }
        let newest = checkpoint.versions.lazy.map(\.time).max()
        for position in checkpoint.coverage where !listed.contains(position.commit) {
            miss(position, since: newest ?? Timestamp(milliseconds: 0))
        }
        self.checkpoint = objects.count
        addContent(checkpoint)
    }

    private mutating func addContent(_ object: consuming RecordObject) {
        for version in object.takeVersions() where versions[version.id] == nil { versions[version.id] = version }
        let packs = object.takeIndex()
        if let range = index.add(packs) {
            chunks.append(range)
        } else {
            object.keep(packs)
            chunks.append(nil)
        }
        objects.append(object)
    }

    private mutating func finish() {
        index.prepare()
        let known = Set(commits.keys).union(coverage)
        let covered = Coverage(coverage)
        for commit in commits.values {
            for named in commit.record.seen where !known.contains(named) && !covered.mayHold(named) {
                miss(named, since: commit.record.time)
            }
            if let previous = previous(of: commit), !known.contains(previous), !covered.mayHold(previous) {
                miss(previous, since: commit.record.time)
            }
        }
    }

    private mutating func miss(_ position: LogPosition, since time: Timestamp) {
        // One that is there and does not open is said as that.
        guard !unread.contains(position) else { return }
        missing.insert(position)
        namedSince[position] = min(time, namedSince[position] ?? time)
    }

    /// For how long a commit that others name is waited for. What has not come by then is lost.
    private static let patience: Int64 = 30 * 86_400_000

    /// Commits that others name and that may be on their way.
    package func awaited(at time: Timestamp) -> Set<LogPosition> {
        missing.filter { position in
            namedSince[position].map { time.milliseconds - $0.milliseconds < Self.patience } ?? false
        }
    }

    /// Whether something that another device stored is known of, and cannot be read yet.
    package func isAwaiting(at time: Timestamp) -> Bool { !unread.isEmpty || !awaited(at: time).isEmpty }

    /// The commit of the same device before it.
    func previous(of commit: Commit) -> LogPosition? {
        guard commit.position.generation > 1 else { return nil }
        return LogPosition(
            device: commit.position.device, generation: commit.position.generation - 1, commit: commit.record.previous)
    }

    /// Looks which packs are there, so that content which more than one holds is read from one of those.
    package mutating func findPacks(in vault: Vault) throws {
        let sizes = try vault.packSizes()
        index.prepare { sizes[$0.id] == $0.size }
    }

    // MARK: What it says

    /// The name of a device for people.
    package func name(of device: DeviceID) -> String {
        devices[device]?.name ?? "device \(device.description.prefix(8))"
    }

    /// All packs with their blocks, as the commits and the checkpoint name them.
    package var packRecords: some Collection<PackRecord> { index.packs.indices.lazy.map(index.record) }

    /// The whole member list of a version, deltas laid over their parents.
    package func members(of id: VersionID) throws -> [Member] {
        var chain: [Version] = []
        var next: VersionID? = id
        while let current = next {
            guard let version = versions[current] else {
                throw VaultError.missing(object: "version \(current.short), against which another is written")
            }
            chain.append(version)
            next = version.header.isDelta ? version.header.parents.first : nil
            guard chain.count <= 10_000, chain.first?.header.project == version.header.project else {
                throw VaultError.damaged(object: "version \(id.short)", reason: "its differences lead nowhere")
            }
        }
        do {
            return try chain.reversed().reduce([]) { base, version in
                guard let number = objectNumbers[version.id.commit] ?? checkpoint else { return base }
                let own = chunks[number].map { index.ids[$0] } ?? objects[number].index.ids[...]
                let changes = try version.changes(in: objects[number], chunkIDs: own)
                return version.header.isDelta ? try changes.applied(to: base, kind: version.header.kind) : changes.put
            }
        } catch let error as FormatError {
            throw VaultError.damaged(object: "version \(id.short)", reason: error.reason)
        }
    }

    /// The state after all commits, or the state of a snapshot.
    package func state(at snapshot: LogPosition? = nil) -> LibraryState {
        guard let snapshot else { return LibraryState(versions.values.map(\.self), isSame: isSame) }
        return state(of: closure(of: snapshot))
    }

    /// The state after these commits.
    func state(of included: Set<LogPosition>) -> LibraryState {
        let ids = Set(included.map(\.commit))
        return LibraryState(versions.values.filter { ids.contains($0.id.commit) }, isSame: isSame)
    }

    private func isSame(_ one: Version, _ other: Version) -> Bool {
        let (a, b) = (one.header, other.header)
        guard a.isTombstone == b.isTombstone, a.path == b.path, a.kind == b.kind else { return false }
        guard !a.isTombstone, let members = try? members(of: one.id) else { return a.isTombstone }
        return (try? self.members(of: other.id)) == members
    }

    /// All projects that ever were, the deleted ones too, for looking up names.
    package var everything: LibraryState { state().includingDeleted }

    /// The commit, those before it, and what they had seen.
    private func closure(of position: LogPosition) -> Set<LogPosition> {
        var found: Set<LogPosition> = []
        var open = [position]
        while let next = open.popLast() {
            guard let commit = commits[next], found.insert(next).inserted else { continue }
            open += commit.record.seen
            if let previous = previous(of: commit) { open.append(previous) }
        }
        return found
    }
}

/// Which commits a checkpoint sums up: all of a device up to a generation. Only for logs without branches.
struct Coverage {
    private let upTo: [DeviceID: UInt64]
    private let ends: [LogPosition]

    init(_ positions: [LogPosition]) {
        ends = positions
        upTo = Dictionary(positions.map { ($0.device, $0.generation) }, uniquingKeysWith: max)
    }

    /// Whether all those commits are in a log, and no other in the place of one: `count` is their number by the checkpoint's name.
    func isWhole(in entries: [LogEntry], _ count: Int) -> Bool {
        let held = Set(entries.lazy.map(\.position).filter(mayHold))
        return held.count == count && ends.allSatisfy(held.contains)
    }

    func mayHold(_ position: LogPosition) -> Bool { upTo[position.device].map { position.generation <= $0 } ?? false }

    /// Whether a device's log has branched as far as it is summed up: then generations do not tell which branch was.
    ///
    /// Reading only that device's commits again would not do: a version that others went on from would be a head once more.
    func hasBranches(among all: [LogPosition]) -> Bool {
        var seen: Set<[UInt64]> = []
        return all.contains { position in
            mayHold(position)
                && !seen.insert([position.device.high, position.device.low, position.generation]).inserted
        }
    }
}

extension [LogEntry] {
    fileprivate var bytes: Int { reduce(0) { $0 + $1.size } }
}
