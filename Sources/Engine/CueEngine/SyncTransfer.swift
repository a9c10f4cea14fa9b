import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Brings the folder to what a plan says. Whatever is not as this device last stored it, or is open in an application, stays as it is,
/// and is named.
///
/// Order: what goes, what moves, what is new or changed, and the times of folders last. Each step is noted in the journal before it is
/// done, and the local store follows in one transaction at the end.
struct SyncTransfer {
    private let library: OpenLibrary
    private let vault: Vault
    private let history: History
    private let reporter: any Reporter
    private let names = TemporaryNames.random()
    private let backedUp: BackedUp
    private let proof: ContentProof
    private let journal: SyncJournal
    private let open: OpenDocuments
    private var folders: FolderPath
    private var edits: FolderEdits
    private var bundles: [ProjectID: [MemberEntry]] = [:]
    private var removedBundles: [ProjectID] = []
    /// Folders whose times our own work disturbs, as they were.
    private var touched: [RelativePath: FileInfo] = [:]
    /// Folders of which something new is remembered already.
    private var decided: Set<RelativePath> = []
    private var temporaries = 1_000_000
    private(set) var received: [RelativePath] = []
    private(set) var renamed: [RelativePath] = []
    private(set) var removed: [RelativePath] = []
    private(set) var waiting: [Scan.Skipped] = []
    private(set) var isDamaged = false

    /// A document on its way to its place, with what stands there now.
    private struct Placing {
        let take: SyncPlan.Take
        var standing: Standing?
    }

    init(_ library: OpenLibrary, _ vault: Vault, _ history: History, _ reporter: any Reporter) throws {
        (self.library, self.vault, self.history, self.reporter) = (library, vault, history, reporter)
        backedUp = try BackedUp(library)
        proof = ContentProof(vault, history.index)
        journal = try SyncJournal(of: library)
        open = OpenDocuments(below: library.path)
        (folders, edits) = (FolderPath(library.root), FolderEdits(library.store))
    }

    mutating func run(_ plan: SyncPlan) throws {
        do {
            try begin(plan)
            try agree(plan.agreed)
            for known in plan.forgotten { try forget(known) }
            try remove(plan.removals.filter { $0.known.entry.kind != .folder })
            let placings = try move(plan.takes.filter { $0.version.header.kind != .folder })
            try removeFolders(plan)
            try place(placings, plan.takes.filter { $0.version.header.kind == .folder })
            try save()
            try journal.close()
        } catch {
            // What was done is taken over now as it would be after a kill.
            try? SyncJournal.recover(library)
            throw error
        }
    }

    private mutating func begin(_ plan: SyncPlan) throws {
        var parents = Set(
            plan.takes.flatMap { [$0.version.header.path.parent, $0.old?.path.parent] }.compactMap(\.self))
        parents.formUnion(plan.removals.compactMap(\.known.path.parent))
        try journal.note(.begin(run: names.run, folders: parents.sorted()))
        for path in parents { touched[path] = try? folders.open(path).info() }
    }

    private mutating func wait(_ path: RelativePath, _ reason: String) {
        waiting.append(Scan.Skipped(path: path, reason: reason))
    }

    private mutating func newName() -> [UInt8] {
        temporaries += 1
        return names.name(temporaries)
    }

    // MARK: What may be touched

    /// What stands at a path, if it is what this device stored last; nil if somebody has touched it since, or it is gone.
    private mutating func unchanged(_ known: SyncPlan.Known) throws -> Standing? {
        guard let folder = try? folders.openParent(of: known.path),
            let standing = try? Standing(known.path.name, in: folder), let info = try folder.info(of: known.path.name)
        else { return nil }
        if try backedUp.holds(known.entry, known.path, info, &folders) { return standing }
        // Times can be too coarse or too fresh to tell: then the content does.
        return try holdsContent(known, standing, folder) ? standing : nil
    }

