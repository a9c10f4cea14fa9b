import Synchronization

/// Requests to a store, and the bytes that they moved.
package struct Traffic: Hashable, Sendable {
    package var reads = 0
    package var sizes = 0
    package var lists = 0
    /// Objects that were begun.
    package var objects = 0
    package var deletions = 0
    package var bytesRead = 0
    package var bytesWritten = 0

    /// How often the store was asked for anything.
    package var requests: Int { reads + sizes + lists + objects + deletions }

    package init() {}
}

/// Counts what is asked of another store.
package final class CountingStore: ObjectStore {
    private let inner: any ObjectStore
    private let counts = Mutex(Traffic())

    package init(_ inner: any ObjectStore) { self.inner = inner }

    package var traffic: Traffic { counts.withLock(\.self) }
    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    package var writer: String { inner.writer }

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        counts.withLock { $0.objects += 1 }
        return CountingWriter(try inner.makeWriter(for: name)) { [self] count in
            counts.withLock { $0.bytesWritten += count }
        }
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        let count = buffer.count
        counts.withLock { $0.reads += 1 }
        try inner.read(name, at: offset, into: &buffer)
        counts.withLock { $0.bytesRead += count }
    }

    package func size(of name: ObjectName) throws(StorageError) -> Int? {
        counts.withLock { $0.sizes += 1 }
        return try inner.size(of: name)
    }

    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        counts.withLock { $0.lists += 1 }
        return try inner.list(folder, after: after)
    }

    package func delete(_ name: ObjectName) throws(StorageError) {
        counts.withLock { $0.deletions += 1 }
        try inner.delete(name)
    }

    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }
    package func forget(_ name: ObjectName) { inner.forget(name) }
}

private final class CountingWriter: ObjectWriter {
    private let inner: any ObjectWriter
    private let count: (Int) -> Void

    init(_ inner: any ObjectWriter, count: @escaping (Int) -> Void) { (self.inner, self.count) = (inner, count) }

    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        try inner.write(bytes)
        count(bytes.count)
    }

    func finish() throws(StorageError) { try inner.finish() }
    func cancel() { inner.cancel() }
}
