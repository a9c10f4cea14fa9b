import CueBase
package import CueSystem
import Synchronization

/// A vault in a folder: on a disk, a USB stick, a NAS, or in a folder that a sync service carries.
///
/// An object is written under `tmp/`, made durable, and renamed (docs/format.md §9). The folder needs no hard links, no
/// case-sensitive names and no locks.
package final class DirectoryStore: ObjectStore {
    /// The folder of the vault, as it was opened.
    package let path: FilePathBytes
    private let root: Folder
    /// The beginning of the names of this process's files under `tmp/`: the name that was given, a hyphen, and 16
    /// random hexadecimal digits.
    package let writer: String
    private let state = Mutex(State())

    private struct State {
        var folders: [String: Folder] = [:]
        var counter = 0
    }

    /// Opens an existing folder. `writerName` names this device's writer, for `removeLeftovers(of:)`.
    ///
    /// Throws `.unreachable` if the folder is not there: its disk may not be mounted. Throws `.noPermission` or
    /// `.system` for other errors.
    package init(at path: FilePathBytes, writerName: String) throws(StorageError) {
        self.path = path
        // A name for this process alone: a clone of this device (a restored disk image) may write to the same vault.
        var generator = SystemRandomNumberGenerator()
        writer = "\(writerName)-\(generator.next().hexadecimal)"
        do { root = try Folder.open(path) } catch { throw StorageError(error, of: path.description, opening: true) }
    }

    // MARK: Names

    /// Returns the open folder that is to hold the object; nil if it is not there and `making` is false.
    ///
    /// `making` makes missing folders durably. It throws `.blocked` if a file or a link stands in the place of one.
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
                throw .blocked(key)
            }
            throw StorageError(error, of: name.text)
        }
        let found = folder
        return state.withLock { state in
            // Keep few: each counts against the limit of open files.
            if state.folders.count >= 64 { state.folders.removeAll() }
            state.folders[key] = found
            return found
        }
    }

    private func leaf(_ name: ObjectName) -> [UInt8] { Array((name.components.last ?? "").utf8) }

    private func open(_ name: ObjectName) throws(StorageError) -> File {
        guard let folder = try folder(of: name, making: false) else { throw .notFound(name.text) }
        do { return try folder.file(leaf(name)) } catch { throw StorageError(error, of: name.text) }
    }

    // MARK: ObjectStore

    /// Makes the folders of the object and a file under `tmp/`. Throws `.blocked` if a file or a link stands in the
    /// place of a folder, and `.noSpace`, `.readOnly`, `.noPermission` or `.system`.
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

    /// Opens the file for each read. Throws `.notFound`, `.shortRead` if the file ends before the buffer is full,
    /// `.noPermission` or `.system`.
    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        let file = try open(name)
        let wanted = buffer.count
        do {
            guard try file.read(into: &buffer, at: Int64(offset)) == wanted else {
                throw StorageError.shortRead(name.text)
            }
        } catch let error as SystemError {
            throw StorageError(error, of: name.text)
        } catch {
            throw .shortRead(name.text)
        }
    }

    /// The size of the file in bytes; nil if there is none, or if a folder or a link has the name. Reads no content.
    package func size(of name: ObjectName) throws(StorageError) -> Int? {
        guard let folder = try folder(of: name, making: false) else { return nil }
        do {
            guard let info = try folder.info(of: leaf(name)), info.kind == .file else { return nil }
            return Int(info.size)
        } catch {
            throw StorageError(error, of: name.text)
        }
    }

    /// Lists files up to two levels below the folder, in pages of at least 1,000 objects except for the last. A page
    /// ends between two folders.
    ///
    /// A missing folder has no objects. Throws `.unreachable` if the vault's own folder is gone too.
    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        do {
            if let open = try existing(folder) {
                var walk = ListWalk(after: after)
                try walk.collect(open, folder, depth: 0)
                return ObjectPage(walk.entries, next: walk.isCut ? walk.entries.last?.name.text : nil)
            }
            // A missing folder means "nothing yet" or that the disk was unplugged. The vault's own folder shows which.
            if try path.info() != nil { return ObjectPage([]) }
        } catch {
            throw StorageError(error, of: folder)
        }
        throw .unreachable(path.description)
    }

    /// The folder of this name; nil if a part of the name is missing or no folder.
    private func existing(_ name: String) throws(SystemError) -> Folder? {
        var open = root
        for part in name.split(separator: "/") {
            guard let info = try open.info(of: Array(part.utf8)), info.kind == .folder else { return nil }
            open = try open.folder(Array(part.utf8))
        }
        return open
    }

    /// Removes the file, and makes that durable. A file that is not there is no error.
    package func delete(_ name: ObjectName) throws(StorageError) {
        guard let folder = try folder(of: name, making: false) else { return }
        do {
            try folder.remove(leaf(name))
            try folder.synchronize()
        } catch {
            if error.isNotFound { return }
            throw StorageError(error, of: name.text)
        }
    }

    /// Removes the files under `tmp/` whose names begin with this writer's; those of other writers stay. Errors are
    /// ignored.
    package func removeLeftovers(of writer: String) {
        guard let temporary = try? root.folder(Array("tmp".utf8)), let names = try? temporary.names() else { return }
        for name in names where name.starts(with: Array((writer + "-").utf8)) { try? temporary.remove(name) }
    }
}