    private func holdsContent(_ known: SyncPlan.Known, _ standing: Standing, _ folder: Folder) throws -> Bool {
        guard let members = try? history.members(of: known.entry.base) else { return false }
        switch standing {
        case .single(let stat):
            guard let member = members.first else { return false }
            return try holds(member, size: stat.size, folder, known.path.name)
        case .folder(let listing):
            guard known.entry.kind == .bundle, listing.items.count == members.count else { return false }
            var inner = FolderPath(try folder.folder(known.path.name))
            return try zip(listing.items, members.sorted { $0.path < $1.path }).allSatisfy { item, member in
                try item.path == member.path
                    && (item.path.isRoot
                        || holds(member, size: item.info.size, inner.openParent(of: item.path), item.path.name))
            }
        }
    }

    private func holds(_ member: Member, size: Int64, _ folder: Folder, _ name: [UInt8]) throws -> Bool {
        let kind = try folder.info(of: name)?.kind
        switch member.content {
        case .file(let expected, let chunks):
            return try kind == .file && size == expected && proof.holds(folder, name, chunks)
        case .symlink(let target): return try kind == .symlink && folder.target(of: name) == target
        case .folder: return kind == .folder
        }
    }

    /// As `unchanged`, and in no application's hands; says so where that is not the case.
    private mutating func free(_ known: SyncPlan.Known, _ what: String) throws -> Standing? {
        if let holder = open.holder(of: known.path, known.entry.kind, &folders) {
            wait(known.path, "\(what), and is open here (\(holder)); it is left as it is until that is closed")
            return nil
        }
        guard let standing = try unchanged(known) else {
            wait(known.path, "\(what), and was touched here meanwhile; the next sync looks at both")
            return nil
        }
        return standing
    }

    // MARK: Go

    private mutating func remove(_ removals: [SyncPlan.Removal]) throws {
        for removal in removals {
            try Interruption.throwIfRequested()
            try each(removal.known.path) { try $0.remove(removal) }
        }
    }

    /// One document that the file system does not let us touch keeps only itself back.
    private mutating func each(_ path: RelativePath, _ body: (inout SyncTransfer) throws -> Void) throws {
        do { try body(&self) } catch let error as SystemError where !error.isNoSpace && !error.isReadOnly {
            wait(path, "this folder does not let it be changed (\(error.reason)); it is left as it is")
            folders.reset()
        }
    }

    private mutating func remove(_ removal: SyncPlan.Removal) throws {
        let (path, entry) = removal.known
        guard let standing = try free(removal.known, "it was deleted on another device") else { return }
        let folder = try folders.openParent(of: path)
        let temporary = newName()
        try journal.note(.aside(path, temporary: temporary))
        try folder.renameNew(path.name, to: folder, temporary)
        folders.reset()
        guard let now = try Standing(temporary, in: folder), now.isSame(as: standing) else {
            try folder.renameNew(temporary, to: folder, path.name)
            return wait(path, "it was deleted on another device, and was touched here meanwhile")
        }
        try journal.note(.discard(path, temporary: temporary))
        try folder.removeAll(temporary)
        try forget(removal.known)
        if entry.kind.isDocument { removed.append(path) }
    }

    private mutating func forget(_ known: SyncPlan.Known) throws {
        try edits.forget(known.entry.project, at: known.path)
        if known.entry.kind == .bundle { removedBundles.append(known.entry.project) }
    }

