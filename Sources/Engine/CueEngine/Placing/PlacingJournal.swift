import CueBase
import CueLibrary
import CueSodium
import CueSystem
import CueVault
import Synchronization

/// The changes that a sync or a restore is about to make to a folder, written down before they are made. After a kill
/// or a power cut the next run uses it to tell cue's changes from the writer's.
///
/// For a library it is a file in the state folder. A restore to any other folder keeps it there, hidden, and locked as
/// long as it runs: the lock tells a running restore from a dead one.
final class PlacingJournal: Sendable {
    /// The name of a library's journal.
    static let name = Array("syncing".utf8)

    /// One entry of the journal.
    enum Note {
        /// The machine of the run, and the boot in which it runs: a lock means nothing on another machine.
        case machine([UInt8], start: [UInt8])
        /// The number in the temporary names of this run, and the folders in which they may stand.
        case begin(run: UInt64, folders: [RelativePath])
        /// The file or bundle with this inode, now under a temporary or another name, is that version of the project,
        /// and belongs to that path.
        case place(Placing)
        /// Like `place`, for a restore: the content is an edit of the version that the local store knows.
        case put(RelativePath, inode: UInt64, temporary: [UInt8])
        /// The file or bundle at a path is about to get a temporary name in the same folder.
        case aside(RelativePath, temporary: [UInt8])
        /// Like `aside`, but in a folder above: its own folder goes.
        case carry(RelativePath, temporary: [UInt8])
        /// The file or bundle with that temporary name is in the vault and is about to be removed; a bundle goes piece
        /// by piece.
        case discard(RelativePath, temporary: [UInt8])
    }

    /// A version that gets a place in the folder.
    struct Placing {
        /// Where it belongs.
        let path: RelativePath
        let kind: ProjectKind
        let project: ProjectID
        /// The version itself.
        let base: VersionID
        let fingerprint: UInt64
        /// The inode of the file, or of the bundle's own folder.
        let inode: UInt64
        /// The file's size in bytes once it is placed.
        let size: Int64
        /// The file's modification time once it is placed.
        let modified: FileTime
        /// The name under which it was built; empty if an existing document is only moved.
        let temporary: [UInt8]
    }

    /// nil for a folder that is no library.
    let library: OpenLibrary?
    /// The folder in which the journal is.
    let folder: Folder
    /// The journal's name there.
    let name: [UInt8]
    private let state: Mutex<State>

    /// The open file, and what is noted in it.
    private struct State: ~Copyable {
        let file: File
        var offset: Int64 = 0
        /// Whether the journal's name in its folder is durable.
        var isNamed = false
        /// Whether a note was written since the last `synchronize`.
        var isNoted = false
        var placed: [RelativePath: Placing] = [:]
    }

    /// Begins the journal of a library. Throws `EngineError.leftUntidy` while one of a run that was cut off exists.
    init(of library: OpenLibrary) throws {
        self.library = library
        folder = try Folder.open(library.state.library(library.marker.library))
        name = Self.name
        guard try folder.info(of: name) == nil else { throw EngineError.leftUntidy }
        state = Mutex(State(file: try folder.create(name)))
    }

    /// Begins the journal of a restore to a folder that is no library.
    init(in root: Folder, _ names: TemporaryNames) throws(SystemError) {
        (library, folder, name) = (nil, root, names.journal)
        let file = try root.create(name)
        // Another restore may be testing the lock just now.
        _ = file.lock(within: 1)
        state = Mutex(State(file: file))
    }

    /// Writes the first notes, durable on return. No draft may be made before.
    func begin(_ names: TemporaryNames, in folders: some Sequence<RelativePath>) throws {
        try note(.machine(Environment.machine, start: Environment.machineStart))
        try note(.begin(run: names.run, folders: Set(folders).sorted()))
        try synchronize()
    }

