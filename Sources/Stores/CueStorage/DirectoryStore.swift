import CueBase
package import CueSystem
import Synchronization

/// A vault in a folder: a disk, a USB stick, a NAS, or what a sync service carries.
///
/// An object is written under `tmp/`, made durable, and renamed. Needs no hard links, no case-sensitive names and no locks.
package final class DirectoryStore: ObjectStore {
    package let path: FilePathBytes
    private let root: Folder
    /// Tells this process's files under `tmp/` from those of others.
    package let writer: String
    private let state = Mutex(State())

    private struct State {
        var folders: [String: Folder] = [:]
        var counter = 0
    }

    /// Opens the folder; it must be there.
    package init(at path: FilePathBytes, writerName: String) throws(StorageError) {
        self.path = path
        // Its own for every process: a clone of this device (a restored disk image) may be writing to the same vault.
        var generator = SystemRandomNumberGenerator()
        writer = "\(writerName)-\(generator.next().hexadecimal)"
        do { root = try Folder.open(path) } catch { throw Self.storageError(error, path.description, opening: true) }
    }

    static func storageError(_ error: SystemError, _ name: String, opening: Bool = false) -> StorageError {
        if error.isNoSpace { return .noSpace }
        if error.isReadOnly { return .readOnly }
        if error.isNoPermission { return .noPermission(name) }
        if error.isNotFound { return opening ? .unreachable(name) : .notFound(name) }
        if error.isAlreadyThere { return .alreadyThere(name) }
        return .failed("\(name): \(error.reason)")
    }

    // MARK: Names

    /// The open folder that holds the object; nil if it is not there and `making` is false.
    private func folder(of name: ObjectName, making: Bool) throws(StorageError) -> Folder? {
        let parts = name.components.dropLast().map(String.init)
        let key = parts.joined(separator: "/")
        if let open = state.withLock({ $0.folders[key] }) { return open }
        var folder = root
        do {
            for part in parts {
                if making {
                    let (inner, made) = try folder.folderOrNew(Array(part.utf8), mode: 0o755)
                    // Without this the new folder, and with it the object, may not survive a power cut.
                    if made { try folder.synchronize() }
                    folder = inner
                } else {
                    folder = try folder.folder(Array(part.utf8))
                }
            }
        } catch {
            if error.isNotFound && !making { return nil }
            if making && (error.isLink || error.isNotFolder) {
                throw .failed("a file or a link stands where its folder \(key) should be")
            }
            throw Self.storageError(error, name.text)
        }
        let found = folder
        return state.withLock { state in
            // Bounded: open folders count against the limit of open files.
            if state.folders.count >= 64 { state.folders.removeAll() }
            state.folders[key] = found
            return found
        }
    }

    private func leaf(_ name: ObjectName) -> [UInt8] { Array((name.components.last ?? "").utf8) }

    private func open(_ name: ObjectName) throws(StorageError) -> File {
        guard let folder = try folder(of: name, making: false) else { throw .notFound(name.text) }
        do { return try folder.file(leaf(name)) } catch { throw Self.storageError(error, name.text) }
    }

    // MARK: ObjectStore

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        guard let target = try folder(of: name, making: true) else { throw .notFound(name.text) }
        let number = state.withLock { state in
            state.counter += 1
            return state.counter
        }
        guard let temporary = try folder(of: ObjectName("tmp/x"), making: true) else { throw .notFound("tmp") }
        return try DirectoryWriter(
            name: name, temporary: temporary, temporaryName: Array("\(writer)-\(number)".utf8), target: target,
            leaf: leaf(name))
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        let file = try open(name)
        let wanted = buffer.count
        do {
            guard try file.read(into: &buffer, at: Int64(offset)) == wanted else {
                throw StorageError.shortRead(name.text)
            }
        } catch let error as SystemError {
            throw Self.storageError(error, name.text)
        } catch {
            throw .shortRead(name.text)
        }
    }

    package func size(of name: ObjectName) throws(StorageError) -> Int? {
        guard let folder = try folder(of: name, making: false) else { return nil }
        do {
            guard let info = try folder.info(of: leaf(name)), info.kind == .file else { return nil }
            return Int(info.size)
        } catch {
            throw Self.storageError(error, name.text)
        }
    }

    package func list(_ folder: String) throws(StorageError) -> [ObjectEntry] {
        do {
            guard let info = try root.info(of: Array(folder.utf8)), info.kind == .folder else {
                // Nothing there may mean "nothing yet", or a disk that was unplugged: the folder itself tells.
                guard try path.info() != nil else { throw StorageError.unreachable(path.description) }
                return []
            }
            var entries: [ObjectEntry] = []
            try collect(try root.folder(Array(folder.utf8)), folder, depth: 0, into: &entries)
            return entries
        } catch let error as SystemError {
            throw Self.storageError(error, folder)
        } catch let error as StorageError {
            throw error
        } catch {
            throw .failed(folder)
        }
    }

    private func collect(
        _ folder: Folder, _ prefix: String, depth: Int, into entries: inout [ObjectEntry]
    ) throws(SystemError) {
        for name in try folder.names() {
            // Other programs leave files here (.DS_Store, "conflicted copy"): no object is called so.
            guard let text = String(validating: name, as: UTF8.self),
                let object = ObjectName(listed: "\(prefix)/\(text)"),
                let info = try folder.info(of: name)
            else { continue }
            if info.kind == .file { entries.append(ObjectEntry(name: object, size: Int(info.size))) }
            if info.kind == .folder && depth < 2 {
                try collect(try folder.folder(name), object.text, depth: depth + 1, into: &entries)
            }
        }
    }

    package func delete(_ name: ObjectName) throws(StorageError) {
        guard let folder = try folder(of: name, making: false) else { return }
        do {
            try folder.remove(leaf(name))
            try folder.synchronize()
        } catch {
            if error.isNotFound { return }
            throw Self.storageError(error, name.text)
        }
    }

    /// Removes what an earlier, killed run left under `tmp/`; nobody else's.
    package func removeLeftovers(of writer: String) {
        guard let temporary = try? root.folder(Array("tmp".utf8)), let names = try? temporary.names() else { return }
        for name in names where name.starts(with: Array((writer + "-").utf8)) { try? temporary.remove(name) }
    }

    /// Whether the folder holds nothing but these names.
    package func holdsOnly(_ allowed: [String]) throws(StorageError) -> Bool {
        do { return try root.names().allSatisfy { allowed.map { Array($0.utf8) }.contains($0) } } catch {
            throw Self.storageError(error, path.description)
        }
    }

    /// A system's error in the words of a store.
    package static func error(_ error: SystemError, _ name: String) -> StorageError { storageError(error, name) }

    /// Whether the folder holds nothing that a person would miss.
    package func isEmpty() throws(StorageError) -> Bool {
        do { return try root.names().allSatisfy { $0 == Array("lost+found".utf8) } } catch {
            throw Self.storageError(error, path.description)
        }
    }
}

