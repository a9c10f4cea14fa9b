import CueBase
import CueLibrary
import CueSystem
import CueVault
import Synchronization

/// What a sync is about to do to the folder, written down before it is done, so that whoever comes after a kill can tell what a sync
/// put there from what a writer did.
///
/// A file in the state folder, appended to without fsync: it must outlive the process, not a power cut. After a power cut a document
/// that was just placed is at worst taken for an edit, which asks a question too many and loses nothing.
final class SyncJournal: Sendable {
    private static let name = Array("syncing".utf8)

    enum Note {
        /// The temporary names of this run, and the folders in which they may stand.
        case begin(run: UInt64, folders: [RelativePath])
        /// The file or bundle with this inode, now under a temporary name or another one, is that version of the project, and belongs there.
        case place(Placing)
        /// What stands at a path is about to get a temporary name in the same folder.
        case aside(RelativePath, temporary: [UInt8])
        /// What has a temporary name beside that path was looked at, is in the vault, and goes: piece by piece, if it is a bundle.
        case discard(RelativePath, temporary: [UInt8])
    }

    struct Placing {
        let path: RelativePath
        let kind: ProjectKind
        let project: ProjectID
        let base: VersionID
        let fingerprint: UInt64
        let inode: UInt64
        /// The name under which it was built; empty for what was only moved.
        let temporary: [UInt8]
    }

    private let folder: FilePathBytes
    private let state: Mutex<State>

    private struct State: ~Copyable {
        let file: File
        var offset: Int64 = 0
        var placed: [RelativePath: UInt64] = [:]
    }

    init(of library: OpenLibrary) throws {
        folder = library.state.library(library.marker.library)
        let file = try Folder.open(folder).openOrCreate(Self.name)
        try file.truncate(to: 0)
        state = Mutex(State(file: file))
    }

    func note(_ note: Note) throws {
        var body = ByteWriter()
        body.note(note)
        var record = ByteWriter()
        record.lengthAndBytes(body.bytes)
        let bytes = record.bytes
        try state.withLock { state throws(SystemError) in
            try state.file.write(bytes.span, at: state.offset)
            state.offset += Int64(bytes.count)
            if case .place(let placing) = note { state.placed[placing.path] = placing.inode }
        }
    }

    /// The inode that was last noted for a path.
    func inode(placedAt path: RelativePath) -> UInt64? { state.withLock { $0.placed[path] } }

    /// The work is done, and the local store knows.
    func close() throws { try Self.remove(folder) }

    private static func remove(_ folder: FilePathBytes) throws { try Folder.open(folder).remove(name) }

    // MARK: After a kill

    /// Takes over what a sync that was killed had done. Nothing is removed but what a sync made, and what it replaced if that is in the
    /// vault; anything else gets its name back, or one beside it.
    static func recover(_ library: OpenLibrary) throws {
        let folder = library.state.library(library.marker.library)
        guard let bytes = try Folder.open(folder).contents(of: name, upTo: 1 << 30) else { return }
        var recovery = try SyncRecovery(library, notes(in: bytes))
        // What cannot be tidied up now is tried again by the next run; a backup goes on all the same.
        if try recovery.run() { try remove(folder) }
    }

    /// Whether what a killed sync left is still to be tidied up.
    static func isLeft(by library: OpenLibrary) -> Bool {
        (try? Folder.open(library.state.library(library.marker.library)).info(of: name)).flatMap { $0 } != nil
    }

    /// Up to the first that is cut short.
    private static func notes(in bytes: [UInt8]) -> [Note] {
        var reader = ByteReader(bytes)
        var notes: [Note] = []
        while !reader.isAtEnd, let body = try? reader.lengthAndBytes() {
            var inner = ByteReader(body)
            guard let note = try? inner.note() else { break }
            notes.append(note)
        }
        return notes
    }
}

/// Puts a folder and the local store in order after a sync that was killed.
private struct SyncRecovery {
    private let library: OpenLibrary
    private let backedUp: BackedUp
    private let known: [ProjectID: (path: RelativePath, entry: Entry)]
    private var edits: FolderEdits
    private var folders: FolderPath
    private var prefix: [UInt8] = []
    private var parents: Set<RelativePath> = []
    /// By the path to which each belongs; the last word counts.
    private var placings: [RelativePath: SyncJournal.Placing] = [:]
    /// By temporary name, where things belong that we did not make, or that may have been exchanged.
    private var homes: [[UInt8]: RelativePath] = [:]
    private var drafts: Set<UInt64> = []
    /// Where something was on its way out.
    private var discarded: [RelativePath] = []
    private var changedBundles: [ProjectID] = []

    init(_ library: OpenLibrary, _ notes: [SyncJournal.Note]) throws {
        self.library = library
        backedUp = try BackedUp(library)
        known = try backedUp.everything()
        (edits, folders) = (FolderEdits(library.store), FolderPath(library.root))
        for note in notes {
            switch note {
            case .begin(let run, let folders): (prefix, parents) = (TemporaryNames(run).prefix, Set(folders))
            case .aside(let path, let temporary): homes[temporary] = path
            case .discard(let path, let temporary):
                homes[temporary] = nil
                discarded.append(path)
            case .place(let placing):
                placings[placing.path] = placing
                guard !placing.temporary.isEmpty else { continue }
                drafts.insert(placing.inode)
                homes[placing.temporary] = placing.path
                // What an exchange in steps puts aside for a moment.
                homes[placing.temporary + Array(".aside".utf8)] = placing.path
            }
        }
    }