/// Walks folders in the order of the names of objects. It stops between two folders once it has enough.
private struct ListWalk {
    /// The number of objects after which no further folder is opened.
    private static let enough = 1000

    /// Names up to this one are left out. For most of them the file is not looked at.
    let after: String?
    private(set) var entries: [ObjectEntry] = []
    /// True if objects may follow.
    private(set) var isCut = false

    init(after: String?) { self.after = after }

    /// Adds the objects of a folder and of those below it. `prefix` is the name of the folder, `depth` its level below
    /// the one that is listed.
    mutating func collect(_ folder: Folder, _ prefix: String, depth: Int) throws(SystemError) {
        var found: [(order: String, object: ObjectName, info: FileInfo)] = []
        for name in try folder.names() {
            // Other programs leave files here (.DS_Store, "conflicted copy"). Their names are no names of objects.
            guard let text = String(validating: name, as: UTF8.self),
                let object = ObjectName(listed: "\(prefix)/\(text)"), mayFollow(object.text),
                let info = try folder.info(of: name)
            else { continue }
            // The names below a folder continue with a slash, which sorts after `-` and `.`: sort the folder by that.
            found.append((info.kind == .folder ? object.text + "/" : object.text, object, info))
        }
        found.sort { $0.order < $1.order }
        for (_, object, info) in found {
            if info.kind == .file, after.map({ $0 < object.text }) ?? true {
                entries.append(ObjectEntry(name: object, size: Int(info.size)))
            }
            guard info.kind == .folder && depth < 2 else { continue }
            isCut = entries.count >= Self.enough
            if isCut { return }
            try collect(try folder.folder(Array((object.components.last ?? "").utf8)), object.text, depth: depth + 1)
            if isCut { return }
        }
    }

    /// True if a file of this name, or one below a folder of this name, can come after `after`.
    private func mayFollow(_ text: String) -> Bool {
        after.map { $0 < text || $0 < text + "/" || $0.hasPrefix(text + "/") } ?? true
    }
}

/// Writes one object of a `DirectoryStore`.
///
/// A large object goes past the page cache in aligned pieces of 1 MiB where the file system can do that
/// (docs/performance.md).
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
            throw StorageError(error, of: name.text)
        }
    }

    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        do { try output?.write(bytes) } catch { throw StorageError(error, of: name.text) }
    }

    func finish() throws(StorageError) {
        guard let output else { return }
        do {
            try output.finish()
            try temporary.renameNew(temporaryName, to: target, leaf)
            self.output = nil
            try target.synchronize()
        } catch {
            throw StorageError(error, of: name.text)
        }
    }

    func cancel() {
        guard output != nil else { return }
        output = nil
        try? temporary.remove(temporaryName)
    }

    deinit { cancel() }
}
