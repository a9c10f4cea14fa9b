package import CueSystem
import Synchronization

/// Limits the bytes a second that move to and from another store. All threads share one limit for each direction.
///
/// Only the content of objects counts. Sizes, listings and deletions pass without a wait.
package final class LimitedStore: ObjectStore {
    private let inner: any ObjectStore
    private let uploads: Allowance
    private let downloads: Allowance

    /// `upload` and `download` are in bytes a second; nil for no limit. Numbers below 1 count as 1.
    package init(_ inner: any ObjectStore, upload: Int?, download: Int?, clock: Clock = .system) {
        self.inner = inner
        (uploads, downloads) = (Allowance(upload, clock), Allowance(download, clock))
    }

    /// As in the store below.
    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    /// As in the store below.
    package var writer: String { inner.writer }
    /// As in the store below.
    package var secondsAhead: Int? { inner.secondsAhead }
    /// As in the store below.
    package var locking: (any ObjectLocking)? { inner.locking }

    /// Returns a writer that waits before it passes bytes on.
    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        LimitedWriter(try inner.makeWriter(for: name), uploads)
    }

    /// Waits for as long as the whole buffer takes at the limit, then reads.
    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        downloads.take(buffer.count)
        try inner.read(name, at: offset, into: &buffer)
    }

    /// Reads, then waits for as long as that takes at the limit: the size is not known before.
    package func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        let bytes = try inner.get(name, upTo: limit)
        downloads.take(bytes.count)
        return bytes
    }

    /// Asks the store below without a wait.
    package func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }

    /// Asks the store below without a wait.
    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try inner.list(folder, after: after)
    }

    /// Asks the store below without a wait.
    package func listFew(_ folder: String, after: String) throws(StorageError) -> ObjectPage {
        try inner.listFew(folder, after: after)
    }

    /// Removes the object without a wait.
    package func delete(_ name: ObjectName) throws(StorageError) { try inner.delete(name) }
    /// Asks the store below.
    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }
    /// Asks the store below.
    package func forget(_ name: ObjectName) { inner.forget(name) }
}

/// One limit that several threads share. Each caller waits until the bytes of all earlier callers and its own have had
/// their time.
private final class Allowance: Sendable {
    /// Bytes a second; nil for no limit.
    private let rate: Int?
    private let clock: Clock
    /// The time, in seconds of the clock, at which all bytes so far have had their time.
    private let free = Mutex(-Double.infinity)

    init(_ rate: Int?, _ clock: Clock) { (self.rate, self.clock) = (rate.map { max(1, $0) }, clock) }

    /// Waits until `count` bytes may have moved.
    func take(_ count: Int) {
        guard let rate, count > 0 else { return }
        let now = clock.seconds
        let wait = free.withLock { free in
            // Idle time does not add up: a long pause is no reason for a burst.
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
