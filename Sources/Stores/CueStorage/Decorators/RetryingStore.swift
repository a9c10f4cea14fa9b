import CueBase
import CueSystem

/// Tries again what failed by an error that heals by itself (`StorageError.heals`).
///
/// An object of up to a mebibyte is sent again as a whole. Of a larger one each call is tried again by itself, so a store that cannot
/// go on in the middle of an object must keep its parts (S3 does).
package final class RetryingStore: ObjectStore {
    private let inner: any ObjectStore
    private let tries: Int
    private let clock: StoreClock

    /// `tries`: how often one call is made at most.
    package init(_ inner: any ObjectStore, tries: Int = 5, clock: StoreClock = .system) {
        (self.inner, self.tries, self.clock) = (inner, tries, clock)
    }

    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    package var writer: String { inner.writer }

    fileprivate func attempts() -> Attempts { Attempts(left: tries, clock: clock) }

    /// Runs `body` until it succeeds, fails for good, or has failed too often; the error is that of the last try.
    fileprivate func retry<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        var attempts = attempts()
        while true {
            do { return try body() } catch { try attempts.wait(after: error) }
        }
    }

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        RetryingWriter(name, try retry { () throws(StorageError) in try inner.makeWriter(for: name) }, inner, self)
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        var attempts = attempts()
        while true {
            do { return try inner.read(name, at: offset, into: &buffer) } catch { try attempts.wait(after: error) }
        }
    }

    package func size(of name: ObjectName) throws(StorageError) -> Int? {
        try retry { () throws(StorageError) in try inner.size(of: name) }
    }

    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try retry { () throws(StorageError) in try inner.list(folder, after: after) }
    }

    package func delete(_ name: ObjectName) throws(StorageError) {
        try retry { () throws(StorageError) in try inner.delete(name) }
    }

    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }
    package func forget(_ name: ObjectName) { inner.forget(name) }
}

/// The tries of one call.
private struct Attempts {
    /// The longest time to wait before one try, in seconds.
    private static let longestWait = 60.0

    private var left: Int
    private let clock: StoreClock
    private var failures = 0

    init(left: Int, clock: StoreClock) { (self.left, self.clock) = (left, clock) }

    /// Waits until the next try; throws the error where there is none.
    mutating func wait(after error: StorageError) throws(StorageError) {
        failures += 1
        left -= 1
        guard left > 0, !Interruption.isRequested, let seconds = pause(after: error) else { throw error }
        clock.wait(seconds)
    }

    /// 1, 2, 4 …, or what the store asked for.
    private func pause(after error: StorageError) -> Double? {
        switch error.heals {
        case .never, .afterSignIn: nil
        case .soon: min(Self.longestWait, Double(1 << min(10, failures - 1)))
        case .after(let seconds): Double(seconds) <= Self.longestWait ? Double(max(0, seconds)) : nil
        }
    }
}

private final class RetryingWriter: ObjectWriter {
    /// What of an object is kept, to be sent again.
    private static let kept = 1 << 20

    private let name: ObjectName
    private let store: any ObjectStore
    private let retrying: RetryingStore
    private var inner: any ObjectWriter
    /// The first bytes of the object.
    private var head: [UInt8] = []
    private var size = 0
    private var isFinished = false

    init(_ name: ObjectName, _ inner: any ObjectWriter, _ store: any ObjectStore, _ retrying: RetryingStore) {
        (self.name, self.inner, self.store, self.retrying) = (name, inner, store, retrying)
    }

    /// Whether `head` is all that was written so far.
    private var isKept: Bool { head.count == size }

    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        let isWhole = isKept && size + bytes.count <= Self.kept
        if isWhole {
            // It goes to the store when all of it is known.
            head.append(bytes)
        } else {
            let kept = head
            if isKept && size > 0 { try send(kept.span) }
            if isKept && size == 0 {
                head.append(bytes.extracting(first: min(bytes.count, Self.kept)))
            }
            try send(bytes)
        }
        size += bytes.count
    }

    private func send(_ bytes: Span<UInt8>) throws(StorageError) {
        var attempts = retrying.attempts()
        while true {
            do { return try inner.write(bytes) } catch { try attempts.wait(after: error) }
        }
    }

    func finish() throws(StorageError) {
        guard !isFinished else { return }
        var isFirst = true
        try retrying.retry { () throws(StorageError) in
            defer { isFirst = false }
            do throws(StorageError) {
                if isKept { try finishWhole(isAgain: !isFirst) } else { try inner.finish() }
            } catch {
                // Of a try whose answer was lost, the object itself is the answer.
                guard case .alreadyThere = error, !isFirst, try isOurs() else { throw error }
            }
        }
        isFinished = true
    }

    private func finishWhole(isAgain: Bool) throws(StorageError) {
        if isAgain {
            inner.cancel()
            inner = try store.makeWriter(for: name)
        }
        let head = head
        try inner.write(head.span)
        try inner.finish()
    }

    /// Whether the object that has the name is this one. Every sealed object begins with random bytes.
    private func isOurs() throws(StorageError) -> Bool {
        guard try store.size(of: name) == size else { return false }
        var found = [UInt8](repeating: 0, count: head.count)
        var span = found.mutableSpan
        try store.read(name, at: 0, into: &span)
        return found == head
    }

    func cancel() {
        guard !isFinished else { return }
        inner.cancel()
    }
}
