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

    /// An object that was read, for the members of its versions.
    struct Source {
        let object: RecordObject
        /// nil for a checkpoint.
        let position: LogPosition?
        /// The numbers of its chunks in `index`; nil where the object keeps its own.
        let chunks: Range<Int>?
    }

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
    /// What the newest checkpoint says that the commits do not.
    package var checkpointProblem: CheckpointProblem?
    /// Versions that name parents which count for nothing, and why.
    package private(set) var strays: [VersionID: StrayParent] = [:]
    private(set) var sources: [Source] = []
    /// The numbers of the commits among the sources.
    private(set) var sourceNumbers: [LogPosition: Int] = [:]
    /// The checkpoint's number among the sources.
    private(set) var checkpoint: Int?
    /// Whether it is a checkpoint and the commits after it, without what was not alive.
    package private(set) var isSummary = false
    /// The last commits that the checkpoint sums up, and how many those are by its name.
    private(set) var coverage: [LogPosition] = []
    private(set) var summedUp = 0
    let hashes = MemberHashes()
    let lists = MemberListCache()
    /// The commits that the log lists, whether they were read or not.
    private var listed: Set<CommitID> = []

    package init() {}

    init(of entries: [LogEntry]) { listed = Set(entries.lazy.map(\.position.commit)) }

    /// Reads all commits, one at a time in memory, and keeps only that they are there, for `missing` and `damaged`.
    package static func walk(_ vault: Vault, _ visit: (LogEntry, RecordObject) throws -> Void) throws -> History {
        var history = History()
        for entry in try history.withoutTwins(try vault.log.all(), of: vault) {
            do {
                let object = try vault.commit(entry)
                history.note(object, at: entry)
                try visit(entry, object)
            } catch let error as VaultError {
                history.damaged.append(error)
                history.unread.insert(entry.position)
            }
        }
        history.finish()
        return history
    }

    /// Refuses commits of one id: to which of them a version belongs, nothing can tell. Gives the others.
    private mutating func withoutTwins(_ entries: [LogEntry], of vault: Vault) throws -> [LogEntry] {
        guard entries.haveTwins else { return entries }
        var twins: Set<LogPosition> = []
        for group in Dictionary(grouping: entries, by: \.position.commit).values where group.count > 1 {
            // A file that does not open says nothing about the commit whose id it bears.
            let open = try group.filter { entry in
                do { _ = try vault.commit(entry) } catch is VaultError { return false }
                return true
            }.map(\.position)
            guard open.count > 1 else { continue }
            twins.formUnion(open)
            for (position, other) in zip(open, open.dropFirst() + open.prefix(1)) {
                damaged.append(.twins(ObjectRecordLog.name(of: position), ObjectRecordLog.name(of: other)))
            }
        }
        unread.formUnion(twins)
        return entries.filter { !twins.contains($0.position) }
    }

    /// Whether nothing is known to be lost, damaged or still on its way.
    var isWhole: Bool {
        missing.isEmpty && damaged.isEmpty && strays.isEmpty && index.disputed.isEmpty
            && versions.values.allSatisfy { version in
                !wasRead(version)
                    || version.header.parents.allSatisfy { versions[$0] != nil || listed.contains($0.commit) }
            }
    }

    /// Whether a commit brought it, and not a checkpoint.
    func wasRead(_ version: Version) -> Bool { version.position != nil }

    mutating func read(_ entries: [LogEntry], of vault: Vault) throws {
        // The first object brings the index, with room for what all others name.
        let bytes = entries.bytes
        var excess = RecordBudget.Excess()
        for entry in try withoutTwins(entries, of: vault) {
            do {
                let object = try vault.commit(entry, roomFor: index.packs.isEmpty ? bytes : 0)
                guard excess.add(object.excess) else {
                    throw VaultError.damaged(
                        .object(ObjectRecordLog.name(of: entry.position).text), .overBudgetTogether)
                }
                add(object, at: entry)
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
        sourceNumbers[entry.position] = sources.count
        // What a checkpoint says of a commit counts only where the commit itself cannot be read.
        addContent(object, at: entry.position) { _, known in known?.position == nil }
    }

    /// `count`: how many commits the checkpoint sums up.
    mutating func add(_ checkpoint: RecordObject, summingUp count: Int) {
        (isSummary, summedUp) = (true, count)
        coverage = checkpoint.coverage
        for device in checkpoint.devices { devices[device.id] = device }
        self.checkpoint = sources.count
        addContent(checkpoint, at: nil) { _, known in known == nil }
    }

    /// Takes what stood in commits that are gone, on their way, or damaged.
    mutating func rescue(_ checkpoint: RecordObject) {
        for device in checkpoint.devices where devices[device.id] == nil { devices[device.id] = device }
        let newest = checkpoint.versions.lazy.map(\.time).max()
        for position in checkpoint.coverage where !listed.contains(position.commit) {
            miss(position, since: newest ?? Timestamp(milliseconds: 0))
        }
        self.checkpoint = sources.count
        let read = Set(commits.keys.lazy.map(\.commit)), twins = Set(damaged.isEmpty ? [] : doubledIDs)
        addContent(checkpoint, at: nil) { version, known in
            known == nil && !read.contains(version.id.commit) && !twins.contains(version.id.commit)
        }
    }

    /// The ids that more than one commit that does not count has.
    private var doubledIDs: [CommitID] {
        Dictionary(grouping: unread, by: \.commit).filter { $0.value.count > 1 }.map(\.key)
    }

    /// `isTaken`: whether a version counts, and not the one that is known by its id already.
    private mutating func addContent(
        _ object: consuming RecordObject, at position: LogPosition?, _ isTaken: (Version, Version?) -> Bool
    ) {
        for version in object.takeVersions() where isTaken(version, versions[version.id]) {
            versions[version.id] = version
        }
        let packs = object.takeIndex()
        let range = index.add(packs)
        if range == nil { object.keep(packs) }
        sources.append(Source(object: object, position: position, chunks: range))
    }

    mutating func finish() {
        index.prepare()
        settleParents()
        let known = Set(commits.keys).union(coverage)
        let covered = Coverage(coverage)
        // A coverage names generations alone: what the log does not list is not summed up.
        let isSummedUp = { [listed] (position: LogPosition) in
            covered.mayHold(position) && listed.contains(position.commit)
        }
        for commit in commits.values {
            for named in commit.record.seen where !known.contains(named) && !isSummedUp(named) {
                miss(named, since: commit.record.time)
            }
            if let previous = previous(of: commit), !known.contains(previous), !isSummedUp(previous) {
                miss(previous, since: commit.record.time)
            }
        }
    }

    /// Takes out the parents that count for nothing.
    private mutating func settleParents() {
        for (id, stray) in findStrays() {
            versions[id] = versions[id]?.without(stray.parents.contains)
            strays[id] = stray.kind
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

    /// Looks which packs are there, so that content which more than one holds is read from one of those; last of all from one whose
    /// record is false.
    package mutating func findPacks(in vault: Vault, liars: Set<Int> = []) throws {
        findPacks(of: try vault.packSizes(), liars: liars)
    }

    mutating func findPacks(of sizes: [PackID: Int], liars: Set<Int> = []) {
        index.prepare(isThere: { sizes[$0.id] == $0.size }, liars: liars)
    }

    // MARK: What it says

    /// The name of a device for people.
    package func name(of device: DeviceID) -> String {
        devices[device]?.name ?? "device \(device.description.prefix(8))"
    }

    /// All packs with their blocks, as the commits and the checkpoint name them.
    package var packRecords: some Collection<PackRecord> { index.packs.indices.lazy.map(index.record) }
}

extension [LogEntry] {
    var bytes: Int { lazy.map(\.size).saturatingSum }

    /// Whether two of them bear one commit id.
    var haveTwins: Bool { Set(lazy.map(\.position.commit)).count < count }
}