    /// Folders that are empty now, the deepest first. One that still holds something stays, and is not stored anew because of it.
    private mutating func removeFolders(_ plan: SyncPlan) throws {
        let gone = plan.removals.filter { $0.known.entry.kind == .folder }.map { ($0.known, Optional($0.tombstone)) }
        let moved = plan.takes.compactMap { take in
            take.version.header.kind == .folder && take.old.map { $0.path != take.version.header.path } ?? false
                ? take.old.map { ($0, VersionID?.none) } : nil
        }
        folders.reset()
        for (known, tombstone) in (gone + moved).sorted(by: { $1.0.path < $0.0.path }) where !known.path.isRoot {
            guard let parent = try? folders.openParent(of: known.path) else { continue }
            removeFinderFile(known.path)
            folders.reset()
            do throws(SystemError) {
                try parent.removeFolder(known.path.name)
                try? edits.forget(known.entry.project, at: known.path)
            } catch {
                guard !error.isNotFound else {
                    try edits.forget(known.entry.project, at: known.path)
                    continue
                }
                guard let tombstone, let info = try parent.info(of: known.path.name) else { continue }
                var entry = known.entry
                (entry.base, entry.stat) = (tombstone, StatKey(info))
                decided.insert(known.path)
                try edits.put(entry, at: known.path)
            }
        }
    }

    /// What the Finder leaves in every folder is no reason to keep an empty one.
    private mutating func removeFinderFile(_ path: RelativePath) {
        let name = Array(".DS_Store".utf8)
        guard let folder = try? folders.open(path), (try? folder.names()) == [name] else { return }
        try? folder.remove(name)
    }

    // MARK: Move

    private struct Move {
        let take: SyncPlan.Take
        let old: SyncPlan.Known
        let standing: Standing
        /// Where it is now: under its old name, or under a temporary one for a moment.
        var now: RelativePath
    }

    private enum Moved {
        case done
        /// It has its new name, and is still to get its new content.
        case unfinished(Placing)
        /// Something stands at its new name.
        case blocked
    }

    /// Gives documents that are here under another name their new one; returns what is to be written.
    private mutating func move(_ takes: [SyncPlan.Take]) throws -> [Placing] {
        var placings: [Placing] = []
        var moves: [Move] = []
        for take in takes {
            guard let old = take.old else {
                placings.append(Placing(take: take))
                continue
            }
            if old.path == take.version.header.path, vault.fingerprint(of: take.members) == old.entry.fingerprint {
                // The disk has it: only its version is another.
                var entry = old.entry
                (entry.base, entry.depth) = (take.version.id, DeltaRules.depth)
                try edits.put(entry, at: old.path)
                continue
            }
            guard let standing = try free(old, "it was changed on another device") else { continue }
            if old.path == take.version.header.path {
                placings.append(Placing(take: take, standing: standing))
            } else {
                moves.append(Move(take: take, old: old, standing: standing, now: old.path))
            }
        }
        // One may wait for the name of another, and names may be exchanged in circles: then one goes aside for a moment.
        while !moves.isEmpty {
            var later: [Move] = []
            for move in moves {
                try each(move.old.path) { transfer in
                    switch try transfer.move(move) {
                    case .done: break
                    case .unfinished(let placing): placings.append(placing)
                    case .blocked: later.append(move)
                    }
                }
            }
            if later.count == moves.count, try !stepAside(&later) {
                for move in later { try giveUp(move) }
                break
            }
            moves = later
        }
        return placings
    }

    private mutating func move(_ move: Move) throws -> Moved {
        try Interruption.throwIfRequested()
        let (take, old, path) = (move.take, move.old, move.take.version.header.path)
        let source = try folders.openParent(of: move.now)
        let target: Folder
        do { target = try folders.openOrMakeParent(of: path) } catch {
            // A document stands where the folder will be, and goes in its turn.
            guard error.isNotFolder else { throw error }
            return .blocked
        }
        guard try target.info(of: path.name) == nil, let inode = try source.info(of: move.now.name)?.inode else {
            return .blocked
        }
        let isWhole = vault.fingerprint(of: take.members) == old.entry.fingerprint
        var entry = old.entry
        (entry.name, entry.base) = (path.name, isWhole ? take.version.id : entry.base)
        if isWhole { entry.depth = DeltaRules.depth }
        try journal.note(.place(placing(entry, at: path, inode, temporary: [])))
        try source.renameNew(move.now.name, to: target, path.name)
        folders.reset()
        guard let moved = try Standing(path.name, in: target), moved.isSame(as: move.standing),
            let info = try target.info(of: path.name)
        else {
            try target.renameNew(path.name, to: try folders.openParent(of: old.path), old.path.name)
            wait(old.path, "it was renamed on another device, and was touched here meanwhile")
            return .done
        }
        entry.stat = StatKey(info)
        try edits.forget(entry.project, at: old.path)
        try edits.put(entry, at: path)
        if entry.kind.isDocument { renamed.append(path) }
        return isWhole ? .done : .unfinished(Placing(take: take, standing: moved))
    }