    /// Adds a note; durable only after `synchronize`.
    func note(_ note: Note) throws {
        var body = ByteWriter()
        body.note(note)
        var record = ByteWriter()
        record.lengthAndBytes(body.bytes + Self.check(body.bytes))
        let bytes = record.bytes
        try state.withLock { state throws(SystemError) in
            try state.file.write(bytes.span, at: state.offset)
            state.offset += Int64(bytes.count)
            state.isNoted = true
            if case .place(let placing) = note { state.placed[placing.path] = placing }
        }
    }

    /// Waits until all notes are durable. Their changes may be made only then, as folder and journal may be on two
    /// disks. Throws `EngineError.notDurable`.
    func synchronize() throws {
        try state.withLock { state in
            guard state.isNoted else { return }
            do throws(SystemError) {
                try state.file.synchronize()
                if !state.isNamed { try folder.synchronize() }
            } catch {
                throw EngineError.notDurable(error)
            }
            (state.isNamed, state.isNoted) = (true, false)
        }
    }

    /// The last `place` note for a path; nil if there is none.
    func placed(at path: RelativePath) -> Placing? { state.withLock { $0.placed[path] } }

    /// Removes the journal: the changes are durable, and the local store has them.
    func close() throws { try folder.remove(name) }

    /// Whether a run that was cut off left a journal that still has to be followed.
    static func isLeft(by library: OpenLibrary) -> Bool {
        (try? Folder.open(library.state.library(library.marker.library)).info(of: name)).flatMap { $0 } != nil
    }

    /// Reads notes up to the first that is cut short or damaged.
    static func notes(in bytes: [UInt8]) -> [Note] {
        var reader = ByteReader(bytes)
        var notes: [Note] = []
        while !reader.isAtEnd, let record = try? reader.lengthAndBytes(), record.count > checkLength {
            let body = Array(record.dropLast(checkLength))
            guard check(body).elementsEqual(record.suffix(checkLength)) else { break }
            var inner = ByteReader(body)
            guard let note = try? inner.note() else { break }
            notes.append(note)
        }
        return notes
    }

    /// Bytes of hash behind each note.
    private static let checkLength = 8

    private static func check(_ body: [UInt8]) -> ArraySlice<UInt8> { BLAKE2b.hash(body).prefix(checkLength) }
}

extension ByteWriter {
    fileprivate mutating func note(_ note: PlacingJournal.Note) {
        switch note {
        case .machine(let machine, let start):
            u8(6)
            lengthAndBytes(machine)
            lengthAndBytes(start)
        case .put(let path, let inode, let temporary):
            u8(5)
            lengthAndBytes(path.bytes)
            u64(inode)
            lengthAndBytes(temporary)
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
            varint(UInt64(placing.size))
            svarint(placing.modified.seconds)
            varint(Int(placing.modified.nanoseconds))
            lengthAndBytes(placing.temporary)
        case .aside(let path, let temporary):
            u8(3)
            lengthAndBytes(path.bytes)
            lengthAndBytes(temporary)
        case .carry(let path, let temporary):
            u8(7)
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
    fileprivate mutating func note() throws(FormatError) -> PlacingJournal.Note {
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
                PlacingJournal.Placing(
                    path: path, kind: kind, project: try versionID(), base: try versionID(), fingerprint: try u64(),
                    inode: try u64(), size: Int64(try count(upTo: .max)),
                    modified: FileTime(seconds: try svarint(), nanoseconds: UInt32(try count(upTo: 999_999_999))),
                    temporary: try lengthAndBytes(upTo: Limits.name)))
        case 3: return .aside(try path(), temporary: try lengthAndBytes(upTo: Limits.name))
        case 4: return .discard(try path(), temporary: try lengthAndBytes(upTo: Limits.name))
        case 5: return .put(try path(), inode: try u64(), temporary: try lengthAndBytes(upTo: Limits.name))
        case 6: return .machine(try lengthAndBytes(upTo: 256), start: try lengthAndBytes(upTo: 256))
        case 7: return .carry(try path(), temporary: try lengthAndBytes(upTo: Limits.name))
        default: throw .outOfRange
        }
    }

    private mutating func path() throws(FormatError) -> RelativePath {
        try RelativePath(checking: try lengthAndBytes(upTo: Limits.path))
    }
}
