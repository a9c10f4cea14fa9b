import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Looks at what is in the way of a restore into a library, and stores first what is in no version.
struct Safekeeping {
    private let context: EngineContext
    /// The history of the plan.
    private let history: History
    private let mayStore: Bool
    /// The folder as it was looked at last.
    private(set) var target: RestoreTarget
    /// The plan without what is there already.
    private(set) var checked: RestorePlan
    /// The newest state of the vault, with what was stored.
    private(set) var newest: History
    /// The documents that were stored.
    private(set) var stored: [StoredFirst] = []

    /// Looks, and stores if `mayStore`. Nothing may be replaced if it throws: `EngineError.wouldOverwrite`,
    /// `otherKindInTheWay` or `NotStored`.
    init(
        _ plan: RestorePlan, _ context: EngineContext, _ history: History, _ packs: PresentPacks, mayStore: Bool
    ) throws {
        (self.context, self.history, self.mayStore) = (context, history, mayStore)
        (checked, newest) = (plan, history)
        target = try Self.target(context, history, history, packs, mayStore)
        let found = try look(plan)
        guard !found.isEmpty else { return }
        guard mayStore else { throw EngineError.wouldOverwrite(found.names.sorted().map { Display.text($0) }) }
        try Self.refuse(found.immovable)
        let strangers = found.strangers.sorted()
        let summary = try store(strangers)
        newest = try context.library.newest(of: context.vault)
        let present = try newest.findPacks(in: context.vault)
        target = try Self.target(context, history, newest, present, mayStore)
        checked = plan
        let left = try look(plan)
        try Self.refuse(left.immovable)
        if !left.strangers.isEmpty {
            let documents = left.strangers.sorted()
            throw NotStored(documents: documents, cause: Self.cause(documents[0], summary))
        }
        let entries = try StoredEntries(context.library)
        stored = try strangers.compactMap { path in
            try entries.entry(at: path).map { StoredFirst(path: path, version: $0.base) }
        }
    }

    private static func target(
        _ context: EngineContext, _ history: History, _ newest: History, _ packs: PresentPacks, _ mayStore: Bool
    ) throws -> RestoreTarget {
        let library = context.library
        let broken = try library.store.read { try $0.brokenPacks() }
        return RestoreTarget(
            root: library.root, madeRoot: false, context.ofVault, history, backedUp: try StoredEntries(library),
            lastCopies: LastCopies(context.vault, newest, packs, broken: broken), mayStore ? .keepUnstored : .keep)
    }

    private mutating func look(_ plan: RestorePlan) throws -> RestoreTarget.Obstacles {
        let found = try target.check(&checked)
        // The next backup stores documents again that the vault has lost.
        let (isLost, broken) = (!target.endangered.isEmpty, Array(target.brokenPacks))
        guard !found.isEmpty, isLost || !broken.isEmpty else { return found }
        try context.library.store.write { transaction in
            try transaction.addBroken(broken)
            if isLost { try transaction.set(.isContentLost, to: true) }
        }
        return found
    }

    private static func refuse(_ immovable: Set<RelativePath>) throws {
        guard immovable.isEmpty else {
            throw EngineError.otherKindInTheWay(immovable.sorted().map { Display.text($0) })
        }
    }

    // MARK: Store

    /// Stores these documents, and those among them that the vault has lost.
    private func store(_ documents: [RelativePath]) throws -> BackupSummary {
        waitUntilOld(documents)
        var options = Backup.Options()
        options.only = Set(documents)
        do {
            return try Backup.perform(context, options, again: Set(target.endangered.map(\.entry.project))).summary
        } catch let error as Interrupted {
            throw error
        } catch {
            throw NotStored(documents: documents, cause: .failed(error))
        }
    }

    /// Waits until no change to the documents could leave their times as they are: at most 20 ms, or 2 s where the file
    /// system counts whole seconds.
    private func waitUntilOld(_ documents: [RelativePath]) {
        var folders = FolderPath(context.library.root)
        func isFresh(_ path: RelativePath) -> Bool {
            guard let standing = try? PathOccupant(path.name, in: folders.openParent(of: path)) else { return false }
            let now = FileTime.now
            return switch standing {
            case .single(let stat): stat.isTooFresh(at: now)
            case .folder(let listing): listing.items.contains { StatKey($0.info).isTooFresh(at: now) }
            }
        }
        for _ in 0..<210 where documents.contains(where: isFresh) { Wait.milliseconds(10) }
    }

    private static func cause(_ path: RelativePath, _ summary: BackupSummary) -> NotStored.Cause {
        let isOf = { (other: RelativePath) in other == path || other.isInside(path) || path.isInside(other) }
        if let skipped = summary.skipped.first(where: { $0.path.map(isOf) ?? false }) {
            return .skipped(skipped.reason)
        }
        return summary.unsettled.contains(path) || summary.stored.contains { $0.path == path } ? .unsettled : .ignored
    }
}