    private func placing(_ entry: Entry, at path: RelativePath, _ inode: UInt64, temporary: [UInt8])
        -> SyncJournal.Placing
    {
        SyncJournal.Placing(
            path: path, kind: entry.kind, project: entry.project, base: entry.base, fingerprint: entry.fingerprint,
            inode: inode, temporary: temporary)
    }

    /// Takes one document away from a name for which another waits. False if nothing waits for any of them.
    private mutating func stepAside(_ moves: inout [Move]) throws -> Bool {
        var wanted: Set<RelativePath> = []
        for move in moves {
            var path: RelativePath? = move.take.version.header.path
            while let next = path, !next.isRoot {
                wanted.insert(next)
                path = next.parent
            }
        }
        guard let blocking = moves.firstIndex(where: { wanted.contains($0.now) }) else { return false }
        let path = moves[blocking].now
        let folder = try folders.openParent(of: path)
        let temporary = newName()
        try journal.note(.aside(path, temporary: temporary))
        try folder.renameNew(path.name, to: folder, temporary)
        folders.reset()
        moves[blocking].now = (path.parent ?? .root).appending(temporary)
        return true
    }

    private mutating func giveUp(_ move: Move) throws {
        wait(move.old.path, "it has another name on another device, at which something else stands here")
        guard move.now != move.old.path else { return }
        let folder = try folders.openParent(of: move.now)
        try folder.renameNew(move.now.name, to: folder, move.old.path.name)
    }

    // MARK: Write

    private mutating func place(_ placings: [Placing], _ newFolders: [SyncPlan.Take]) throws {
        var plan = RestorePlan()
        var entries: [RelativePath: Entry] = [:]
        for placing in placings {
            let path = placing.take.version.header.path
            if placing.standing == nil, let obstacle = try obstacle(at: path) {
                wait(path, obstacle)
                continue
            }
            plan.place(placing.take.version, placing.take.members, replacing: placing.standing)
            entries[path] = entry(of: placing.take)
        }
        for take in newFolders where !take.version.header.path.isRoot {
            plan.place(take.version, take.members, replacing: nil)
        }
        let (journal, expected) = (journal, entries)
        let summary = try Restore.place(
            plan, vault, history, in: library, names,
            RestoreBuilder.Hooks(
                willPlace: { [self] path, inode, temporary in
                    guard let entry = expected[path] else { return }
                    try journal.note(.place(placing(entry, at: path, inode, temporary: temporary)))
                },
                willDiscard: { path, temporary in try journal.note(.discard(path, temporary: temporary)) }), reporter)
        waiting += summary.failed
        isDamaged = summary.isDamaged
        folders.reset()
        for placing in placings {
            if let entry = entries[placing.take.version.header.path] { try remember(placing.take, entry) }
        }
        try calmFolders(but: Set(newFolders.map(\.version.header.path)))
        for take in newFolders { try rememberFolder(take) }
    }

    /// What the local store will remember of a version, but for how it looks on the disk.
    private func entry(of take: SyncPlan.Take) -> Entry {
        let version = take.version
        return Entry(
            name: version.header.path.name, kind: version.header.kind, stat: .none, project: version.header.project,
            base: version.id, fingerprint: vault.fingerprint(of: take.members), depth: DeltaRules.depth)
    }

