import CueBase
package import CueCrypto
import CueEventLog
import CueEvents
import CueLibrary
package import CueStorage
import CueSystem
import CueVault
import Synchronization

/// Checks whether a vault is whole. Never changes the vault.
package enum Check {
    /// The result of a check.
    package struct Report: Sendable {
        /// The number of commits that could be read.
        package var commits = 0
        /// The number of snapshots.
        package var snapshots = 0
        /// The number of documents in the newest state.
        package var documents = 0
        /// The number of versions, deletions included.
        package var versions = 0
        /// The number of packs that commits name.
        package var packs = 0
        /// The number of checkpoints, damaged ones included.
        package var checkpoints = 0
        /// The number of events in batches that could be read.
        package var events = 0
        /// The batches of events that cannot be read, and were not stored again since.
        package var damagedBatches: [LogPosition] = []
        /// The size of the packs that commits name.
        package var bytes: Int64 = 0
        /// The size of the packs that were read.
        package var readBytes: Int64 = 0
        /// Whether all packs were to be read, and not only compared by size.
        package var didReadData = false
        /// The problems of the vault; empty if there are none. Those of single documents are in `damagedDocuments`, and
        /// with a library those of key slots are in `keys`.
        package var problems: [VaultProblem] = []
        /// Packs that were read and found right.
        var readPacks: [PackID] = []
        /// Packs that are missing, cut or damaged.
        var brokenPacks: Set<PackID> = []
        /// The numbers of packs in the index whose records are false.
        var liars: Set<Int> = []
        /// Whether the history, packs or versions are harmed, and not only keys, checkpoints or events.
        package var isContentHarmed = false
        /// Whether a damaged commit, or a pack of the right size with damaged content, is in the vault: its content
        /// counts as stored while it is there.
        package var isInTheWay = false
        /// The number of packs that no commit names. A killed run leaves such packs; they are harmless.
        package var unreferenced = 0
        /// The size of those packs.
        package var unreferencedBytes: Int64 = 0
        /// The versions that cannot be restored whole, by path and id.
        package var damagedDocuments: [DamagedDocument] = []
        /// Key slots compared with those that the library's device knows; empty without a library.
        package var keys = KeyWatch.Report()
        /// The number of commits that the library's device has seen and the vault does not have.
        package var commitsGone = 0
        /// Whether these were stored at another place of the vault meanwhile, as the device knows: that is no damage.
        package var isBehind = false
        /// The number of damaged batches whose events the library's device has; the next sync stores these events
        /// again.
        package var storedAgain = 0
        /// The words that stand for all that the vault has; nil for a vault without commits.
        package var state: StateWords?
        /// How the state that a person gave compares; nil if none was given.
        package var comparison: StateComparison?
        /// Commits of devices that were shut out, which do not count.
        package var commitsAside = 0
        /// Versions whose content was given up.
        package var pruned = 0
        /// The first problem of the vault, or else of a document; nil if there is none.
        var first: VaultProblem? { problems.first ?? damagedDocuments.first.map { .document($0) } }
        /// The problems of key slots in `keys`.
        package var keyProblems: [VaultProblem] { keys.troubles.map { .keySlot($0) } }
    }

    /// Checks all of the vault. Of its packs it compares only the sizes, unless `readData`; packs that this device
    /// found damaged before are read in any case.
    ///
    /// `library`: its device knows which commits and events there were. The local store notes what is to be stored
    /// again. `isCopy`: the vault is a copy of the library's; the device does not know its key slots, nor the state of
    /// its packs.
    package static func run(
        _ context: VaultContext, of library: OpenLibrary? = nil, isCopy: Bool = false, readData: Bool,
        comparing words: StateWords? = nil
    ) throws -> Report {
        let broken = isCopy ? [] : try library?.store.read { try $0.brokenPacks() } ?? []
        var report = try look(
            context, of: isCopy ? nil : library, readData: readData, broken: broken, comparing: words)
        guard let library else { return report }
        report.commitsGone = try OlderVault.commitsLost(by: context.vault, since: library)
        let batchesGone = try EventExchange.lost(library.store, from: context.vault).count
        report.isBehind = try !isCopy && report.commitsGone + batchesGone > 0 && LibraryPlaces.isVaultBehind(library)
        if report.isBehind { return report }
        if report.commitsGone > 0 { report.problems.append(.commitsGone(report.commitsGone)) }
        if batchesGone > 0 { report.problems.append(.batchesGone(batchesGone)) }
        report.storedAgain = try EventExchange.storeAgain(report.damagedBatches, library.store)
        // The next backup stores again what the folder still has of them.
        if !isCopy, !report.damagedDocuments.isEmpty {
            try library.store.write { try $0.set(.isContentLost, to: true) }
        }
        return report
    }

    /// Checks the vault itself. `broken`: packs that were found damaged before, and are read in any case.
    private static func look(
        _ context: VaultContext, of library: OpenLibrary?, readData: Bool, broken known: Set<PackID>,
        comparing words: StateWords?
    ) throws -> Report {
        let vault = context.vault
        var report = Report()
        report.didReadData = readData
        // Each checkpoint is as large as all live documents' records, and is freed before the history is read.
        let newest = try checkCheckpoints(vault, &report)
        var history = try History.load(vault, rescue: false)
        let packs = try history.findPacks(in: vault)
        report.liars = try history.findFalseRecords(in: vault, packs)
        report.problems =
            history.gaps.map { .gap($0) } + history.contradictions.map { .contradiction($0) }
            + history.otherForms.map { .otherForm($0) } + history.standIns.map { .heldByRun($0) } + report.problems
        report.isInTheWay = !history.damaged.isEmpty
        report.brokenPacks.formUnion(history.unreadInline)
        if let problem = newest?.verdict(history).problem { report.problems.append(.gap(.checkpoint(problem))) }
        // One whose commits stand nowhere else is damage of the history already.
        report.problems += try vault.damagedRuns().filter { !history.damaged.contains($0) }.map { .damage($0) }
        try checkSlots(vault, library, &report)
        try checkEvents(context, history.devicesShutOut.map { BatchLimit($0.what) }, &report)
        try checkPacks(context, history, packs, &report) { readData || known.contains($0) }
        report.problems += report.liars.sorted().flatMap { history.falseRecords(of: $0) }
        // The content of a broken pack may also stand in another one.
        let broken = history.index.packs.indices.filter { number in
            let pack = history.index.packs[number]
            return report.brokenPacks.contains(pack.id) || !packs.holds(pack)
                || pack.commit.map(history.commitsInRuns.contains) ?? false
        }
        history.take(packs, liars: report.liars.union(broken))
        let past = FullHistory(history)
        let retiredVersions = past?.retiredVersions ?? []
        checkVersions(history, retiredVersions, &report)
        report.commitsAside = history.setAside.count
        report.state = history.stateWords(of: vault.id)
        if let words, let past {
            report.comparison = StateComparison(words, with: report.state, past, vault.id)
        }
        if try isEmptied(history, report, library) {
            report.problems.append(.noCommit)
        }
        report.isContentHarmed =
            !(history.gaps.isEmpty && report.brokenPacks.isEmpty && report.damagedDocuments.isEmpty)
        report.commits = history.commits.count
        report.snapshots = history.commits.values.count(where: \.record.isSnapshot)
        report.documents = history.state().live.count { $0.shown.header.kind.isDocument }
        return report
    }

    /// Whether the vault has packs or checkpoints and no commit. A library whose device has seen no commit, and a vault
    /// without a checkpoint, had its first backup cut off: nothing is lost.
    private static func isEmptied(_ history: History, _ report: Report, _ library: OpenLibrary?) throws -> Bool {
        guard history.commits.isEmpty, history.damaged.isEmpty, report.unreferenced + report.checkpoints > 0 else {
            return false
        }
        guard let library else { return true }
        return try report.checkpoints > 0 || !library.store.read { try $0.seen() }.isEmpty
    }

    /// Compares the key slots with those that the newest epochs list, and with what the library's device knows.
    private static func checkSlots(_ vault: Vault, _ library: OpenLibrary?, _ report: inout Report) throws {
        if let library { report.keys = try KeyWatch(EngineContext(library, vault)).look() }
        do {
            let slots = try SlotListing.all(in: vault.objects, vault: vault.id)
            if library == nil {
                let found = SlotComparison(listed: slots, of: try vault.readEpochs()).report
                report.problems += found.troubles.map { .keySlot($0) }
            }
            if slots.isEmpty {
                report.problems.append(.noKeySlot)
            }
        } catch let error as StorageError {
            report.problems.append(.keysUnlisted(error))
        }
    }

    /// Opens all checkpoints. Returns the claims of the newest one that opens: devices join from it, and the next
    /// checkpoint is made of it.
    private static func checkCheckpoints(
        _ vault: Vault, _ report: inout Report
    ) throws -> CheckpointClaims? {
        var newest: CheckpointClaims?
        for entry in try Checkpoint.entries(in: vault) {
            report.checkpoints += 1
            do {
                let checkpoint = try Checkpoint.read(entry.name, size: entry.size, of: vault)
                newest = try newest ?? CheckpointClaims(checkpoint, entry.name, count: entry.covered)
            } catch let error as VaultError {
                report.problems.append(.damage(error))
            } catch let error as FormatError {
                report.problems.append(.damage(.damaged(.object(entry.name.text), .format(error))))
            }
        }
        return newest
    }

    /// Opens all batches of events that count by `limits`, and checks that the predecessor of each is there. Of what a
    /// device wrote after it was shut out nothing is expected.
    private static func checkEvents(
        _ context: VaultContext, _ limits: [BatchLimit], _ report: inout Report
    ) throws {
        let vault = context.vault
        let batches = try vault.eventLog.all()
        let there = Set(batches.map(\.position))
        var replaced: Set<LogPosition> = []
        var missing: [LogPosition] = []
        var damaged: [(position: LogPosition, error: VaultError)] = []
        for batch in batches where limits.allSatisfy({ $0.counts(batch.position) }) {
            try context.surroundings.cancellation.throwIfRequested()
            do {
                var events = 0
                let read = try vault.readEvents(batch) { _ in events += 1 }
                report.events += events
                replaced.formUnion(read.replaced)
                let before = LogPosition(
                    device: batch.position.device, generation: batch.position.generation - 1, commit: read.previous)
                if read.previous != .none, !there.contains(before) { missing.append(before) }
            } catch let error as VaultError {
                damaged.append((batch.position, error))
            }
        }
        // A batch is no loss if a device that knew its events has stored them again.
        for position in missing where !replaced.contains(position) {
            report.problems.append(.batchMissing(position))
        }
        for batch in damaged where !replaced.contains(batch.position) {
            report.problems.append(.damage(batch.error))
            report.damagedBatches.append(batch.position)
        }
    }

    // MARK: Packs

    /// Checks that each pack is there with its size, and reads those for which `isRead` is true.
    private static func checkPacks(
        _ context: VaultContext, _ history: History, _ present: PresentPacks, _ report: inout Report,
        isRead: (PackID) -> Bool
    ) throws {
        var whole: [Int] = []
        let retired = history.retiredPacks
        for (number, pack) in history.index.packs.enumerated() where !report.liars.contains(number) {
            if pack.commit == nil { report.packs += 1 }
            report.bytes += Int64(pack.commit == nil ? pack.size : present.bytes(of: pack))
            // Of a commit in a run its own blocks are not expected.
            if pack.commit.map(history.commitsInRuns.contains) ?? false { continue }
            if let damage = present.damage(to: pack) {
                // What was given up may be gone.
                if retired.contains(pack.id) { continue }
                // What it held may have been stored again.
                if present.hasReplaced(number, of: history.index) { continue }
                report.problems.append(.damage(damage))
                report.brokenPacks.insert(pack.id)
            } else if isRead(pack.id) {
                whole.append(number)
            }
        }
        let named = Set(history.index.packs.map(\.id))
        for (id, size) in present.sizes where !named.contains(id) {
            report.unreferenced += 1
            report.unreferencedBytes = report.unreferencedBytes.saturatingAdding(Int64(size))
        }
        if !whole.isEmpty { try read(whole, context, history, present, &report) }
    }

    /// The shared state of the workers.
    private struct Work {
        var problems: [VaultProblem] = []
        var broken: Set<PackID> = []
        var liars: Set<Int> = []
        var progress: WorkProgress
    }

    /// Reads these packs to their ends, on all cores.
    private static func read(
        _ packs: [Int], _ context: VaultContext, _ history: History, _ present: PresentPacks, _ report: inout Report
    ) throws {
        var progress = WorkProgress(.checking)
        progress.totalFiles = packs.count
        let index = history.index
        progress.totalBytes = packs.reduce(0) { $0 + Int64(present.bytes(of: index.packs[$1])) }
        let work = Mutex(Work(progress: progress))
        let givenUp = history.retiredPacks.filter { present.sizes[$0] == nil }
        let readers = { @Sendable in try ContentReader(of: context.vault, index, present, without: givenUp) }
        // Over a network most of the time goes into waiting for an answer: of each pack four parts are on their way.
        let threads = context.vault.objects.readsAreDownloads ? max(4, Workers.coreCount) : Workers.coreCount
        try Workers.forEach(packs.count, on: min(packs.count, threads), context: readers) { at, reader in
            let (number, pack) = (packs[at], index.record(packs[at]))
            try context.surroundings.cancellation.throwIfRequested()
            do {
                try reader.verify(packNumber: number)
            } catch let error as VaultError {
                let isLiar = reader.liars.contains(number)
                work.withLock { work in
                    // A pack that may not be read is whole, as far as anybody knows.
                    if case .damaged(_, .noPermission) = error { return work.problems.append(.damage(error)) }
                    if isLiar { work.liars.insert(number) }
                    // A false record harms nothing if other records place all of its content.
                    guard !work.liars.contains(number) || !index.isAlone(number) else { return }
                    work.problems.append(.damage(error))
                    // It may be about the base of a delta, whose pack is read too.
                    if error.isAbout(pack.name) { work.broken.insert(pack.id) }
                }
            }
            context.reporter.progress(
                work.withLock { work in
                    work.progress.files += 1
                    work.progress.bytes += Int64(present.bytes(of: index.packs[number]))
                    return work.progress
                })
        }
        let done = work.withLock { $0 }
        report.problems += done.problems
        if !done.broken.isEmpty { report.isInTheWay = true }
        report.brokenPacks.formUnion(done.broken)
        report.liars.formUnion(done.liars)
        report.readPacks = packs.filter { !done.liars.contains($0) && !done.broken.contains(index.packs[$0].id) }
            .map { index.packs[$0].id }
        report.readBytes = done.progress.bytes
    }

    // MARK: Versions

    /// Checks that each version's parents are there, and that its members can be put together.
    /// Of the content of `retired` ones nothing is expected.
    private static func checkVersions(_ history: History, _ retired: Set<VersionID>, _ report: inout Report) {
        var damaged: Set<DamagedDocument> = []
        for (id, stray) in history.strays.sorted(by: { $0.key < $1.key }) {
            report.problems.append(.version(id, .strayParent(stray)))
        }
        for version in history.versionsByBase {
            report.versions += 1
            for parent in version.header.parents
            where history.versions[parent] == nil && history.missing.isEmpty && history.damaged.isEmpty {
                report.problems.append(.version(version.id, .missingParent))
            }
            guard !version.header.isTombstone else { continue }
            do {
                let members = try history.members(of: version.id)
                let content = look(at: members, history.index)
                if retired.contains(version.id) {
                    report.pruned += 1
                    continue
                }
                if case .flawed(let flaw) = content { report.problems.append(.version(version.id, flaw)) }
                if content != .whole { damaged.insert(DamagedDocument(path: version.header.path, version: version.id)) }
            } catch {
                if let error = error as? VaultError { report.problems.append(.damage(error)) }
                damaged.insert(DamagedDocument(path: version.header.path, version: version.id))
            }
        }
        report.damagedDocuments = damaged.sorted { ($0.path, $0.version) < ($1.path, $1.version) }
    }

    /// The state of a version's content.
    private enum Content: Equatable {
        /// All of it is there.
        case whole
        /// A piece of it is in a broken pack, which the report names already.
        case inBrokenPack
        /// The version itself is flawed.
        case flawed(VersionFlaw)
    }

    /// Looks up each chunk in the index. Reads no content.
    private static func look(at members: [Member], _ index: ChunkIndex) -> Content {
        for member in members {
            guard case .file(let size, let chunks) = member.content else { continue }
            var sum: Int64 = 0
            for chunk in chunks {
                guard let location = index.location(of: chunk), index.isPlaced(chunk) else {
                    return .flawed(.unplacedContent)
                }
                sum = sum.saturatingAdding(Int64(location.length))
                if index.isLost(location) { return .inBrokenPack }
            }
            if sum != size { return .flawed(.pieceSum) }
        }
        return .whole
    }
}

extension History {
    /// A problem for each commit that has this false record of a pack; one of the pack if only a run has it.
    fileprivate func falseRecords(of number: Int) -> [VaultProblem] {
        let pack = index.packs[number]
        let commits = commits(naming: number)
        return commits.isEmpty
            ? [.damage(.damaged(.object(pack.name.text), .otherChunk))] : commits.map { .falseRecord(pack.id, $0) }
    }
}
