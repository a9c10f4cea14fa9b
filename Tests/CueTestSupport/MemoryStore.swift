package import CueStorage
import Synchronization

/// A store in memory: what the vault's tests run on, and what shows how little an `ObjectStore` needs.
package final class MemoryStore: ObjectStore {
    /// By the bare text of the name, so that tests can leave files here that no object is called like.
    private let files = Mutex<[String: [UInt8]]>([:])

    package let readsAreDownloads: Bool
    private let pageSize: Int

    /// `readsAreDownloads`: as a vault behind a network would have it. `pageSize`: how many names one listing gives.
    package init(readsAreDownloads: Bool = false, pageSize: Int = 1000) {
        (self.readsAreDownloads, self.pageSize) = (readsAreDownloads, pageSize)
    }

    // MARK: For tests

    package var names: [String] { files.withLock { $0.keys.sorted() } }

    package func bytes(of name: String) -> [UInt8]? { files.withLock { $0[name] } }

    /// Puts any bytes under any name, or takes them away, as a stranger or a broken disk would.
    package func set(_ name: String, to bytes: [UInt8]?) { files.withLock { $0[name] = bytes } }

    /// A second store with the same objects, to be broken without breaking this one.
    package func copy() -> MemoryStore {
        let other = MemoryStore()
        for (name, bytes) in files.withLock({ $0 }) { other.set(name, to: bytes) }
        return other
    }

    // MARK: ObjectStore

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        MemoryWriter(name: name, store: self)
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        guard let bytes = bytes(of: name.text) else { throw .notFound(name.text) }
        guard offset + buffer.count <= bytes.count else { throw .shortRead(name.text) }
        let range = offset..<offset + buffer.count
        unsafe buffer.withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes[range]) }
    }

    package func size(of name: ObjectName) throws(StorageError) -> Int? { bytes(of: name.text)?.count }

    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        let found = files.withLock { files in
            files.compactMap { name, bytes -> ObjectEntry? in
                guard name.hasPrefix(folder + "/"), after.map({ $0 < name }) ?? true,
                    let object = ObjectName(listed: name)
                else { return nil }
                return ObjectEntry(name: object, size: bytes.count)
            }
        }.sorted { $0.name < $1.name }
        let page = Array(found.prefix(pageSize))
        return ObjectPage(page, next: page.count < found.count ? page.last?.name.text : nil)
    }

    package func delete(_ name: ObjectName) throws(StorageError) { set(name.text, to: nil) }

    fileprivate func add(_ name: ObjectName, _ bytes: [UInt8]) throws(StorageError) {
        let isNew = files.withLock { files in
            guard files[name.text] == nil else { return false }
            files[name.text] = bytes
            return true
        }
        guard isNew else { throw .alreadyThere(name.text) }
    }
}

private final class MemoryWriter: ObjectWriter {
    private let name: ObjectName
    private let store: MemoryStore
    private var bytes: [UInt8]? = []

    init(name: ObjectName, store: MemoryStore) { (self.name, self.store) = (name, store) }

    func write(_ more: Span<UInt8>) throws(StorageError) {
        unsafe more.withUnsafeBufferPointer { unsafe bytes?.append(contentsOf: $0) }
    }

    func finish() throws(StorageError) {
        guard let bytes else { return }
        try store.add(name, bytes)
        self.bytes = nil
    }

    func cancel() { bytes = nil }
}
