import Synchronization

/// Moves at most so many bytes a second to and from another store.
package final class LimitedStore: ObjectStore {
    private let inner: any ObjectStore
    private let uploads: Allowance
    private let downloads: Allowance

    /// Bytes a second; nil where there is no limit.
    package init(_ inner: any ObjectStore, upload: Int?, download: Int?, clock: StoreClock = .system) {
        self.inner = inner
        (uploads, downloads) = (Allowance(upload, clock), Allowance(download, clock))
    }

    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    package var writer: String { inner.writer }

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        LimitedWriter(try inner.makeWriter(for: name), uploads)
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        downloads.take(buffer.count)
        try inner.read(name, at: offset, into: &buffer)
    }

    package func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }

    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try inner.list(folder, after: after)
    }

    package func delete(_ name: ObjectName) throws(StorageError) { try inner.delete(name) }
    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }
    package func forget(_ name: ObjectName) { inner.forget(name) }
}

/// Bytes that may be moved now. All who take share it, and each waits until what was taken before has had its time.
private final class Allowance: Sendable {
    private let rate: Int?
    private let clock: StoreClock
    /// When all that was taken has had its time.
    private let free = Mutex(-Double.infinity)

    init(_ rate: Int?, _ clock: StoreClock) { (self.rate, self.clock) = (rate.map { max(1, $0) }, clock) }

    func take(_ count: Int) {
        guard let rate, count > 0 else { return }
        let now = clock.now()
        let wait = free.withLock { free in
            // Time in which nothing was moved is not made up for.
            free = max(free, now) + Double(count) / Double(rate)
            return free - now
        }
        clock.wait(wait)
    }
}

private final class LimitedWriter: ObjectWriter {
    private let inner: any ObjectWriter
    private let allowance: Allowance

    init(_ inner: any ObjectWriter, _ allowance: Allowance) { (self.inner, self.allowance) = (inner, allowance) }

    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        allowance.take(bytes.count)
        try inner.write(bytes)
    }

    func finish() throws(StorageError) { try inner.finish() }
    func cancel() { inner.cancel() }
}
