import CueBase
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault

/// Reads the commits that are new in the vault since this device last looked.
struct Pull {
    /// This device, under the id with which it goes on.
    var device: OpenLibrary.Device
    /// Whether this device got a new id.
    var isNewDevice = false
    /// Projects whose newest version in the vault is not this device's base, by path.
    var unlinked: [RelativePath: UnlinkedProject] = [:]
    /// Whether a project has a head that is not this device's base.
    var hasNews = false
    /// Whether all of the log was listed, and not only what came since the last run.
    private var isWhole = false
    /// The number of projects whose settings other devices set.
    private(set) var settings = 0
    /// Commits of other devices that do not open.
    private(set) var notArrived: [HistoryGap] = []
    /// All commits of the vault, as they were listed now or before; nil if the size of one is unknown.
    private(set) var commits: [LogEntry]?

    /// Reads the new commits, and notes them in the local store, or the reason why the history was refused. Throws
    /// `VaultError.wentBack` or `.keysWentBack` if a commit or an epoch is gone that this device has seen, and
    /// `.shutOut` if another device changed the keys and this one has none of the new.
    static func run(_ context: EngineContext, _ device: OpenLibrary.Device) throws -> Pull {
        let store = context.library.store
        let pull: Pull
        do { pull = try read(context, device) } catch let error as VaultError {
            // That a passphrase was removed is no damage of the vault.
            if case .shutOut = error { throw error }
            try? store.write { try $0.set(VaultProblem(error), as: .historyProblem) }
            throw error
        }
        let told = try store.read { (history: try $0.problem(.historyProblem), check: try $0.problem(.checkProblem)) }
        // Every commit that this device has seen is there again.
        let areCommitsBack = pull.isWhole && told.check?.isCommitsGone ?? false
        if told.history != nil || areCommitsBack {
            try store.write { transaction in
                try transaction.set(nil, as: .historyProblem)
                if areCommitsBack { try transaction.set(nil, as: .checkProblem) }
            }
        }
        return pull
    }

    private static func read(_ context: EngineContext, _ device: OpenLibrary.Device) throws -> Pull {
        let (library, vault, now) = (context.library, context.vault, context.clock.now)
        // What this run writes is sealed with the newest key.
        try vault.proveNewest(vault.readEpochs())
        var pull = Pull(device: device)
        let (seen, intent, cursor, written) = try library.store.read {
            let cursor = try $0.cursor(.logCursor, listed: .logListed, at: now)
            return (
                try $0.seen(), try $0.value(.intent), cursor, cursor == .start ? [] : try $0.neverListed()
            )
        }
        let news = try commits(of: vault, after: cursor, written)
        pull.isWhole = news.isWhole
        // A service lists only the new ones. A missing older one is noticed when all are listed, at least once a day.
        let hasRuns = try !news.runs.isEmpty || library.store.read { try $0.value(.hasRuns) } ?? false
        pull.commits = news.isWhole ? news.entries : hasRuns ? nil : try library.listing(with: news)
        let present = Set(news.entries.map(\.position))
        let lost = news.isWhole ? seen.subtracting(present) : news.lost
        // Commits are never removed: the vault was put back to an older state, or is only partly there.
        guard lost.isEmpty else { throw VaultError.wentBack(missing: lost.count) }
        let new = present.subtracting(seen)
        if !new.isEmpty {
            try pull.absorb(new, news, context, isFirst: seen.isEmpty, intent)
        } else if news.cursor != cursor || !written.isEmpty {
            try library.store.write { try $0.take(news, isRead: true, at: now) }
        }
        (pull.unlinked, pull.hasNews) = try library.store.read { (try $0.unlinked(), try $0.value(.hasNews) ?? false) }
        return pull
    }

    /// The commits after a cursor; all commits if one of `written` is not among them. The cursor is older than these,
    /// so the log does not know that they have to be there: a service may have said that it stored them, and have not.
    private static func commits(
        of vault: Vault, after cursor: LogCursor, _ written: [LogPosition]
    ) throws -> LogNews {
        let news = try vault.commits(after: cursor)
        guard !news.isWhole, !Set(news.entries.map(\.position)).isSuperset(of: written) else { return news }
        return try vault.commits(after: .start)
    }

