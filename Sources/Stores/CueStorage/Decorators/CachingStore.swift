import CueBase
import CueSodium
package import CueSystem
import Synchronization

/// Keeps copies of the records of another store in a folder of this device. Records never change, so a copy is as good
/// as the object. Key slots and `vault.json` can be removed or replaced: their copies count as long as a listing has
/// them with the same tag.
///
/// Do not put it before a store whose objects may be there in part, as in a folder that a sync service fills: a copy of
/// a part would stay. Each copy stands behind its hash, and one that does not match is removed and read again. If the
/// copies exceed the limit, those that were used least recently go. An error of the folder fails no call after `init`.
package final class CachingStore: ObjectStore {
    /// The largest object that is kept, in bytes. Packs are larger, and are read in parts.
    private static let largest = 4 << 20
    /// The requests at once, as many as a client has connections.
    private static let readsAtOnce = 8
    /// The bytes of the hash in front of each copy.
    private static let hashLength = 32

    private let inner: any ObjectStore
    private let folder: Folder
    private let limit: Int
    private let state: Mutex<State>

    private struct State {
        /// The copies by the names of their files. `size` is in bytes, with the hash; `use` is the number of the last
        /// use.
        var copies: [String: (size: Int, use: Int)] = [:]
        /// The number of the newest use.
        var uses = 0
        /// The bytes of all copies, with their hashes.
        var total = 0
        /// The object that was read last: most objects are read in several pieces. Its bytes are nil if it is too large
        /// to keep.
        var last: (name: ObjectName, bytes: [UInt8]?)?

        mutating func use(_ file: String, _ size: Int) {
            forget(file)
            uses += 1
            copies[file] = (size, uses)
            total += size
        }

        mutating func forget(_ file: String) {
            if let known = copies.removeValue(forKey: file) { total -= known.size }
        }

        /// Forgets the copies that were used least recently, down to nine tenths of `limit`, so that it has to sort
        /// them rarely. Returns the names of their files, which the caller removes.
        mutating func shrink(to limit: Int) -> [String] {
            guard total > limit else { return [] }
            var gone: [String] = []
            for (file, _) in copies.sorted(by: { $0.value.use < $1.value.use }) {
                guard total > limit - limit / 10 else { break }
                forget(file)
                gone.append(file)
            }
            return gone
        }
    }

    /// Opens an existing folder, which nothing but such stores may use, and takes over the copies in it, oldest first.
    /// Of several processes that share it each holds the limit by what it knows.
    ///
    /// `limit` is the most that all copies take, in bytes. It is enforced when a copy is added. Throws the error of the
    /// system if the folder cannot be opened or listed.
    package init(_ inner: any ObjectStore, in path: FilePathBytes, limit: Int) throws(SystemError) {
        (self.inner, self.limit) = (inner, limit)
        folder = try Folder.open(path)
        var state = State()
        var found: [(file: String, info: FileInfo)] = []
        for name in try folder.names() {
            guard let info = try folder.info(of: name), info.kind == .file else { continue }
            found.append((String(decoding: name, as: UTF8.self), info))
        }
        for (file, info) in found.sorted(by: { $0.info.modified < $1.info.modified }) {
            state.use(file, Int(info.size))
        }
        self.state = Mutex(state)
    }

    /// As in the store below: the first read of each object still goes there.
    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    /// As in the store below.
    package var writer: String { inner.writer }
    /// As in the store below.
    package var secondsAhead: Int? { inner.secondsAhead }
    /// As in the store below.
    package var locking: (any ObjectLocking)? { inner.locking }

    /// Writes to the store below, and makes a copy of a record once it is there.
    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        let writer = try inner.makeWriter(for: name)
        guard Self.isKept(name) else { return writer }
        return CopyingWriter(writer, upTo: Self.largest) { [self] bytes in keep(bytes, Self.file(of: name)) }
    }

    /// Reads records from their copies, and makes copies that are missing. Everything else comes from the store below.
    ///
    /// Throws `.shortRead` if the object ends before the buffer is full, and otherwise the errors of the store below.
    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        guard let bytes = try copy(of: name) else { return try inner.read(name, at: offset, into: &buffer) }
        guard offset + buffer.count <= bytes.count else { throw .shortRead(name.text) }
        buffer.fill(from: bytes, at: offset)
    }

    /// Returns all bytes of a record, and makes a copy if there is none; nil for other objects, and for one that is too
    /// large.
    private func copy(of name: ObjectName) throws(StorageError) -> [UInt8]? {
        guard Self.isKept(name) else { return try taggedCopy(of: name) }
        if let last = state.withLock({ $0.last }), last.name == name { return last.bytes }
        let file = Self.file(of: name)
        if let bytes = kept(file) {
            state.withLock { $0.last = (name, bytes) }
            return bytes
        }
        let bytes: [UInt8]
        do { bytes = try inner.get(name, upTo: Self.largest) } catch {
            guard case .tooLarge = error else { throw error }
            state.withLock { $0.last = (name, nil) }
            return nil
        }
        keep(bytes, file)
        state.withLock { $0.last = (name, bytes) }
        return bytes
    }

    /// Makes copies of the records among these that have none, several at once, as long as they take half of the limit.
    package func bringNear(_ objects: [ObjectEntry]) {
        var room = limit / 2
        var open: [ObjectEntry] = []
        for entry in objects where Self.isKept(entry.name) && entry.size <= Self.largest {
            guard state.withLock({ $0.copies[Self.file(of: entry.name)] == nil }) else { continue }
            room -= entry.size
            guard room >= 0 else { break }
            open.append(entry)
        }
        guard open.count > 1 else { return }
        let (all, inner) = (open, inner)
        try? Workers.forEach(all.count, on: min(Self.readsAtOnce, all.count), context: {}) { [self] number, _ in
            keep(try inner.get(all[number].name, upTo: Self.largest), Self.file(of: all[number].name))
        }
    }

    /// The same for a key slot and `vault.json`. Its copy begins with the tag that a listing had, and a line feed.
    private func taggedCopy(of name: ObjectName) throws(StorageError) -> [UInt8]? {
        guard name.components.first == "keys" || name.text == "vault.json" else { return nil }
        // A place from which nothing was kept yet may be no vault, which the object itself shows best. Otherwise the tag is
        // asked for first: an object that is replaced in between has another tag at the next listing.
        guard state.withLock({ !$0.copies.isEmpty }), let tag = try inner.tag(of: name) else { return nil }
        let (file, head) = (Self.file(of: name), Array("\(tag)\n".utf8))
        if let copy = kept(file), copy.starts(with: head) { return Array(copy.dropFirst(head.count)) }
        do {
            let bytes = try inner.get(name, upTo: Self.largest)
            keep(head + bytes, file)
            return bytes
        } catch {
            guard case .tooLarge = error else { throw error }
            return nil
        }
    }

    /// True for records, which are read again and again. Key slots and `vault.json` may be replaced or removed, and
    /// packs are large.
    private static func isKept(_ name: ObjectName) -> Bool {
        ["log", "events", "checkpoints", "epochs"].contains(name.components.first)
    }

    private static func file(of name: ObjectName) -> String { name.text.replacing("/", with: "_") }

    /// Returns the content of a copy; nil if there is none, or if its hash does not match.
    private func kept(_ file: String) -> [UInt8]? {
        guard state.withLock({ $0.copies[file] != nil }),
            let found = try? folder.contents(of: file, upTo: Self.largest + Self.hashLength)
        else { return nil }
        let bytes = Array(found.dropFirst(Self.hashLength))
        guard found.count >= Self.hashLength, BLAKE2b.hash(bytes).elementsEqual(found.prefix(Self.hashLength)) else {
            remove(file)
            return nil
        }
        state.withLock { $0.use(file, found.count) }
        return bytes
    }

    /// Writes a copy, and removes others if the limit asks for it.
    private func keep(_ bytes: [UInt8], _ file: String) {
        let size = bytes.count + Self.hashLength
        guard size <= limit, (try? folder.replace(file, with: BLAKE2b.hash(bytes) + bytes)) != nil else { return }
        let gone = state.withLock { state in
            state.use(file, size)
            return state.shrink(to: limit)
        }
        for file in gone { try? folder.remove(Array(file.utf8)) }
    }

    private func remove(_ file: String) {
        state.withLock { state in
            state.forget(file)
            state.last = nil
        }
        try? folder.remove(Array(file.utf8))
    }

    /// Reads a record from its copy, and makes one that is missing. Other objects come from the store below.
    package func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        guard let bytes = try copy(of: name) else { return try inner.get(name, upTo: limit) }
        guard bytes.count <= limit else { throw .tooLarge(name.text) }
        return bytes
    }

    /// Asks the store below: a copy does not prove that the object is still there.
    package func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }

    /// Asks the store below.
    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try inner.list(folder, after: after)
    }

    /// Asks the store below.
    package func listFew(_ folder: String, after: String) throws(StorageError) -> ObjectPage {
        try inner.listFew(folder, after: after)
    }

    /// Removes the object from the store below, then its copy.
    package func delete(_ name: ObjectName) throws(StorageError) {
        try inner.delete(name)
        remove(Self.file(of: name))
    }

    /// Asks the store below.
    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }

    /// Removes the copy, and lets the store below forget the object too: the next read is a new one.
    package func forget(_ name: ObjectName) {
        remove(Self.file(of: name))
        inner.forget(name)
    }
}

/// Hands the bytes of an object over once it is stored, if they are not too many.
private final class CopyingWriter: ObjectWriter {
    private let inner: any ObjectWriter
    private let limit: Int
    private let keep: ([UInt8]) -> Void
    /// nil if they are too many.
    private var bytes: [UInt8]? = []

    init(_ inner: any ObjectWriter, upTo limit: Int, keep: @escaping ([UInt8]) -> Void) {
        (self.inner, self.limit, self.keep) = (inner, limit, keep)
    }

    func write(_ piece: Span<UInt8>) throws(StorageError) {
        try inner.write(piece)
        guard let known = bytes?.count, known + piece.count <= limit else { return bytes = nil }
        bytes?.append(piece)
    }

    func finish() throws(StorageError) {
        try inner.finish()
        if let bytes { keep(bytes) }
    }

    func cancel() { inner.cancel() }
}
