import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Puts a folder, and the local store if it is a library's, in order after a sync or a restore that was cut off. All of it may be done
/// again: a power cut may come in the middle, and take back a part.
struct PlacingRecovery {
    private let root: Folder
    /// nil for a folder that is no library.
    private let library: OpenLibrary?
    private let durability: Durability
    private let backedUp: BackedUp
    private let known: [ProjectID: (path: RelativePath, entry: Entry)]
    private var edits: FolderEdits?
    private var folders: FolderPath
    /// What a run left under its names, and was removed.
    private(set) var removed: [RelativePath] = []
    private var runID: UInt64?
    /// Whether the machine has started anew since: then it may have lost what it called written.
    private var isOfEarlierStart = false
    private var isOfRestore = false
    private var prefix: [UInt8] = []
    private var parents: Set<RelativePath> = []
    /// By the path to which each belongs; the last word counts.
    private var placings: [RelativePath: PlacingJournal.Placing] = [:]
    /// By temporary name, where things belong that we did not make, or that may have been exchanged.
    private var homes: [[UInt8]: RelativePath] = [:]
    /// The inode of what was built under a temporary name; anything else there is the work of somebody.
    private var drafts: [[UInt8]: UInt64] = [:]
    /// The temporary names of what was to go because another device had deleted it.
    private var leaving: Set<[UInt8]> = []
    /// Where something was on its way out.
    private var discarded: [RelativePath] = []
    private var changedBundles: [ProjectID] = []

    init(_ library: OpenLibrary, _ notes: [PlacingJournal.Note]) throws {
        (root, self.library) = (library.root, library)
        durability = Durability(of: root, files: .max)
        backedUp = try BackedUp(library)
        known = try backedUp.everything()
        (edits, folders) = (FolderEdits(library.store), FolderPath(root))
        for note in notes { take(note) }
        // The local store followed, and only the journal was still there.
        let done = try library.store.read { try $0.text(Self.doneKey) }
        if let runID, done == runID.hexadecimal { (placings, discarded) = ([:], []) }
    }

    /// For a folder that is no library.
    init(_ root: Folder, _ notes: [PlacingJournal.Note]) {
        (self.root, library, known, edits) = (root, nil, [:], nil)
        durability = Durability(of: root, files: .max)
        (backedUp, folders) = (BackedUp(), FolderPath(root))
        for note in notes { take(note) }
    }

    /// Where the local store keeps which run it has followed.
    static let doneKey = "placed"

    private mutating func take(_ note: PlacingJournal.Note) {
        switch note {
        case .machine(_, let start): isOfEarlierStart = !start.isEmpty && start != Environment.machineStart
        case .begin(let run, let folders):
            runID = run
            (prefix, parents) = (TemporaryNames(run).prefix, Set(folders))
        case .aside(let path, let temporary):
            homes[temporary] = path
            drafts[temporary] = nil
            leaving.insert(temporary)
        case .discard(let path, let temporary):
            homes[temporary] = nil
            // What a restore replaces is removed too, and is no deletion.
            if leaving.contains(temporary) { discarded.append(path) }
        case .place(let placing):
            placings[placing.path] = placing
            expect(placing.temporary, at: placing.path, placing.inode)
        case .put(let path, let inode, let temporary):
            isOfRestore = true
            expect(temporary, at: path, inode)
        }
    }

    private mutating func expect(_ temporary: [UInt8], at path: RelativePath, _ inode: UInt64) {
        guard !temporary.isEmpty else { return }
        // What an exchange in steps puts aside for a moment.
        for name in [temporary, temporary + Array(".aside".utf8)] { (homes[name], drafts[name]) = (path, inode) }
    }

    /// False if something is left that could not be tidied up.
    mutating func run() throws -> Bool {
        let isDone = try cleanAll()
        for placing in placings.values.sorted(by: { $0.path < $1.path }) { try remember(placing) }
        for path in discarded where placings[path] == nil { try forget(path) }
        for folder in parents { durability.touchAll(to: folder) }
        for path in placings.keys { durability.touchAll(to: path.parent ?? .root) }
        try durability.settle()
        guard let library, let edits else { return isDone }
        let (changedBundles, runID) = (changedBundles, runID)
        try library.store.write { transaction in
            try edits.save(transaction)
            for project in changedBundles { try transaction.removeMembers(of: project) }
            if isDone, let runID { try transaction.set(Self.doneKey, runID.hexadecimal) }
        }
        return isDone
    }