    /// Reads the history with these new commits, and takes it over.
    private mutating func absorb(
        _ new: Set<LogPosition>, _ news: LogNews, _ context: EngineContext, isFirst: Bool, _ intent: CommitID?
    ) throws {
        let (library, vault, now) = (context.library, context.vault, context.clock.now)
        var (new, news) = (new, news)
        var partial = try library.listing(with: news).map { try library.newest(of: vault, $0) }
        // A commit may have arrived late, before the position of the cursor, such as one of a clone. Only the whole
        // list shows it.
        if !news.isWhole, partial.map({ !$0.awaited(at: now).isEmpty }) ?? true {
            partial = nil
            news = try vault.commits(after: .start)
            let (seen, present) = (try library.store.read { try $0.seen() }, Set(news.entries.map(\.position)))
            let lost = seen.subtracting(present)
            guard lost.isEmpty else { throw VaultError.wentBack(missing: lost.count) }
            new = present.subtracting(seen)
        }
        let history = try partial ?? library.newest(of: vault, news.entries)
        // Content of a pack that is gone or cut is stored again, if this disk still has it.
        let packs = try vault.presentPacks(news.isWhole ? news.entries : nil)
        try history.proveRead(by: device.id, of: library, isFirst: isFirst)
        let shutOuts = history.devicesShutOut
        if let own = shutOuts.first(where: { $0.what.device == device.id }) {
            // What this device wrote from here on would be set aside.
            throw VaultError.deviceShutOut(
                by: history.name(of: own.holder.device), at: history.time(of: own.holder) ?? now)
        }
        notArrived = history.gapsThatMayClose(at: nil)
        new.subtract(history.unread)
        let own = takeOwn(new.filter { $0.device == device.id }, intent, history, context)
        let state = history.state()
        // Before its first commit a device shows the newest snapshot of others; from then on, the newest one that
        // contains its own commit.
        let snapshot =
            own == nil && device.generation > 0 ? nil : try history.snapshot(after: device.lastCommit, in: vault)
        let entries = try library.store.read { try $0.folders() }
        // The disk may not have the versions that a sync wrote (joins, answers): they are taken like any other news.
        let isOfDisk = try library.store.read { try $0.value(.intentIsOfDisk) } ?? true
        let adoption = try isOfDisk ? own.map { try OwnCommitRecovery(of: $0.commit, history, vault, entries) } : nil
        let known = try Self.bases(entries).merging(adoption?.bases ?? [:]) { $1 }
        var unlinked: [RelativePath: UnlinkedProject] = [:]
        for project in state.live where known[project.id] != project.shown.id {
            let members: [Member]
            do { members = try history.members(of: project.shown.id) } catch let error as VaultError {
                // The base of the difference has not arrived yet. The project is passed over, except on a first pull:
                // without its members this device could not distinguish its own copy from different content.
                guard !isFirst else { throw error }
                continue
            }
            unlinked[project.shown.header.path] = UnlinkedProject(
                project: project.id, version: project.shown.id, kind: project.shown.header.kind,
                fingerprint: vault.fingerprint(of: members), content: vault.contentFingerprint(of: members))
        }
        let hasNews = state.projects.values.contains { project in
            project.heads.map(\.id) != known[project.id].map { [$0] }
                && !(project.isDeleted && known[project.id] == nil)
        }
        let mayComeYet = history.isAwaiting(at: now)
        let devices = try isFirst ? DeviceNews() : DeviceNews(in: history, among: new, but: device.id, library)
        let retired = history.retiredPacks
        let toAcknowledge = Set(history.retirements).subtracting(history.acknowledged(by: device.id)).sorted()
        let notes = TakenNotes(history, new: new, own: own)
        settings = notes.arrived.count
        try library.store.write { transaction in
            if hasNews || mayComeYet { try transaction.set(.hasNews, to: true) }
            let digests = history.digests
            let marks = new.map { CommitMark($0, digests[$0]) }
            try transaction.addSeen(marks.filter { history.commits[$0.position] != nil }, at: now)
            try transaction.addSeen(marks.filter { history.commits[$0.position] == nil }, at: now, isSummed: true)
            // The cursor stays if a commit could not be read, so that it is listed again.
            try transaction.take(news, isRead: history.unread.isEmpty, at: now)
            try transaction.setNeverVerified(of: Set(packs.sizes.keys))
            // What may be gone is stored again where nothing else has it.
            if try !retired.isEmpty && !retired.isDisjoint(with: transaction.packs().keys) {
                try transaction.removeChunks()
            }
            let broken = try transaction.brokenPacks()
            try transaction.take(history.index, packs, but: broken.union(retired).union(history.lostInline))
            try transaction.set(.toAcknowledge, to: toAcknowledge.isEmpty ? nil : FactCode(toAcknowledge))
            try transaction.setLimits(shutOuts)
            try transaction.doubtWhatIsSetAside(in: history)
            try transaction.add(devices, without: Set(shutOuts.map(\.what.device)))
            try transaction.setUnlinked(unlinked)
            try notes.save(transaction)
            try adoption?.save(transaction)
            if let own, let record = history.commits[own]?.record {
                try transaction.set(.isSnapshotOpen, to: !record.isSnapshot)
            }
            try transaction.set(device)
            if let snapshot { try transaction.set(.snapshot, to: snapshot) }
        }
        notes.takePlans(in: library.state, at: now)
    }