/// Writes one object of a `DirectoryStore`.
///
/// Large objects go past the page cache in aligned megabytes where the file system can (docs/performance.md).
final class DirectoryWriter: ObjectWriter {
    private let name: ObjectName
    private let temporary: Folder
    private let temporaryName: [UInt8]
    private let target: Folder
    private let leaf: [UInt8]
    private var output: BlockWriter?

    init(
        name: ObjectName, temporary: Folder, temporaryName: [UInt8], target: Folder, leaf: [UInt8]
    ) throws(StorageError) {
        (self.name, self.temporary, self.temporaryName) = (name, temporary, temporaryName)
        (self.target, self.leaf) = (target, leaf)
        do {
            output = BlockWriter(try temporary.create(temporaryName, mode: 0o644))
        } catch {
            throw DirectoryStore.storageError(error, name.text)
        }
    }

    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        do { try output?.write(bytes) } catch { throw DirectoryStore.storageError(error, name.text) }
    }

    func finish() throws(StorageError) {
        guard let output else { return }
        do {
            try output.finish()
            try temporary.renameNew(temporaryName, to: target, leaf)
            self.output = nil
            try target.synchronize()
        } catch {
            throw DirectoryStore.storageError(error, name.text)
        }
    }

    func cancel() {
        guard output != nil else { return }
        output = nil
        try? temporary.remove(temporaryName)
    }

    deinit { cancel() }
}
