import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Carries out a plan in the folder. A document that is not as this device last stored it, or is open in an
/// application, stays as it is and is listed as waiting.
///
/// Order: removals, new names, new content, and the times of folders last. Each step is noted in the journal, durably,
/// before it is done. The local store follows in one transaction at the end, when everything that it will contain is on
/// the disk.
struct SyncTransfer {
    let context: EngineContext
    var library: OpenLibrary { context.library }
    var vault: Vault { context.vault }
    let history: History
    let packs: PresentPacks
    /// This device.
    private let own: DeviceID
    let names: TemporaryNames
    let backedUp: StoredEntries
    let proof: ContentProof
    let journal: PlacingJournal
    let durability: Durability
    let open: OpenDocuments
    var folders: FolderPath
    var edits: FolderEdits
    var bundles: [ProjectID: [MemberEntry]] = [:]
    var removedBundles: [ProjectID] = []
    /// Folders whose times this run changes, as they were.
    var touched: [RelativePath: FileInfo] = [:]
    /// Folders that should go and are not empty, and those that went.
    var leftFolders: Set<RelativePath> = []
    var goneFolders: Set<RelativePath> = []
    /// Folders at and above which no document stands, while it is decided what can be placed.
    var clearFolders: Set<RelativePath> = []
    var temporaries = 1_000_000
    var received: [RelativePath] = []
    var news: [DocumentNews] = []
    var receivedFolders = 0
    var renamed: [RelativePath] = []
    var removed: [RelativePath] = []
    var waiting: [SkippedPath] = []
    var isDamaged = false
    /// Whether nothing is left under a temporary name; else the next run tries again to remove it.
    var isTidy = true

    /// A document on its way to its place, with what stands there now.
    struct Placing {
        let take: SyncPlan.Take
        var standing: PathOccupant?
    }

    /// Begins a journal. `files`: how many it will touch.
    init(_ context: EngineContext, _ history: History, _ packs: PresentPacks, files: Int) throws {
        (self.context, self.history, self.packs) = (context, history, packs)
        let library = context.library
        own = try library.device().id
        names = TemporaryNames(by: context.randomness)
        backedUp = try StoredEntries(library)
        proof = ContentProof(context.vault, history.index, context.cancellation)
        journal = try PlacingJournal(of: library)
        durability = Durability(of: library.root, files: files)
        open = OpenDocuments(below: library.path)
        (folders, edits) = (FolderPath(library.root), FolderEdits(library.store))
    }

    /// Carries out the plan. Throws `EngineError.notDurable`; after any other error it tidies up as after a kill.
    mutating func run(_ plan: SyncPlan) throws {
        do {
            try begin(plan)
            try agree(plan.agreed)
            for known in plan.forgotten { try forget(known) }
            try remove(plan.removals.filter { $0.entry.kind != .folder })
            let placings = try move(plan.takes.filter { $0.version.header.kind != .folder }, plan.goingFolders)
            try removeFolders(plan)
            try place(placings, plan.takes.filter { $0.version.header.kind == .folder })
            try durability.settle()
            try save()
            if isTidy { try journal.close() }
        } catch {
            // The disk may not keep what was written, so nothing is noted; the next run looks at what is there by then.
            if case EngineError.notDurable = error { throw error }
            // Takes over the finished steps, as the next run would after a kill.
            try? journal.recover()
            throw error
        }
    }

    private mutating func begin(_ plan: SyncPlan) throws {
        var parents = Set(
            plan.takes.flatMap { [$0.version.header.path.parent, $0.old?.path.parent] }.compactMap(\.self))
        parents.formUnion(plan.removals.compactMap(\.path.parent))
        try journal.begin(names, in: parents)
        for path in parents { touched[path] = try? folders.open(path).info() }
    }

    /// Notes that a document stays as it is in this run.
    mutating func wait(_ path: RelativePath, _ reason: SkipReason) {
        waiting.append(SkippedPath(path: path, reason: reason))
    }