    /// Handles commits under this device's own id that it does not remember. One may be its own, written just before it
    /// was killed. Others are those of a clone, such as a restored disk image; then this device goes on under a new id.
    ///
    /// Returns the commit that is this device's own; nil if there is none.
    private mutating func takeOwn(
        _ own: Set<LogPosition>, _ intent: CommitID?, _ history: History, _ context: EngineContext
    ) -> LogPosition? {
        guard let newest = own.max() else { return nil }
        let isMine = own.count == 1 && newest.generation == device.generation + 1 && newest.commit == intent
        if isMine {
            (device.generation, device.commit) = (newest.generation, newest.commit)
            device.digest = history.commits[newest]?.digest
        } else {
            device.begin(of: context.vault.id, using: context.randomness)
            isNewDevice = true
        }
        return isMine ? newest : nil
    }

    /// The base of each project in these folders.
    private static func bases(_ folders: [RelativePath?: [UInt8]]) throws -> [ProjectID: VersionID] {
        var bases: [ProjectID: VersionID] = [:]
        for encoded in folders.values { for entry in try encoded.entries() { bases[entry.project] = entry.base } }
        return bases
    }
}

extension OpenLibrary {
    /// All commits of the log: those that were listed before, and the news. nil if the size of one is unknown, and only
    /// the log itself knows it.
    fileprivate func listing(with news: LogNews) throws -> [LogEntry]? {
        if news.isWhole { return news.entries }
        var sizes = try store.read { try $0.seenSizes() }
        // Of a commit in a run the size is a share of that, and it may stand by itself too.
        for entry in news.entries where entry.run == nil || sizes[entry.position] == nil {
            sizes.updateValue(entry.size, forKey: entry.position)
        }
        let entries = sizes.compactMap { position, size in size.map { LogEntry(position: position, size: $0) } }
        return entries.count == sizes.count ? entries.sorted { $0.position < $1.position } : nil
    }
}

extension LocalStore.Transaction {
    /// Notes the listed commits and, if all of them were read, the cursor.
    fileprivate func take(_ news: LogNews, isRead: Bool, at now: Timestamp) throws {
        guard news.cursor != .start else { return }
        if news.isWhole || !news.runs.isEmpty { try set(.hasRuns, to: !news.runs.isEmpty) }
        // Of a commit in a run it is a share of that, and the commit may stand by itself beyond the cursor.
        try setSizes(news.isWhole ? news.entries : news.entries.filter { $0.run == nil })
        if isRead { try take(news, as: .logCursor, listed: .logListed, at: now) }
    }
}

extension History {
    /// Throws if a commit does not open that this device has read before, or wrote: what it stores next would rely on
    /// that commit.
    ///
    /// A commit that it never read may still be arriving (docs/sync.md §4), and counts as not there. A device's first
    /// look at a vault throws in any case: it needs the whole history.
    func proveRead(by device: DeviceID, of library: OpenLibrary, isFirst: Bool = false) throws {
        guard let damage = damaged.first else { return }
        let (opened, intent) = try library.store.read { (try $0.seen(opened: true), try $0.value(.intent)) }
        // A commit is its own if it read it, or remembers writing it. Any other commit under its id may be a clone's
        // that has not arrived whole, or a file that anyone put there.
        let isOwn = { (position: LogPosition) in position.device == device && position.commit == intent }
        if isFirst || unread.contains(where: { opened.contains($0) || isOwn($0) }) { throw damage }
    }
}
