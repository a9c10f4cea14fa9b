import Synchronization

/// The requests to a store, and the bytes that they moved. A request counts when it begins, also if it fails.
package struct Traffic: Hashable, Sendable {
    /// Calls of `read`.
    package var reads = 0
    /// Calls of `size`.
    package var sizes = 0
    /// Pages of listings.
    package var lists = 0
    /// Objects that were begun, whether or not they were finished.
    package var objects = 0
    /// Calls of `delete`.
    package var deletions = 0
    /// The bytes of all reads that succeeded.
    package var bytesRead = 0
    /// The bytes that writers took without an error, also for objects that were cancelled later.
    package var bytesWritten = 0

    /// The number of all requests. Clean-up and `forget` are not counted.
    package var requests: Int { reads + sizes + lists + objects + deletions }

    /// No traffic.
    package init() {}
}

/// Counts the requests to another store and changes none of them. Threads may share it.
package final class CountingStore: ObjectStore {
    private let inner: any ObjectStore
    private let counts = Mutex(Traffic())

    /// Counts what goes to `inner` from now on.
    package init(_ inner: any ObjectStore) { self.inner = inner }

    /// The counts so far.
    package var traffic: Traffic { counts.withLock(\.self) }
    /// As in the store below.
    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    /// As in the store below.
    package var writer: String { inner.writer }
    /// As in the store below.
    package var secondsAhead: Int? { inner.secondsAhead }
    /// As in the store below.
    package var locking: (any ObjectLocking)? { inner.locking }

    /// Counts an object, and the bytes that the writer takes.
    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        counts.withLock { $0.objects += 1 }
        return CountingWriter(try inner.makeWriter(for: name)) { [self] count in
            counts.withLock { $0.bytesWritten += count }
        }
    }

    /// Counts a read, and its bytes if it succeeds.
    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        let count = buffer.count
        counts.withLock { $0.reads += 1 }
        try inner.read(name, at: offset, into: &buffer)
        counts.withLock { $0.bytesRead += count }
    }

    /// Counts a read, and its bytes if it succeeds.
    package func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        counts.withLock { $0.reads += 1 }
        let bytes = try inner.get(name, upTo: limit)
        counts.withLock { $0.bytesRead += bytes.count }
        return bytes
    }

    /// Counts a question for a size.
    package func size(of name: ObjectName) throws(StorageError) -> Int? {
        counts.withLock { $0.sizes += 1 }
        return try inner.size(of: name)
    }

    /// Counts one page of a listing.
    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        counts.withLock { $0.lists += 1 }
        return try inner.list(folder, after: after)
    }

    /// Counts one page of a listing.
    package func listFew(_ folder: String, after: String) throws(StorageError) -> ObjectPage {
        counts.withLock { $0.lists += 1 }
        return try inner.listFew(folder, after: after)
    }

    /// Counts a page, if the store has such a one.
    package func firstPage(upTo count: Int) throws(StorageError) -> ObjectPage? {
        guard let page = try inner.firstPage(upTo: count) else { return nil }
        counts.withLock { $0.lists += 1 }
        return page
    }

    /// Counts a deletion.
    package func delete(_ name: ObjectName) throws(StorageError) {
        counts.withLock { $0.deletions += 1 }
        try inner.delete(name)
    }

    /// Passes the call on and counts nothing.
    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }
    /// Passes the call on and counts nothing.
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
