import CueBase
import CueSodium
package import CueSystem
import Synchronization

/// Keeps copies of small objects of another store in a folder of this device: an object never changes, so a copy is as good. Not for a
/// store whose objects may be there in part, as in a folder that a sync service brings.
///
/// A copy is held against its hash when it is read, and one that does not match is thrown away. What the folder may hold is bounded:
/// the copies that were used least recently go first. The cache never fails a call; without it the store is asked.
package final class CachingStore: ObjectStore {
    /// Objects over this are not kept, in bytes: packs are read in parts.
    private static let largest = 4 << 20
    private static let hashLength = 32

    private let inner: any ObjectStore
    private let folder: Folder
    private let limit: Int
    private let state: Mutex<State>

    private struct State {
        /// Bytes of each copy by its file's name, and when it was used, counted.
        var copies: [String: (size: Int, use: Int)] = [:]
        var uses = 0
        var total = 0
        /// The object that was read last, as it is mostly read in pieces; without its bytes where it is too large to keep.
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

        /// Forgets what was used least recently, a tenth more than it must: so the search for it is rare. Gives the files.
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

    /// `limit`: what all copies take at most, in bytes. The folder must be there, and belongs to the cache alone.
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

    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    package var writer: String { inner.writer }

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        try inner.makeWriter(for: name)
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        guard let bytes = try copy(of: name) else { return try inner.read(name, at: offset, into: &buffer) }
        guard offset + buffer.count <= bytes.count else { throw .shortRead(name.text) }
        buffer.fill(from: bytes, at: offset)
    }

    /// The whole object, of which a copy is made where there is none; nil for one that is too large.
    private func copy(of name: ObjectName) throws(StorageError) -> [UInt8]? {
        guard Self.isKept(name) else { return nil }
        if let last = state.withLock({ $0.last }), last.name == name { return last.bytes }
        let file = Self.file(of: name)
        if let bytes = kept(file) {
            state.withLock { $0.last = (name, bytes) }
            return bytes
        }
        guard let size = try inner.size(of: name) else { throw .notFound(name.text) }
        guard size <= Self.largest else {
            state.withLock { $0.last = (name, nil) }
            return nil
        }
        let bytes = try inner.get(name, upTo: Self.largest)
        keep(bytes, file)
        state.withLock { $0.last = (name, bytes) }
        return bytes
    }

    /// Records: they are read again and again. Key slots and `vault.json` may be replaced or taken away, and packs are large.
    private static func isKept(_ name: ObjectName) -> Bool {
        ["log", "events", "checkpoints"].contains(name.components.first)
    }

    private static func file(of name: ObjectName) -> String { name.text.replacing("/", with: "_") }

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

    package func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }

    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try inner.list(folder, after: after)
    }

    package func delete(_ name: ObjectName) throws(StorageError) {
        try inner.delete(name)
        remove(Self.file(of: name))
    }

    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }

    package func forget(_ name: ObjectName) {
        remove(Self.file(of: name))
        inner.forget(name)
    }
}
