import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Puts a folder in order after a sync or restore that was cut off; for a library the local store too. Every step may
/// be repeated: a power cut may come in the middle and undo a part.
struct PlacingRecovery {
    private let root: Folder
    /// nil for a folder that is no library.
    private let library: OpenLibrary?
    private let durability: Durability
    /// The entries that the local store remembers.
    private let backedUp: StoredEntries
    /// The same by project.
    private let known: [ProjectID: (path: RelativePath, entry: ScanEntry)]
    private var edits: FolderEdits?
    private var folders: FolderPath
    /// Drafts of the run that were removed.
    private(set) var removed: [RelativePath] = []
    /// nil if the notes do not name the run.
    private var runID: UInt64?
    /// Whether the machine has restarted since: then it may have lost writes that it had reported as done.
    private var isOfEarlierStart = false
    private var isOfRestore = false
    /// How the run's temporary names begin.
    private var prefix: [UInt8] = []
    /// The folders in which they may be.
    private var parents: Set<RelativePath> = []
    /// By the path to which each belongs; the last note counts.
    private var placings: [RelativePath: PlacingJournal.Placing] = [:]
    /// The original paths of items that this run did not make, or that may have been exchanged, by temporary name.
    private var homes: [[UInt8]: RelativePath] = [:]
    /// Those of them that are in a folder above their own, which may be gone.
    private var carried: Set<[UInt8]> = []
    /// The inodes of the drafts that this run made, by temporary name. Anything else under such a name is a person's
    /// work.
    private var drafts: [[UInt8]: UInt64] = [:]
    /// Temporary names of documents that another device had deleted.
    private var leaving: Set<[UInt8]> = []
    /// Paths of documents that were being removed.
    private var discarded: [RelativePath] = []
    /// Bundles whose remembered members are no longer valid.
    private var changedBundles: [ProjectID] = []

    /// Reads the local store. Notes that it has taken over already are only tidied up.
    init(_ library: OpenLibrary, _ notes: [PlacingJournal.Note]) throws {
        (root, self.library) = (library.root, library)
        durability = Durability(of: root, files: .max)
        backedUp = try StoredEntries(library)
        known = try backedUp.everything()
        (edits, folders) = (FolderEdits(library.store), FolderPath(root))
        for note in notes { take(note) }
        // The local store has taken these over, and only the journal was left.
        let done = try library.store.read { try $0.value(.placed) }
        if let runID, done == runID.hexadecimal { (placings, discarded) = ([:], []) }
    }

    /// For a folder that is no library.
    init(_ root: Folder, _ notes: [PlacingJournal.Note]) {
        (self.root, library, known, edits) = (root, nil, [:], nil)
        durability = Durability(of: root, files: .max)
        (backedUp, folders) = (StoredEntries(), FolderPath(root))
        for note in notes { take(note) }
    }

