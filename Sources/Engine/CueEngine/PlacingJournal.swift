import CueBase
import CueLibrary
import CueSodium
import CueSystem
import CueVault
import Synchronization

/// What a sync or a restore is about to do to a folder, written down before it is done: the run that comes after a kill or a power cut
/// tells by it what cue put there from what a writer did.
///
/// For a library it is a file in the state folder. A restore to any other folder keeps it there, hidden, and locked as long as it runs:
/// the lock tells a run that lives from one that is dead.
final class PlacingJournal: Sendable {
    private static let name = Array("syncing".utf8)

    enum Note {
        /// Where the run was, as a lock says nothing of another machine; and since which start of it.
        case machine([UInt8], start: [UInt8])
        /// The temporary names of this run, and the folders in which they may stand.
        case begin(run: UInt64, folders: [RelativePath])
        /// The file or bundle with this inode, now under a temporary name or another one, is that version of the project, and belongs there.
        case place(Placing)
        /// As `place`, of a restore: what belongs there is an edit of what the local store knows.
        case put(RelativePath, inode: UInt64, temporary: [UInt8])
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
        /// How a file looks once it is there.
        let size: Int64
        let modified: FileTime
        /// The name under which it was built; empty for what was only moved.
        let temporary: [UInt8]
    }

    /// nil for a folder that is no library.
    private let library: OpenLibrary?
    private let folder: Folder
    private let name: [UInt8]
    private let state: Mutex<State>

    private struct State: ~Copyable {
        let file: File
        var offset: Int64 = 0
        var isNamed = false
        var isNoted = false
        var placed: [RelativePath: Placing] = [:]
    }

    /// Throws where the journal of a run that was cut off is still to be followed.
    init(of library: OpenLibrary) throws {
        self.library = library
        folder = try Folder.open(library.state.library(library.marker.library))
        name = Self.name
        guard try folder.info(of: name) == nil else { throw EngineError.leftUntidy }
        state = Mutex(State(file: try folder.create(name)))
    }

    /// For a folder that is no library.
    init(in root: Folder, _ names: TemporaryNames) throws(SystemError) {
        (library, folder, name) = (nil, root, names.journal)
        let file = try root.create(name)
        // Another restore may look at it just now, and asks by locking it.
        for _ in 0..<100 {
            if file.tryLock() { break }
            Wait.milliseconds(10)
        }
        state = Mutex(State(file: file))
    }

    /// The first notes, durable before the first draft is made.
    func begin(_ names: TemporaryNames, in folders: some Sequence<RelativePath>) throws {
        try note(.machine(Environment.machine, start: Environment.machineStart))
        try note(.begin(run: names.run, folders: Set(folders).sorted()))
        try synchronize()
    }

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

    /// Waits until all notes are durable. What they speak of is done only then: folder and journal may lie on two disks.
    func synchronize() throws {
        try state.withLock { state in
            guard state.isNoted else { return }
            do throws(SystemError) {
                try state.file.synchronize()
                if !state.isNamed { try folder.synchronize() }
            } catch {
                throw EngineError.notDurable(error.reason)
            }
            (state.isNamed, state.isNoted) = (true, false)
        }
    }

    /// What was last noted for a path.
    func placed(at path: RelativePath) -> Placing? { state.withLock { $0.placed[path] } }

    /// The work is done and durable, and the local store knows.
    func close() throws { try folder.remove(name) }

    /// After an error: puts in order what is left, as the next run would.
    func recover() throws {
        guard let bytes = try folder.contents(of: name, upTo: 1 << 30) else { return }
        _ = try Self.follow(Self.notes(in: bytes), library, folder, name)
    }

    // MARK: After a kill or a power cut

    /// Takes over what a run that was cut off had done, and returns the drafts that it left, which are gone now. Nothing else is removed
    /// but what it replaced, if that is in the vault; anything else gets its name back, or one beside it.
    @discardableResult
    static func recover(_ library: OpenLibrary) throws -> [RelativePath] {
        let folder = try Folder.open(library.state.library(library.marker.library))
        guard let bytes = try folder.contents(of: name, upTo: 1 << 30) else { return [] }
        return try follow(notes(in: bytes), library, folder, name)
    }

    private static func follow(
        _ notes: [Note], _ library: OpenLibrary?, _ folder: Folder, _ name: [UInt8]
    ) throws -> [RelativePath] {
        var recovery = try library.map { try PlacingRecovery($0, notes) } ?? PlacingRecovery(folder, notes)
        // What cannot be tidied up now is tried again by the next run; a backup goes on all the same.
        if try recovery.run() {
            do throws(SystemError) { try folder.remove(name) } catch {
                // Another restore to this folder may have tidied up too.
                guard error.isNotFound else { throw error }
            }
        }
        return recovery.removed
    }

    /// As `recover`, for all restores to a folder of which none runs any more.
    static func recover(in root: Folder) throws -> [RelativePath] {
        var removed: [RelativePath] = []
        for name in try root.names() where TemporaryNames.isJournal(name) {
            guard let file = try? root.file(name), file.tryLock(), let info = try? file.info(),
                let bytes = try? file.contents(upTo: 1 << 30)
            else { continue }
            let notes = notes(in: bytes)
            guard !notes.isEmpty else {
                // Its run may be about to write the first note, and to lock it.
                if FileTime.now.seconds.saturatingSubtracting(info.modified.seconds) > 60 { try? root.remove(name) }
                continue
            }
            guard case .machine(Environment.machine, _)? = notes.first else { continue }
            removed += try follow(notes, nil, root, name)
        }
        return removed
    }

    /// Whether what a run that was cut off left is still to be tidied up.
    static func isLeft(by library: OpenLibrary) -> Bool {
        (try? Folder.open(library.state.library(library.marker.library)).info(of: name)).flatMap { $0 } != nil
    }

    /// Up to the first that is cut short, or is not what was written.
    private static func notes(in bytes: [UInt8]) -> [Note] {
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
        default: throw .outOfRange
        }
    }

    private mutating func path() throws(FormatError) -> RelativePath {
        try RelativePath(checking: try lengthAndBytes(upTo: Limits.path))
    }
}
