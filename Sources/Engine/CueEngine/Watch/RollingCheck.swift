import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Reads a part of the vault back every day, so that all of it is read once a month. Damage to a pack that nothing ever
/// reads would show only when a restore needs it.
package struct RollingCheck {
    /// The result of one day's part.
    package struct Report: Sendable {
        /// The number of packs that were read.
        package var packs = 0
        /// The problems of the packs, the history and the key slots; empty if there are none.
        package var problems: [VaultProblem] = []
    }

    /// In milliseconds.
    private static let day: Int64 = 86_400_000
    private let context: EngineContext
    private var library: OpenLibrary { context.library }
    private var vault: Vault { context.vault }
    /// The time at which packs are noted as read.
    private let now: Timestamp

    /// For the part of the vault whose turn it is now.
    package init(_ context: EngineContext) { (self.context, now) = (context, context.clock.now) }

    /// Whether a day has passed since the last part was read, or the clock was set back since then.
    package var isDue: Bool {
        let last = (try? library.store.read { try $0.value(.lastSlice) }).flatMap { $0 }?.milliseconds ?? 0
        return last > now.milliseconds || now.milliseconds - last >= Self.day
    }

    /// A pack, and the commits with a record of it, one for each different record. Of a history that may be long, only
    /// this is kept.
    fileprivate struct Place {
        let id: PackID
        var commits: [LogEntry]
        /// The object that holds it. An error may also be about the base of a delta, which is read by itself.
        var names: [ObjectName] { commits.map { PackRecord.name(of: id, id.isInline ? $0.position : nil) } }
        /// The size that each of these commits gives it.
        var sizes: [Int]
    }

    /// The packs whose turn it is. They are read one by one, so that a sync that is due can run between two of them.
    package struct Slice {
        fileprivate let packs: [Place]
        fileprivate let present: PresentPacks
        fileprivate var left: ArraySlice<Int>
        fileprivate var report: Report
        /// The whole index, once a delta was read: its bases stand in other packs.
        fileprivate var index: ChunkIndex?
        /// The packs that are gone because they were given up, as of then.
        fileprivate var givenUp: Set<PackID> = []
        /// Whether every pack that a commit names is in the vault, and not cut. It says nothing about their content.
        fileprivate var areAllThere: Bool {
            packs.allSatisfy { place in place.sizes.contains { present.holds(place.id, size: $0) } }
        }
        /// Whether every pack was read.
        package var isDone: Bool { left.isEmpty }
    }

    /// Chooses the packs to read now, so that all are read within `days` days. Walks through the history, and repairs
    /// key slots (`KeyWatch.tend`).
    package func begin(days: Int = 30) throws -> Slice {
        let (packs, gaps, damaged) = try places()
        if !damaged.isEmpty {
            // What a damaged commit held itself is stored again, if this disk still has it.
            try library.store.write { transaction in
                try transaction.addBroken(damaged)
                try transaction.set(.isContentLost, to: true)
            }
        }
        let keys = try KeyWatch(context).tend()
        let problems = gaps.map { .gap($0) } + keys.troubles.filter { !$0.isMended }.map { VaultProblem.keySlot($0) }
        let (known, claimed, last) = try library.store.read {
            (try $0.verified(), try $0.claimedPacks(), try $0.value(.lastSlice)?.milliseconds)
        }
        // A watcher that did not run for some days reads more, up to the share of a week.
        let missed = last.map { max(1, min(7, (now.milliseconds - $0) / Self.day)) } ?? 1
        let turn = Self.turn(
            of: packs.map { claimed.contains($0.id) ? nil : known[$0.id] },
            first: Set(packs.indices.filter { claimed.contains(packs[$0].id) }), missed: Int(missed), days: days,
            now: now.milliseconds)
        return Slice(
            packs: packs, present: try vault.presentPacks(), left: turn[...],
            report: Report(packs: 0, problems: problems))
    }

    /// The packs that the commits name, in the order of the log, and the gaps in the history.
    /// `damaged`: the inline blocks of commits that do not open.
    private func places() throws -> ([Place], gaps: [HistoryGap], damaged: [PackID]) {
        var places: [Place] = []
        var numbers: [PackID: Int] = [:]
        var records: Set<Int> = []
        let history = try History.walk(vault) { entry, commit in
            try context.cancellation.throwIfRequested()
            for pack in commit.packs where records.insert(pack.hashValue).inserted {
                let size = pack.commit == nil ? pack.size : entry.size
                if let number = numbers[pack.id] {
                    places[number].commits.append(entry)
                    places[number].sizes.append(size)
                } else {
                    numbers[pack.id] = places.count
                    places.append(Place(id: pack.id, commits: [entry], sizes: [size]))
                }
            }
        }
        return (places, history.gaps, history.unreadInline)
    }

    /// The indices of the packs to read. Their number is the whole divided by `days`, for each of the `missed` days.
    ///
    /// `read`: when each pack was last read, in Unix milliseconds; nil if never. Packs that are overdue come first. As
    /// many that were never read may come beside them, so that neither keeps the other waiting; among these, the ones
    /// in `first` come before the others.
    static func turn(of read: [Int64?], first: Set<Int> = [], missed: Int, days: Int, now: Int64) -> [Int] {
        let share = (read.count * missed + days - 1) / days
        // A reading in the future is by a clock that was wrong: when it was is unknown, so the pack counts as overdue.
        let read = read.map { time in time.map { $0 > now ? 0 : $0 } }
        let old = read.indices.filter { read[$0] != nil }.sorted { (read[$0] ?? 0, $0) < (read[$1] ?? 0, $1) }
        let unread = read.indices.filter { read[$0] == nil }
        let new = (unread.filter(first.contains) + unread.filter { !first.contains($0) }).prefix(share)
        let overdue = old.prefix { now - (read[$0] ?? 0) >= Int64(days) * day }.prefix(share)
        let rest = old.dropFirst(overdue.count).prefix(max(0, share - overdue.count - new.count))
        return Array(overdue) + new + rest
    }

    /// Reads the next pack, and notes the result. Damage becomes a problem of the report; throws if the vault itself
    /// cannot be reached.
    package func step(_ slice: inout Slice) throws {
        guard let number = slice.left.popFirst() else { return }
        let place = slice.packs[number]
        slice.report.packs += 1
        do {
            let (pack, liars) = try read(place, &slice)
            slice.report.problems += liars.map { .falseRecord(place.id, $0.position) }
            try library.store.write { transaction in
                try transaction.addVerified([place.id], at: now.milliseconds)
                guard try transaction.isClaim(pack) else { return }
                try transaction.removeClaims([pack.id])
                // What a delta holds depends on its bases too.
                let whole = pack.blocks.lazy.filter { $0.codec != .delta }
                try transaction.addChunks(whole.flatMap { $0.chunks.map(\.id) })
            }
        } catch let error as VaultError {
            // Throws if the vault is not there: a disk that was pulled out is no damage.
            _ = try Vault.id(in: vault.objects)
            if try isReplaced(place.id, error, slice.present) { return try noteReplaced(place.id) }
            slice.report.problems.append(.damage(error))
            // From now on nothing relies on what other devices claim of this pack.
            try library.store.write { transaction in
                if case .damaged(_, .noPermission) = error { return }
                try transaction.removeClaims([place.id])
                try transaction.set(.isContentLost, to: true)
                // A pack that is missing or cut may still be arriving; only a damaged one is noted as broken.
                if case .damaged = error, place.names.contains(where: error.isAbout) {
                    try transaction.addBroken([place.id])
                }
            }
        }
    }

    /// Whether a pack is missing or cut, and all that it held was stored again.
    private func isReplaced(_ pack: PackID, _ error: VaultError, _ present: PresentPacks) throws -> Bool {
        switch error {
        case .missing, .cut: break
        default: return false
        }
        var history = try History.loadLatest(vault)
        history.take(present)
        let numbers = history.index.numbers(of: pack)
        return !numbers.isEmpty && numbers.allSatisfy { present.hasReplaced($0, of: history.index) }
    }

    /// Notes a pack that is not needed any more, as if it had been found right. Otherwise it would be first in the next
    /// part again, and each time the whole history is loaded for it.
    private func noteReplaced(_ pack: PackID) throws {
        try library.store.write { transaction in
            try transaction.addVerified([pack], at: now.milliseconds)
            try transaction.removeClaims([pack])
        }
    }

    /// Reads a pack by the records of it, until one proves true. Returns that record, and the commits with other
    /// records, which are false.
    private func read(_ place: Place, _ slice: inout Slice) throws -> (PackRecord, liars: [LogEntry]) {
        var first: VaultError?
        for commit in place.commits {
            do {
                return (
                    try read(place.id, by: commit, &slice), place.commits.filter { $0.position != commit.position }
                )
            } catch let error as VaultError {
                first = first ?? error
            }
        }
        throw first ?? .missing(.object(PackRecord.name(of: place.id, nil).text))
    }

    /// Reads a pack by the record in one commit. Throws `VaultError` if the pack is not as the record states.
    private func read(_ id: PackID, by commit: LogEntry, _ slice: inout Slice) throws -> PackRecord {
        let name = PackRecord.name(of: id, id.isInline ? commit.position : nil)
        guard let pack = try vault.commit(commit).pack(id),
            slice.present.holds(id, size: pack.commit == nil ? pack.size : commit.size)
        else {
            throw VaultError.missing(.object(name.text))
        }
        var index = ChunkIndex()
        index.add(pack)
        if pack.blocks.contains(where: { $0.codec == .delta }) {
            if slice.index == nil {
                var history = try History.load(vault)
                history.take(slice.present)
                slice.index = history.index
                slice.givenUp = history.retiredPacks.filter { slice.present.sizes[$0] == nil }
            }
            index = slice.index ?? index
        }
        index.prepare()
        try ContentReader(of: vault, index, slice.present, without: slice.givenUp).verify(pack)
        return pack
    }

    /// Notes that this day's part was read, and returns its report.
    package func finish(_ slice: Slice) throws -> Report {
        try library.store.write { transaction in
            let known = try transaction.problem(.vaultProblem)
            // A part without problems proves nothing of other packs, and nothing of what commits say of theirs.
            let stays = try known?.isFalseClaim ?? false || !slice.areAllThere || !transaction.brokenPacks().isEmpty
            try note(all: slice.packs.map(\.id), slice.report.problems.first ?? (stays ? known : nil), transaction)
        }
        return slice.report
    }

    /// Notes the result of a check of the whole vault, for `cue status`. Problems of key slots have a fact of their
    /// own, as a backup may repair them.
    package func note(_ check: Check.Report) throws {
        let problem = check.first
        try library.store.write { transaction in
            // The fact `checkProblem` comes from checks, read data or not, and the next check sets or clears it. The
            // fact `vaultProblem` comes from reading packs back, so only another reading clears it: a damaged pack
            // keeps its size.
            try transaction.set(problem, as: .checkProblem)
            // A run refused the history, and the vault may have been mended since.
            if let refused = try transaction.problem(.historyProblem), !refused.isDeviceShutOut,
                problem == nil || refused.isCommitsGone && check.commitsGone == 0
            {
                try transaction.set(nil, as: .historyProblem)
            }
            let packs = try transaction.packsFoundRight() + transaction.neverVerified()
            try transaction.addVerified(check.readPacks, at: now.milliseconds)
            guard check.didReadData else {
                try transaction.setNeverVerified(max(0, packs - transaction.packsFoundRight()))
                // All packs are there, and the check has read those that were damaged before.
                let werePacksGone = try transaction.problem(.vaultProblem)?.isPacksGone ?? false
                if problem == nil, !check.readPacks.isEmpty || werePacksGone {
                    try transaction.set(nil, as: .vaultProblem)
                }
                return
            }
            try transaction.addBroken(Array(check.brokenPacks))
            try note(all: check.readPacks + check.brokenPacks, problem, transaction)
        }
    }

    /// Notes when the pack that was read longest ago was read, how many were never read, and the problem. `all`: the
    /// packs of the vault.
    private func note(all: [PackID], _ problem: VaultProblem?, _ transaction: LocalStore.Transaction) throws {
        let known = try transaction.foundRight()
        try transaction.set(.lastSlice, to: now)
        let times = all.compactMap { known[$0] }
        try transaction.set(.verified, to: times.min().map(Timestamp.init(milliseconds:)))
        try transaction.setNeverVerified(all.count { !$0.isInline && known[$0] == nil })
        try transaction.set(problem, as: .vaultProblem)
    }
}