    /// A temporary name of this run that was not given yet.
    mutating func newName() -> [UInt8] {
        temporaries += 1
        return names.name(temporaries)
    }

    // MARK: What may be touched

    /// The document at a path, if it is as this device last stored it; nil if it was changed since, or is gone.
    private mutating func unchanged(_ known: KnownProject) throws -> PathOccupant? {
        guard let folder = try? folders.openParent(of: known.path),
            let standing = try? PathOccupant(known.path.name, in: folder),
            let info = try folder.info(of: known.path.name)
        else { return nil }
        if try backedUp.holds(known.entry, known.path, info, &folders) { return standing }
        // If times are too coarse or too fresh to decide, the content does.
        return try holdsContent(known, standing, folder) ? standing : nil
    }

    private func holdsContent(_ known: KnownProject, _ standing: PathOccupant, _ folder: Folder) throws -> Bool {
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

    /// As `unchanged`, for a document that is not open in an application. Otherwise nil, and the reason is noted.
    mutating func free(_ known: KnownProject, _ change: RemoteChange) throws -> PathOccupant? {
        if let holder = open.holder(of: known.path, known.entry.kind, &folders) {
            wait(known.path, .open(change, by: holder))
            return nil
        }
        guard let standing = try unchanged(known) else {
            wait(known.path, .touched(change))
            return nil
        }
        return standing
    }

    // MARK: Go

    /// A document that is about to be removed.
    private struct Leaving {
        let known: KnownProject
        let standing: PathOccupant
        let temporary: [UInt8]
    }

    /// Removes documents. All get temporary names first, and are looked at once more. They are removed when these names
    /// are durable, as a bundle is removed piece by piece.
    private mutating func remove(_ removals: [KnownProject]) throws {
        var leaving: [Leaving] = []
        for removal in removals {
            try context.cancellation.throwIfRequested()
            try each(removal.path) { transfer in
                guard let standing = try transfer.free(removal, .deleted) else {
                    return
                }
                leaving.append(Leaving(known: removal, standing: standing, temporary: transfer.newName()))
            }
        }
        guard !leaving.isEmpty else { return }
        for one in leaving { try journal.note(.aside(one.known.path, temporary: one.temporary)) }
        try journal.synchronize()
        var aside: [Leaving] = []
        for one in leaving {
            try each(one.known.path) { transfer in
                try transfer.putAside(one)
                aside.append(one)
            }
        }
        var gone = try untouched(aside)
        if gone.contains(where: { $0.known.entry.kind == .bundle }) {
            try durability.settle()
            // Look again: making it durable takes seconds, and a program that has a file open can write to it under any
            // name.
            gone = try untouched(gone)
        }
        for one in gone { try journal.note(.discard(one.known.path, temporary: one.temporary)) }
        try journal.synchronize()
        for one in gone { try eachTidy(one.known.path) { try $0.discard(one) } }
    }

    private mutating func putAside(_ one: Leaving) throws {
        let path = one.known.path
        let folder = try folders.openParent(of: path)
        try folder.renameNew(path.name, to: folder, one.temporary)
        durability.touch(path.parent ?? .root)
        folders.reset()
    }

    private mutating func untouched(_ aside: [Leaving]) throws -> [Leaving] {
        var untouched: [Leaving] = []
        for one in aside {
            try eachTidy(one.known.path) { transfer in if try transfer.isUntouched(one) { untouched.append(one) } }
        }
        return untouched
    }

    /// Whether the document is as it was when it was allowed to go. If not, it gets its name back.
    private mutating func isUntouched(_ one: Leaving) throws -> Bool {
        let path = one.known.path
        let folder = try folders.openParent(of: path)
        if let now = try PathOccupant(one.temporary, in: folder), now.isSame(as: one.standing) { return true }
        try folder.renameNew(one.temporary, to: folder, path.name)
        durability.touch(path.parent ?? .root)
        wait(path, .touchedMeanwhile(.deleted))
        return false
    }

    private mutating func discard(_ one: Leaving) throws {
        let folder = try folders.openParent(of: one.known.path)
        durability.touch(one.known.path.parent ?? .root)
        try folder.removeAll(one.temporary)
        try forget(one.known)
        guard one.known.entry.kind.isDocument else { return }
        removed.append(one.known.path)
        news.append(DocumentNews(kind: .removedHere, path: one.known.path, project: one.known.entry.project))
    }

    /// The name of the device that wrote the version; nil for this one.
    func writer(of version: History.Version) -> String? {
        version.device == own ? nil : history.name(of: version.device)
    }

    /// Runs `body` for one document. If the file system refuses a step, that document waits, and the others go on.
    mutating func each(_ path: RelativePath, _ body: (inout SyncTransfer) throws -> Void) throws {
        do { try body(&self) } catch let error as SystemError where !error.isNoSpace && !error.isReadOnly {
            wait(path, .notAllowed(error))
            folders.reset()
        }
    }

    /// As `each`, for documents that may then be left under a temporary name: the journal stays, and the next run
    /// tidies up.
    mutating func eachTidy(_ path: RelativePath, _ body: (inout SyncTransfer) throws -> Void) throws {
        var isDone = false
        try each(path) { transfer in
            try body(&transfer)
            isDone = true
        }
        isTidy = isTidy && isDone
    }

    /// Removes the entry of a project that is gone.
    mutating func forget(_ known: KnownProject) throws {
        try edits.forget(known.entry.project, at: known.path)
        if known.entry.kind == .bundle { removedBundles.append(known.entry.project) }
    }

    /// Removes folders that are empty now, the deepest first. One that is not empty stays, is not stored, and is tried
    /// again by later syncs.
    private mutating func removeFolders(_ plan: SyncPlan) throws {
        folders.reset()
        for known in plan.goingFolders.sorted(by: { $1.path < $0.path }) where !known.path.isRoot {
            guard let parent = try? folders.openParent(of: known.path) else { continue }
            removeFinderFile(known.path)
            folders.reset()
            var failure: SystemError?
            do throws(SystemError) { try parent.removeFolder(known.path.name) } catch { failure = error }
            durability.touch(known.path.parent ?? .root)
            try edits.forget(known.entry.project, at: known.path)
            // One in which something stays is a folder of this device again.
            guard let failure, !plan.inUse.contains(known.path), let info = try parent.info(of: known.path.name),
                info.kind == .folder
            else {
                goneFolders.insert(known.path)
                continue
            }
            if !failure.isAlreadyThere {
                wait(known.path, .folderNotRemoved(failure))
            }
            leftFolders.insert(known.path)
            try edits.put(.left(known.path.name, StatKey(info).doubted), at: known.path)
        }
    }

    /// A folder that holds only the Finder's `.DS_Store` counts as empty.
    private mutating func removeFinderFile(_ path: RelativePath) {
        let name = SystemLitter.finderFile
        guard let folder = try? folders.open(path), (try? folder.names()) == [name] else { return }
        try? folder.remove(name)
    }

    // MARK: Remember

    /// Notes documents of the disk that the vault has under another id.
    private mutating func agree(_ agreed: [(old: KnownProject, version: History.Version)]) throws {
        for (old, version) in agreed {
            var entry = old.entry
            (entry.project, entry.base, entry.depth) = (version.header.project, version.id, DeltaRules.unknown)
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
            // From here on the journal has nothing new, even if a power cut brings it back.
            try transaction.set(.placed, to: names.run.hexadecimal)
            for project in removedBundles { try transaction.removeMembers(of: project) }
            for (project, members) in bundles { try transaction.setMembers(members, of: project) }
            for path in received + renamed { try transaction.removeUnlinked(path) }
        }
    }
}