    /// What the sync had removed, because another device deleted it, is not missing.
    private mutating func forget(_ path: RelativePath) throws {
        folders.reset()
        guard let entry = try backedUp.entry(at: path),
            let folder = try? folders.openParent(of: path), try folder.info(of: path.name) == nil
        else { return }
        try edits?.forget(entry.project, at: path)
        if entry.kind == .bundle { changedBundles.append(entry.project) }
    }

    /// Looks everywhere: a folder in which something was under way may have another name by now. False if one of those that are where they
    /// were cannot be tidied up; what is wrong with others is no matter of ours.
    private mutating func cleanAll() throws -> Bool {
        guard !prefix.isEmpty else { return true }
        var isDone = true
        // A folder that is no library may be a home, or a whole disk.
        var open = library == nil ? Array(parents) : [.root]
        folders.reset()
        while let path = open.popLast() {
            var inner: [RelativePath] = []
            do { try clean(path, &inner) } catch let error as SystemError {
                // One that is gone holds nothing.
                if library == nil, error.isNotFound { continue }
                isDone = isDone && !parents.contains { $0 == path || $0.isInside(path) }
            }
            if library != nil { open += inner }
        }
        return isDone
    }

    /// Gives the folders in it. Throws the first error, after all the others had their turn.
    private mutating func clean(_ path: RelativePath, _ inner: inout [RelativePath]) throws {
        let folder = try folders.open(path)
        var failure: SystemError?
        for name in try folder.names() {
            do {
                guard let info = try folder.info(of: name) else { continue }
                if name.starts(with: prefix) {
                    try tidyUp(name, info, in: folder, path)
                } else if info.kind == .folder {
                    inner.append(path.appending(name))
                }
            } catch let error as SystemError { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private mutating func tidyUp(
        _ name: [UInt8], _ info: FileInfo, in folder: Folder, _ path: RelativePath
    ) throws {
        durability.touch(path)
        if let home = homes[name], drafts[name] != info.inode {
            return try bringBack(name, in: folder, to: home, info)
        }
        // A draft, finished or not; or what was on its way out.
        try folder.removeAll(name)
        removed.append(path.appending(name))
    }

    /// Gives what a writer made its name back, or one beside it where that is taken; what was replaced, and is in the vault, may go.
    private func bringBack(_ name: [UInt8], in folder: Folder, to home: RelativePath, _ info: FileInfo) throws {
        if try folder.info(of: home.name) != nil {
            // It may have stood under another name when it was stored.
            let project = placings[home].flatMap { known[$0.project]?.entry }
            for entry in [try backedUp.entry(at: home), project] {
                if try backedUp.heldBeforeRename(entry, name, in: folder) { return try remove(name, info, in: folder) }
            }
            _ = try folder.keep(name, beside: home.name, by: isOfRestore ? "restore" : "sync")
            return
        }
        try folder.renameNew(name, to: folder, home.name)
    }

    /// A bundle goes piece by piece: under a name that belongs nowhere what a kill or a power cut leaves of it is removed too.
    private func remove(_ name: [UInt8], _ info: FileInfo, in folder: Folder) throws {
        guard info.kind == .folder else { return try folder.remove(name) }
        let nowhere = prefix + Array("gone-".utf8) + name.dropFirst(prefix.count)
        try folder.renameNew(name, to: folder, nowhere)
        try folder.synchronize()
        try folder.removeAll(nowhere)
    }

    /// What stands at its place now is the version that it was placed as; if somebody has edited it since, that is an edit of this version.
    private mutating func remember(_ placing: PlacingJournal.Placing) throws {
        folders.reset()
        guard let info = try? folders.openParent(of: placing.path).info(of: placing.path.name),
            info.inode == placing.inode
        else { return }
        if let old = known[placing.project] {
            // The local store has followed already; what it was told since is not taken back.
            if old.path == placing.path, old.entry.stat.inode == placing.inode { return }
            try edits?.forget(placing.project, at: old.path)
        }
        let entry = Entry(
            name: placing.path.name, kind: placing.kind, stat: stat(info, of: placing), project: placing.project,
            base: placing.base, fingerprint: placing.fingerprint, depth: DeltaRules.depth)
        try edits?.put(entry, at: placing.path)
        if placing.kind == .bundle { changedBundles.append(placing.project) }
    }

    /// Doubted, so that the next scan reads it. After a power cut a file that has the time that it got and another size was cut short by
    /// the machine: it is remembered as it should be, and damaged.
    private func stat(_ info: FileInfo, of placing: PlacingJournal.Placing) -> StatKey {
        let now = StatKey(info)
        let placed = now.placed(size: placing.size, modified: placing.modified)
        return isOfEarlierStart && placing.kind == .file && placed.isDamaged(now) ? placed : now.doubted
    }
}