    /// False if something is left that could not be tidied up.
    mutating func run() throws -> Bool {
        let isDone = try cleanAll()
        for placing in placings.values.sorted(by: { $0.path < $1.path }) { try remember(placing) }
        for path in discarded where placings[path] == nil { try forget(path) }
        let (edits, changedBundles) = (edits, changedBundles)
        try library.store.write { transaction in
            try edits.save(transaction)
            for project in changedBundles { try transaction.removeMembers(of: project) }
        }
        return isDone
    }

    /// What the sync had removed, because another device deleted it, is not missing.
    private mutating func forget(_ path: RelativePath) throws {
        folders.reset()
        guard let entry = try backedUp.entry(at: path),
            let folder = try? folders.openParent(of: path), try folder.info(of: path.name) == nil
        else { return }
        try edits.forget(entry.project, at: path)
        if entry.kind == .bundle { changedBundles.append(entry.project) }
    }

    /// Looks everywhere: a folder in which something was under way may have another name by now. False if one of those that are where they
    /// were cannot be tidied up; what is wrong with others is no matter of ours.
    private mutating func cleanAll() throws -> Bool {
        guard !prefix.isEmpty else { return true }
        var isDone = true
        var open: [RelativePath] = [.root]
        folders.reset()
        while let path = open.popLast() {
            do { open += try clean(path) } catch is SystemError { isDone = isDone && !parents.contains(path) }
        }
        return isDone
    }

    /// Gives the folders in it.
    private mutating func clean(_ path: RelativePath) throws -> [RelativePath] {
        var inner: [RelativePath] = []
        let folder = try folders.open(path)
        for name in try folder.names() {
            guard let info = try folder.info(of: name) else { continue }
            guard name.starts(with: prefix) else {
                if info.kind == .folder { inner.append(path.appending(name)) }
                continue
            }
            if let home = homes[name], !drafts.contains(info.inode) {
                try bringBack(name, in: folder, to: home, info)
            } else {
                // A draft, finished or not; or what was on its way out.
                try folder.removeAll(name)
            }
        }
        return inner
    }

    /// Gives what a writer made its name back, or one beside it where that is taken; what was replaced, and is in the vault, may go.
    private func bringBack(_ name: [UInt8], in folder: Folder, to home: RelativePath, _ info: FileInfo) throws {
        if try folder.info(of: home.name) != nil {
            // It may have stood under another name when it was stored.
            let project = placings[home].flatMap { known[$0.project]?.entry }
            for entry in [try backedUp.entry(at: home), project] {
                if try backedUp.heldBeforeRename(entry, name, in: folder) { return try folder.removeAll(name) }
            }
            return try rename(name, in: folder, beside: home.name)
        }
        try folder.renameNew(name, to: folder, home.name)
    }

    private func rename(_ name: [UInt8], in folder: Folder, beside home: [UInt8]) throws {
        for number in 1...1000 {
            let label = Array(number == 1 ? " (kept by sync)".utf8 : " (kept by sync \(number))".utf8)
            do throws(SystemError) {
                return try folder.renameNew(name, to: folder, CopyName.adding(label, to: home))
            } catch {
                guard error.isAlreadyThere else { throw error }
            }
        }
    }

    /// What stands at its place now is the version that it was placed as; if somebody has edited it since, that is an edit of this version.
    private mutating func remember(_ placing: SyncJournal.Placing) throws {
        folders.reset()
        guard let info = try? folders.openParent(of: placing.path).info(of: placing.path.name),
            info.inode == placing.inode
        else { return }
        if let old = known[placing.project] { try edits.forget(placing.project, at: old.path) }
        try edits.put(
            Entry(
                name: placing.path.name, kind: placing.kind, stat: StatKey(info).doubted, project: placing.project,
                base: placing.base, fingerprint: placing.fingerprint, depth: DeltaRules.depth),
            at: placing.path)
        if placing.kind == .bundle { changedBundles.append(placing.project) }
    }
}

extension ByteWriter {
    fileprivate mutating func note(_ note: SyncJournal.Note) {
        switch note {
        case .begin(let run, let folders):
            u8(1)
            u64(run)
            varint(folders.count)
            for folder in folders { lengthAndBytes(folder.bytes) }
        case .place(let placing):
            u8(2)
            lengthAndBytes(placing.path.bytes)
            u8(placing.kind.rawValue)
            id(placing.project)
            id(placing.base)
            u64(placing.fingerprint)
            u64(placing.inode)
            lengthAndBytes(placing.temporary)
        case .aside(let path, let temporary):
            u8(3)
            lengthAndBytes(path.bytes)
            lengthAndBytes(temporary)
        case .discard(let path, let temporary):
            u8(4)
            lengthAndBytes(path.bytes)
            lengthAndBytes(temporary)
        }
    }
}

extension ByteReader {
    fileprivate mutating func note() throws(FormatError) -> SyncJournal.Note {
        switch try u8() {
        case 1:
            let run = try u64()
            var folders: [RelativePath] = []
            for _ in 0..<(try count(ofItems: 1)) { folders.append(try path()) }
            return .begin(run: run, folders: folders)
        case 2:
            let path = try path()
            guard let kind = ProjectKind(rawValue: try u8()) else { throw .outOfRange }
            return .place(
                SyncJournal.Placing(
                    path: path, kind: kind, project: try versionID(), base: try versionID(), fingerprint: try u64(),
                    inode: try u64(), temporary: try lengthAndBytes(upTo: Limits.name)))
        case 3: return .aside(try path(), temporary: try lengthAndBytes(upTo: Limits.name))
        case 4: return .discard(try path(), temporary: try lengthAndBytes(upTo: Limits.name))
        default: throw .outOfRange
        }
    }

    private mutating func path() throws(FormatError) -> RelativePath {
        try RelativePath(checking: try lengthAndBytes(upTo: Limits.path))
    }
}