    /// Why nothing new can appear at a path; nil if the place is free.
    private mutating func obstacle(at path: RelativePath) throws -> String? {
        guard let folder = try? folders.openParent(of: path), try folder.info(of: path.name) != nil else { return nil }
        guard try folder.names().contains(path.name) else {
            return "a name in this folder differs from it only by capital letters or accents, which this disk cannot "
                + "tell apart; it stays in the vault"
        }
        return "something else stands at its name here; it stays in the vault"
    }

    private mutating func remember(_ take: SyncPlan.Take, _ entry: Entry) throws {
        let path = take.version.header.path
        // What failed was said; what is there is the old one, or somebody else's.
        guard let inode = journal.inode(placedAt: path), let folder = try? folders.openParent(of: path),
            let info = try folder.info(of: path.name), info.inode == inode
        else { return }
        var entry = entry
        if entry.kind == .bundle {
            let listing = try BundleListing(folder.folder(path.name))
            let members = take.members.sorted { $0.path < $1.path }
            if listing.items.map(\.path) == members.map(\.path) {
                bundles[entry.project] = zip(members, listing.items).map { member, item in
                    MemberEntry(stat: stat(item.info, of: member), member: member)
                }
            } else {
                removedBundles.append(entry.project)
            }
            entry.stat = StatKey(info)
        } else {
            entry.stat = take.members.first.map { stat(info, of: $0) } ?? StatKey(info).doubted
        }
        try edits.put(entry, at: path)
        if entry.kind.isDocument { received.append(path) }
    }

    /// How a file looks that we wrote; doubted if it is not as we left it.
    private func stat(_ info: FileInfo, of member: Member) -> StatKey {
        // Some file systems keep times in steps of two seconds.
        let isOurs =
            info.kind == .folder
            || info.size == member.size && abs(info.modified.seconds - member.modified.seconds) <= 2
            || info.kind == .symlink
        return isOurs ? StatKey(info) : StatKey(info).doubted
    }

    // MARK: Folders

    private mutating func rememberFolder(_ take: SyncPlan.Take) throws {
        let path = take.version.header.path
        guard let info = try? folders.open(path).info() else { return }
        var entry = entry(of: take)
        entry.stat = StatKey(info)
        if let old = take.old, old.path != path { try edits.forget(entry.project, at: old.path) }
        try edits.put(entry, at: path)
    }

    /// Gives folders in which we worked their times back: a sync is no edit.
    private mutating func calmFolders(but others: Set<RelativePath>) throws {
        for (path, before) in touched where !others.contains(path) && !decided.contains(path) {
            guard let folder = try? folders.open(path), var entry = try backedUp.entry(at: path), entry.kind == .folder,
                entry.stat.doubted == StatKey(before).doubted
            else { continue }
            try? folder.setModified(before.modified)
            entry.stat = StatKey(try folder.info())
            try edits.put(entry, at: path)
        }
    }

    // MARK: Remember

    /// What the disk has already, and the vault has under another id.
    private mutating func agree(_ agreed: [(old: SyncPlan.Known, version: History.Version)]) throws {
        for (old, version) in agreed {
            var entry = old.entry
            (entry.project, entry.base, entry.depth) = (version.header.project, version.id, DeltaRules.depth)
            try edits.forget(old.entry.project, at: old.path)
            try edits.put(entry, at: old.path)
            guard entry.kind == .bundle else { continue }
            bundles[entry.project] = try library.store.read { try $0.members(of: old.entry.project) }
            removedBundles.append(old.entry.project)
        }
    }

    private func save() throws {
        try library.store.write { transaction in
            try edits.save(transaction)
            for project in removedBundles { try transaction.removeMembers(of: project) }
            for (project, members) in bundles { try transaction.setMembers(members, of: project) }
            for path in received + renamed { try transaction.removeUnlinked(path) }
        }
    }
}