    /// Takes the next note, in the order of the journal.
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
        case .carry(let path, let temporary):
            homes[temporary] = path
            carried.insert(temporary)
        case .discard(let path, let temporary):
            homes[temporary] = nil
            // A restore also removes what it replaces; that is no deletion.
            if leaving.contains(temporary) { discarded.append(path) }
        case .place(let placing):
            placings[placing.path] = placing
            expect(placing.temporary, at: placing.path, placing.inode)
        case .put(let path, let inode, let temporary):
            isOfRestore = true
            expect(temporary, at: path, inode)
        }
    }

    /// Notes a draft and its home.
    private mutating func expect(_ temporary: [UInt8], at path: RelativePath, _ inode: UInt64) {
        guard !temporary.isEmpty else { return }
        // An exchange in steps puts the old item aside for a moment, under this name.
        for name in [temporary, temporary + Array(".aside".utf8)] { (homes[name], drafts[name]) = (path, inode) }
    }

    /// Tidies up and updates the local store. Returns false if something could not be tidied up.
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
            if isDone, let runID { try transaction.set(.placed, to: runID.hexadecimal) }
        }
        return isDone
    }

    /// Forgets a document that the sync removed because another device had deleted it: it is not missing.
    private mutating func forget(_ path: RelativePath) throws {
        folders.reset()
        guard let entry = try backedUp.entry(at: path),
            let folder = try? folders.openParent(of: path), try folder.info(of: path.name) == nil
        else { return }
        try edits?.forget(entry.project, at: path)
        if entry.kind == .bundle { changedBundles.append(entry.project) }
    }

    /// Cleans all folders of a library, as a folder of the run may have been renamed since. Returns false if a folder
    /// of the run that is still in its place could not be cleaned; errors in other folders do not count.
    private mutating func cleanAll() throws -> Bool {
        guard !prefix.isEmpty else { return true }
        var isDone = true
        // A folder that is no library may be a home or a whole disk: look into the folders of the run only.
        var open = library == nil ? Array(parents) : [.root]
        folders.reset()
        while let path = open.popLast() {
            var inner: [RelativePath] = []
            do { try clean(path, &inner) } catch let error as SystemError {
                // A folder that is gone holds nothing.
                if library == nil, error.isNotFound { continue }
                isDone = isDone && !parents.contains { $0 == path || $0.isInside(path) }
            }
            if library != nil { open += inner }
        }
        return isDone
    }

    /// Cleans one folder and adds the folders in it to `inner`. Throws the first error, after all names were tried.
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

    /// Removes a draft of the run, or gives an item its home back.
    private mutating func tidyUp(
        _ name: [UInt8], _ info: FileInfo, in folder: Folder, _ path: RelativePath
    ) throws {
        durability.touch(path)
        if let home = homes[name], drafts[name] != info.inode {
            if carried.contains(name) { return try carryBack(name, in: folder, to: home, info) }
            return try bringBack(name, in: folder, to: home, info)
        }
        // A draft, finished or not; or an item that was being removed.
        try folder.removeAll(name)
        removed.append(path.appending(name))
    }

    /// Moves an item back into its own folder, which is made again if it is gone.
    private mutating func carryBack(
        _ name: [UInt8], in folder: Folder, to home: RelativePath, _ info: FileInfo
    ) throws {
        folders.reset()
        let own = try folders.openOrMakeParent(of: home)
        try folder.renameNew(name, to: own, name)
        durability.touchAll(to: home.parent ?? .root)
        try bringBack(name, in: own, to: home, info)
    }

    /// Gives an item its name back, or one beside it if that is taken. A replaced item that is in the vault is removed
    /// instead.
    private func bringBack(_ name: [UInt8], in folder: Folder, to home: RelativePath, _ info: FileInfo) throws {
        if try folder.info(of: home.name) != nil {
            // It may have had another name when it was stored.
            let project = placings[home].flatMap { known[$0.project]?.entry }
            for entry in [try backedUp.entry(at: home), project] {
                if try backedUp.heldBeforeRename(entry, name, in: folder) { return try remove(name, info, in: folder) }
            }
            _ = try folder.keep(name, beside: home.name, by: isOfRestore ? "restore" : "sync")
            return
        }
        try folder.renameNew(name, to: folder, home.name)
    }

    /// Removes an item. A bundle is renamed first, to a name without a home: the rest that a kill or a power cut leaves
    /// of it is then removed too.
    private func remove(_ name: [UInt8], _ info: FileInfo, in folder: Folder) throws {
        guard info.kind == .folder else { return try folder.remove(name) }
        let nowhere = prefix + Array("gone-".utf8) + name.dropFirst(prefix.count)
        try folder.renameNew(name, to: folder, nowhere)
        try folder.synchronize()
        try folder.removeAll(nowhere)
    }

    /// Remembers a placed file or bundle as the version of its note. If a person has edited it since, that is an edit
    /// of this version.
    private mutating func remember(_ placing: PlacingJournal.Placing) throws {
        folders.reset()
        guard let info = try? folders.openParent(of: placing.path).info(of: placing.path.name),
            info.inode == placing.inode
        else { return }
        if let old = known[placing.project] {
            // The local store has it already, perhaps with newer news of it: keep that.
            if old.path == placing.path, old.entry.stat.inode == placing.inode { return }
            try edits?.forget(placing.project, at: old.path)
        }
        let entry = ScanEntry(
            name: placing.path.name, kind: placing.kind, stat: stat(info, of: placing), project: placing.project,
            base: placing.base, fingerprint: placing.fingerprint, content: nil, depth: DeltaRules.unknown)
        try edits?.put(entry, at: placing.path)
        if placing.kind == .bundle { changedBundles.append(placing.project) }
    }

    /// A doubted key, so that the next scan reads the file. But a file that after a power cut has its own time and
    /// another size was cut short by the machine: it is remembered as it should be, so that the scan finds it damaged.
    private func stat(_ info: FileInfo, of placing: PlacingJournal.Placing) -> StatKey {
        let now = StatKey(info)
        let placed = now.placed(size: placing.size, modified: placing.modified)
        return isOfEarlierStart && placing.kind == .file && placed.isDamaged(now) ? placed : now.doubted
    }
}
