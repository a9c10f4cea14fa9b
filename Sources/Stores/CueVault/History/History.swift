package import CueBase
package import CueStorage

/// Everything that the commits of a vault contain, replayed (docs/format.md §7).
package struct History: Sendable {
    /// A commit, with what lists of commits show.
    package struct Commit: Sendable {
        /// The place in its device's log.
        package let position: LogPosition
        /// The first record of the commit.
        package let record: CommitRecord
        /// The number of versions in it.
        package let versionCount: Int
        /// The bytes of the sealed object, as listed.
        package let size: Int
        /// The digest of its records, which others name; nil if it was not read.
        package let digest: CommitDigest?
    }

    /// A version, which holds its own place in a commit or a checkpoint.
    package typealias Version = RecordObject.Version

    /// An object that was read. It holds the members of its versions.
    struct Source {
        let object: RecordObject
        /// The commit; nil for a checkpoint.
        let position: LogPosition?
        /// The numbers of its chunks in `index`; nil if the object keeps its own index.
        let chunks: Range<Int>?
    }

    /// The commits that were read, by position.
    package private(set) var commits: [LogPosition: Commit] = [:]
    /// All versions that were read, from commits and from a checkpoint.
    package private(set) var versions: [VersionID: Version] = [:]
    /// The newest record of each device that counts.
    package private(set) var devices: [DeviceID: DeviceRecord] = [:]
    /// The device that signed the checkpoint from which this began; nil for none.
    private(set) var signer: DeviceID?
    /// What a checkpoint says of devices.
    private var coveredDevices: [DeviceID: DeviceRecord] = [:]
    /// What devices say of themselves, by the commits that hold it.
    private var deviceRecords: [LogPosition: DeviceRecord] = [:]
    /// What commits say of other records and of projects, also those that are set aside.
    private var allNotes: [Note] = []
    /// The same of those that count.
    package private(set) var notes: [Note] = []
    /// The commits that are set aside, because their device was shut out.
    package private(set) var setAside: Set<LogPosition> = []
    /// What shuts out devices, as far as it counts.
    private(set) var shutOuts: [ShutOuts.Record] = []
    /// The versions of these commits that do not count.
    private var versionsAside: [VersionID: Version] = [:]
    /// The commits that say another digest of a commit than that has.
    package private(set) var contradictions: [Contradiction] = []
    /// The content of all pack records that were read.
    package private(set) var index = ChunkIndex()
    /// The commits that others name and that are not there.
    package private(set) var missing: Set<LogPosition> = []
    /// The time at which each missing commit was first named, by the clocks of those that name it.
    private var namedSince: [LogPosition: Timestamp] = [:]
    /// The commits that share their ids with others, until it is known which of them are set aside.
    private var twins: [(entry: LogEntry, reading: CommitReader.Reading)] = []
    /// The commits that are set aside and share their ids with one that counts.
    private var passedOver: Set<LogPosition> = []
    /// The errors of the objects that do not open.
    package private(set) var damaged: [VaultError] = []
    /// The commits of these objects: damaged, or not arrived whole.
    package private(set) var unread: Set<LogPosition> = []
    /// The difference of the newest checkpoint from the commits, if one was found.
    package var checkpointProblem: CheckpointProblem?
    /// The versions with parents that do not count, and the reason. `versions` has them without these parents.
    package private(set) var strays: [VersionID: StrayParent] = [:]
    private(set) var sources: [Source] = []
    /// The numbers of the commits in `sources`.
    private(set) var sourceNumbers: [LogPosition: Int] = [:]
    /// The number of the checkpoint in `sources`; nil if none was read.
    private(set) var checkpoint: Int?
    /// True if only a checkpoint and the commits after it were read. Older versions are then not here.
    package private(set) var isSummary = false
    /// The last commits that the checkpoint covers; empty unless `isSummary`.
    private(set) var coverage: [CommitMark] = []
    /// The number of commits that the checkpoint covers, by its name.
    private(set) var summedUp = 0
    /// What the commits weigh beyond their bytes, all together.
    private var excess = RecordBudget.Excess()
    let hashes = MemberHashes()
    let lists = MemberListCache()
    /// The commits that were read from runs: the blocks that they held themselves are not there.
    package private(set) var commitsInRuns: Set<LogPosition> = []
    /// The commits whose own objects are damaged, and that were read from runs. Nothing of their records is lost.
    package private(set) var standIns: [RunFinding] = []
    /// The runs that hold another commit under a position than its own object, which counts.
    package private(set) var otherForms: [RunFinding] = []
    /// The ids of the commits that the log lists, read or not.
    package private(set) var listed: Set<CommitID> = []

    /// A history without commits.
    package init() {}

    /// An empty history that knows what the log lists.
    init(of entries: [LogEntry]) { listed = Set(entries.lazy.map(\.position.commit)) }

    /// Reads all commits and passes each to `visit`, with one in memory at a time. The result has no versions and no
    /// packs, only `commits`, `devices`, `missing` and `damaged`.
    ///
    /// Throws `StorageError`, and the errors of `visit` but for `VaultError`, which counts as damage of the commit.
    package static func walk(_ vault: Vault, _ visit: (LogEntry, RecordObject) throws -> Void) throws -> History {
        var history = History()
        var reader = CommitReader(vault)
        let entries = try vault.commits()
        vault.objects.bringNear(entries.objects)
        for entry in try history.withoutTwins(entries, &reader) {
            do {
                let object = try reader.read(entry).object
                history.note(object, at: entry)
                try visit(entry, object)
            } catch let error as VaultError {
                history.damaged.append(error)
                history.unread.insert(entry.position)
            }
        }
        history.settleTwins()
        history.finish()
        return history
    }

    /// Keeps commits that share an id for later, and returns the others: no reader can decide to which of them a version
    /// belongs, unless all but one of them are set aside (docs/format.md §2).
    private mutating func withoutTwins(
        _ entries: [LogEntry], _ reader: inout CommitReader
    ) throws -> [LogEntry] {
        guard entries.haveTwins else { return entries }
        var found: Set<LogPosition> = []
        for group in Dictionary(grouping: entries, by: \.position.commit).values where group.count > 1 {
            // A file that bears the id and does not open takes nothing from the one that does.
            var open: [(entry: LogEntry, reading: CommitReader.Reading)] = []
            for entry in group { do { open.append((entry, try reader.read(entry))) } catch is VaultError {} }
            guard open.count > 1 else { continue }
            twins += open
            found.formUnion(open.map(\.entry.position))
        }
        return entries.filter { !found.contains($0.position) }
    }

    /// Takes those of the twins that are the only ones of their ids which are not set aside, and counts the others as
    /// damaged.
    private mutating func settleTwins() {
        guard !twins.isEmpty else { return }
        let shutOuts = findShutOuts()
        let groups = Dictionary(grouping: twins, by: \.entry.position.commit)
        twins = []
        for group in groups.sorted(by: { $0.key < $1.key }).map(\.value) {
            let left = group.filter { !shutOuts.setAside($0.entry.position) }
            if left.count == 1 {
                add(left[0].reading, at: left[0].entry)
                passedOver.formUnion(group.map(\.entry.position).filter { $0 != left[0].entry.position })
                continue
            }
            let positions = group.map(\.entry.position)
            unread.formUnion(positions)
            for (position, other) in zip(positions, positions.dropFirst() + positions.prefix(1)) {
                damaged.append(.twins(ObjectRecordLog.name(of: position), ObjectRecordLog.name(of: other)))
            }
        }
    }

    /// What devices say of each other, as far as it was read.
    private func findShutOuts() -> ShutOuts {
        let before = commits.values.map { (position: $0.position, previous: previous(of: $0)) }
        let twins = twins.compactMap { twin in
            twin.reading.object.commit.map {
                (position: twin.entry.position, previous: previous($0, at: twin.entry.position))
            }
        }
        return ShutOuts(allNotes + self.twins.flatMap(\.reading.object.notes), among: before + twins)
    }

    /// True if nothing is known to be lost, damaged, false, or still to arrive.
    var isWhole: Bool {
        missing.isEmpty && damaged.isEmpty && strays.isEmpty && index.disputed.isEmpty && contradictions.isEmpty
            && otherForms.isEmpty
            && versions.values.allSatisfy { version in
                !wasRead(version)
                    || version.header.parents.allSatisfy { versions[$0] != nil || listed.contains($0.commit) }
            }
    }

    /// True if the version does not count: its device was shut out, and no version that counts came from it.
    package func isAside(_ id: VersionID) -> Bool { versionsAside[id] != nil }

    /// True if the version comes from a commit, and not from a checkpoint.
    func wasRead(_ version: Version) -> Bool { version.position != nil }

    mutating func read(_ entries: [LogEntry], of vault: Vault) throws {
        vault.objects.bringNear(entries.objects)
        var reader = CommitReader(vault)
        // Also of runs whose commits are there: their packs hold the same content once more.
        for pack in try reader.packs(of: Set(entries.lazy.flatMap(\.runs)).sorted()) { index.add(pack) }
        // The first object's index becomes that of the history, so it has room for what all others name.
        let bytes = entries.bytes
        var damagedRuns: Set<VaultError> = []
        for entry in try withoutTwins(entries, &reader) {
            do {
                let reading = try reader.read(entry, roomFor: index.packs.isEmpty ? bytes : 0)
                guard excess.add(reading.object.excess) else {
                    throw VaultError.damaged(
                        .object(ObjectRecordLog.name(of: entry.position).text), .overBudgetTogether)
                }
                // A commit that was listed alone may stand in a run by now.
                if let run = reading.run, !entry.runs.contains(run) {
                    for pack in try reader.packs(of: [run]) { index.add(pack) }
                }
                add(reading, at: entry)
            } catch let error as VaultError {
                unread.insert(entry.position)
                // Very many commits may stand in one run that is damaged.
                if entry.run == nil || damagedRuns.insert(error).inserted { damaged.append(error) }
            }
        }
        settleTwins()
        if !isSummary { noteBrokenRuns(vault) }
    }

    /// Counts runs as damaged whose lists did not open, unless all that they can hold was read: nothing else shows that
    /// something is gone.
    private mutating func noteBrokenRuns(_ vault: Vault) {
        for (run, error) in vault.brokenRuns {
            let there = Set(commits.keys.lazy.filter { $0.mayStand(in: run) }.map(\.generation))
            if there.count <= run.last - run.first { damaged.append(error) }
        }
    }

    /// True if every commit that the log lists or another commit names was read where it stands by itself if it does,
    /// nothing is from a checkpoint, and no versions come from each other: a late version could change what counts then.
    var isComplete: Bool {
        damaged.isEmpty && unread.isEmpty && missing.isEmpty && checkpoint == nil && strays.isEmpty
            && standIns.isEmpty
    }

    /// Reads commits that the log did not list before.
    mutating func extend(by entries: [LogEntry], of vault: Vault) throws {
        listed.formUnion(entries.lazy.map(\.position.commit))
        try read(entries, of: vault)
        finish()
    }

    private mutating func note(_ object: RecordObject, at entry: LogEntry) {
        guard let record = object.commit else { return }
        commits[entry.position] = Commit(
            position: entry.position, record: record, versionCount: object.versions.count, size: entry.size,
            digest: object.authorship?.digest)
        // Only the device itself names it.
        deviceRecords[entry.position] = object.devices.last { $0.id == entry.position.device }
        allNotes += object.notes
    }

    private mutating func add(_ reading: CommitReader.Reading, at entry: LogEntry) {
        let object = reading.object
        guard object.commit != nil else { return }
        if let run = reading.run {
            commitsInRuns.insert(entry.position)
            if let damage = reading.damage {
                standIns.append(RunFinding(position: entry.position, run: run.name, damage: damage))
            }
        }
        otherForms += reading.otherForms.map { RunFinding(position: entry.position, run: $0.name, damage: nil) }
        note(object, at: entry)
        sourceNumbers[entry.position] = sources.count
        // A version from a checkpoint counts only if its commit cannot be read.
        addContent(object, at: entry.position) { _, known in known?.position == nil }
    }

    /// Starts from a checkpoint. `count` is the number of commits in its name.
    mutating func add(_ checkpoint: RecordObject, summingUp count: Int) {
        (isSummary, summedUp) = (true, count)
        coverage = checkpoint.coverage
        for device in checkpoint.devices { coveredDevices[device.id] = device }
        signer = checkpoint.signer
        allNotes += checkpoint.notes
        self.checkpoint = sources.count
        addContent(checkpoint, at: nil) { _, known in known == nil }
    }

    /// Takes from a checkpoint the versions of commits that are lost, damaged, or have not arrived.
    mutating func rescue(_ checkpoint: RecordObject) {
        // A checkpoint of a device that was shut out may leave out that record.
        guard !findShutOuts().counting.contains(where: { $0.shutOut.device == checkpoint.signer }) else { return }
        for device in checkpoint.devices where coveredDevices[device.id] == nil { coveredDevices[device.id] = device }
        let newest = checkpoint.versions.lazy.map(\.time).max()
        let covered = Coverage(checkpoint.coverage)
        allNotes += checkpoint.notes.filter { note in
            commits[note.position] == nil && covered.mayHold(note.position)
                && (unread.contains(note.position) || !listed.contains(note.position.commit))
        }
        for position in checkpoint.coverage.map(\.position) where !listed.contains(position.commit) {
            miss(position, since: newest ?? Timestamp(milliseconds: 0))
        }
        self.checkpoint = sources.count
        let read = Set(commits.keys.lazy.map(\.commit)), twins = Set(damaged.isEmpty ? [] : doubledIDs)
        addContent(checkpoint, at: nil) { version, known in
            known == nil && !read.contains(version.id.commit) && !twins.contains(version.id.commit)
        }
    }

    /// The ids that more than one unread commit bears.
    private var doubledIDs: [CommitID] {
        Dictionary(grouping: unread, by: \.commit).filter { $0.value.count > 1 }.map(\.key)
    }

    /// Adds the versions and packs of an object. `isTaken` receives a version and the known one of its id, and decides
    /// whether the new one counts.
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
        versions.merge(versionsAside) { known, _ in known }
        versionsAside = [:]
        settleParents()
        settleShutOuts()
        strays = strays.filter { versions[$0.key] != nil }
        let known = Set(commits.keys).union(coverage.map(\.position)).union(passedOver)
        let covered = Coverage(coverage)
        // A coverage names generations alone. A commit that the log does not list is not covered.
        let isSummedUp = { [listed] (position: LogPosition) in
            covered.mayHold(position) && listed.contains(position.commit)
        }
        for commit in commits.values where !setAside.contains(commit.position) {
            for named in commit.record.seen.map(\.position) where !known.contains(named) && !isSummedUp(named) {
                miss(named, since: commit.record.time)
            }
            if let previous = previous(of: commit), !known.contains(previous), !isSummedUp(previous) {
                miss(previous, since: commit.record.time)
            }
        }
    }

    /// Sets aside what devices wrote that were shut out, and finds what commits say falsely of each other.
    private mutating func settleShutOuts() {
        let found = findShutOuts()
        shutOuts = found.counting
        setAside = shutOuts.isEmpty ? [] : Set(commits.keys.filter(found.setAside))
        let counting = Dictionary(grouping: shutOuts, by: \.holder)
        // What shuts out a device may count though its own commit is set aside.
        notes = allNotes.filter { note in
            guard case .shutOut = note.content else { return !setAside.contains(note.position) }
            return counting[note.position]?.contains { $0.number == note.number } ?? false
        }
        devices = coveredDevices
        for (position, record) in deviceRecords.sorted(by: { $0.key < $1.key }) where !setAside.contains(position) {
            devices[record.id] = record
        }
        if !setAside.isEmpty { setVersionsAside() }
        let digests = digests
        contradictions = commits.values.filter { !setAside.contains($0.position) }.flatMap { commit in
            named(by: commit).compactMap { mark in
                guard let said = mark.digest, let digest = digests[mark.position], said != digest else {
                    return nil
                }
                return Contradiction(by: commit.position, of: mark.position)
            }
        }.sorted { ($0.by, $0.of) < ($1.by, $1.of) }
    }

    /// The commits that a commit names as seen, and its previous one.
    private func named(by commit: Commit) -> [CommitMark] {
        commit.record.seen + (previous(of: commit).map { [CommitMark($0, commit.record.previousDigest)] } ?? [])
    }

    /// Moves the versions of commits that are set aside out of `versions`. A version that a counting version came from
    /// stays: without it that one would lose its base.
    private mutating func setVersionsAside() {
        var aside = versions.filter { $0.value.position.map(setAside.contains) ?? false }
        guard !aside.isEmpty else { return }
        var open = versions.values.filter { aside[$0.id] == nil }.flatMap(\.header.parents)
        while let next = open.popLast() {
            if let taken = aside.removeValue(forKey: next) { open += taken.header.parents }
        }
        for id in aside.keys { versions[id] = nil }
        versionsAside = aside
    }

    /// Removes the parents that do not count.
    private mutating func settleParents() {
        for (id, stray) in findStrays() {
            versions[id] = versions[id]?.without(stray.parents.contains)
            strays[id] = stray.kind
        }
    }

    private mutating func miss(_ position: LogPosition, since time: Timestamp) {
        // A commit that is there and does not open is reported as damaged.
        guard !unread.contains(position) else { return }
        missing.insert(position)
        namedSince[position] = min(time, namedSince[position] ?? time)
    }

    /// The milliseconds for which a commit that others name is awaited (docs/sync.md §4). After that it counts as lost.
    private static let patience: Int64 = 30 * 86_400_000

    /// The missing commits that may still arrive at this time.
    package func awaited(at time: Timestamp) -> Set<LogPosition> {
        missing.filter { position in
            namedSince[position].map { time.milliseconds - $0.milliseconds < Self.patience } ?? false
        }
    }

    /// True if another device stored something that cannot be read yet.
    package func isAwaiting(at time: Timestamp) -> Bool { !unread.isEmpty || !awaited(at: time).isEmpty }

    /// The commit before it in the same log; nil for generation 1.
    package func previous(of commit: Commit) -> LogPosition? {
        previous(commit.record, at: commit.position)
    }

    private func previous(_ record: CommitRecord, at position: LogPosition) -> LogPosition? {
        guard position.generation > 1 else { return nil }
        return LogPosition(device: position.device, generation: position.generation - 1, commit: record.previous)
    }

    /// Looks which packs are there. Content that several packs hold is then read from one that is there and whose
    /// number is not in `liars`, the numbers of false records, if there is one.
    ///
    /// Throws `StorageError`.
    package mutating func findPacks(in vault: Vault, liars: Set<Int> = []) throws -> PresentPacks {
        let packs = try vault.presentPacks()
        take(packs, liars: liars)
        return packs
    }

    /// The same with packs that were listed before.
    package mutating func take(_ packs: PresentPacks, liars: Set<Int> = []) {
        index.prepare(
            isThere: { [commitsInRuns] in
                packs.holds($0) && !($0.commit.map(commitsInRuns.contains) ?? false)
            }, liars: liars)
    }

    /// The same. A pack in `broken` was found damaged, and counts as not there.
    package mutating func take(_ packs: PresentPacks, broken: Set<PackID>) {
        let all = index.packs
        take(packs, liars: broken.isEmpty ? [] : Set(all.indices.filter { broken.contains(all[$0].id) }))
    }

    // MARK: What it says

    /// The name of a device for people; the beginning of its id if it has none.
    package func name(of device: DeviceID) -> String {
        // Another device chose it, and it stands in lines and questions.
        devices[device].map { Display.text($0.name.utf8) } ?? "device \(device.description.prefix(8))"
    }

    /// All pack records as the commits and the checkpoint have them.
    package var packRecords: some Collection<PackRecord> { index.packs.indices.lazy.map(index.record) }
}
