import CueBase
package import CueSystem

/// Repeats calls that fail with an error that heals by itself (`StorageError.heals`).
///
/// It waits 1, 2, 4, … seconds between tries, or as long as the store asks for, up to 60 seconds. If the store asks for
/// more, or if a stop is requested, the error is thrown at once. The error that is thrown is that of the last try.
///
/// An object of up to 1 MiB is held back until `finish` and sent again as a whole. For a larger one each call of the
/// writer is repeated by itself, so the store below must be able to go on in the middle of an object (S3 can: it keeps
/// parts).
package final class RetryingStore: ObjectStore {
    private let inner: any ObjectStore
    private let tries: Int
    private let clock: Clock

    /// `tries` is the number of times that one call is made at most, the first included.
    package init(_ inner: any ObjectStore, tries: Int = 5, clock: Clock = .system) {
        (self.inner, self.tries, self.clock) = (inner, tries, clock)
    }

    /// As in the store below.
    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    /// As in the store below.
    package var writer: String { inner.writer }

    /// The tries for one new call.
    fileprivate func attempts() -> Attempts { Attempts(left: tries, clock: clock) }

    /// Runs `body` until it succeeds, fails with an error that does not heal by itself, or has used up its tries.
    fileprivate func retry<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value {
        var attempts = attempts()
        while true {
            do { return try body() } catch { try attempts.wait(after: error) }
        }
    }

    /// Repeats the start of the object; the writer repeats its own calls.
    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        RetryingWriter(name, try retry { () throws(StorageError) in try inner.makeWriter(for: name) }, inner, self)
    }

    /// Repeats the read; each try fills the whole buffer.
    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        var attempts = attempts()
        while true {
            do { return try inner.read(name, at: offset, into: &buffer) } catch { try attempts.wait(after: error) }
        }
    }

    /// Repeats the read of the whole object.
    package func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        try retry { () throws(StorageError) in try inner.get(name, upTo: limit) }
    }

    /// Repeats the question.
    package func size(of name: ObjectName) throws(StorageError) -> Int? {
        try retry { () throws(StorageError) in try inner.size(of: name) }
    }

    /// Repeats the request for this page.
    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try retry { () throws(StorageError) in try inner.list(folder, after: after) }
    }

    /// Repeats the deletion. If an answer was lost, the next try finds no object, and that is no error.
    package func delete(_ name: ObjectName) throws(StorageError) {
        try retry { () throws(StorageError) in try inner.delete(name) }
    }

    /// Asks the store below once: clean-up may fail.
    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }
    /// Asks the store below.
    package func forget(_ name: ObjectName) { inner.forget(name) }
}

/// The tries that are left for one call.
private struct Attempts {
    /// The longest wait before one try, in seconds.
    private static let longestWait = 60.0

    private var left: Int
    private let clock: Clock
    private var failures = 0

    init(left: Int, clock: Clock) { (self.left, self.clock) = (left, clock) }

    /// Waits before the next try. Throws `error` if there is none.
    mutating func wait(after error: StorageError) throws(StorageError) {
        failures += 1
        left -= 1
        guard left > 0, !Interruption.isRequested, let seconds = pause(after: error) else { throw error }
        clock.wait(seconds)
    }

    /// The seconds to wait: 1, 2, 4, … or as many as the store asks for; nil if the error does not heal in that time.
    private func pause(after error: StorageError) -> Double? {
        switch error.heals {
        case .never, .afterSignIn: nil
        case .soon: min(Self.longestWait, Double(1 << min(10, failures - 1)))
        case .after(let seconds): Double(seconds) <= Self.longestWait ? Double(max(0, seconds)) : nil
        }
    }
}

private final class RetryingWriter: ObjectWriter {
    /// The bytes of an object that are held in memory, to be sent again.
    private static let kept = 1 << 20

    private let name: ObjectName
    private let store: any ObjectStore
    private let retrying: RetryingStore
    private var inner: any ObjectWriter
    /// The first bytes of the object, at most `kept`.
    private var head: [UInt8] = []
    /// The bytes that were written so far.
    private var size = 0
    private var isFinished = false

    init(_ name: ObjectName, _ inner: any ObjectWriter, _ store: any ObjectStore, _ retrying: RetryingStore) {
        (self.name, self.inner, self.store, self.retrying) = (name, inner, store, retrying)
    }

    /// True if `head` is all that was written so far; nothing of it has been sent then.
    private var isKept: Bool { head.count == size }

    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        let isWhole = isKept && size + bytes.count <= Self.kept
        if isWhole {
            // `finish` sends it, once all of it is known.
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
                // An earlier try may have succeeded and its answer been lost. Then the object is there, and it is this
                // one.
                guard case .alreadyThere = error, !isFirst, try isOurs() else { throw error }
            }
        }
        isFinished = true
    }

    /// Sends the whole object. `isAgain` replaces the writer of the failed try with a new one.
    private func finishWhole(isAgain: Bool) throws(StorageError) {
        if isAgain {
            inner.cancel()
            inner = try store.makeWriter(for: name)
        }
        let head = head
        try inner.write(head.span)
        try inner.finish()
    }

    /// True if the object of this name has the size and the first bytes of this one. No two sealed objects agree in
    /// them: each has random bytes near its beginning.
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
