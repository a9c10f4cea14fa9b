import CueBase

/// How far a log was read. Only the log that gave it can tell what it means.
package struct LogCursor: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Nothing was read.
    package static let start = LogCursor([])

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// What a log holds beyond a cursor.
package struct LogNews: Sendable {
    /// Ordered by device and generation. Records that the cursor covers may be among them.
    package let entries: [LogEntry]
    /// Covers all of `entries` too.
    package let cursor: LogCursor
    /// Whether `entries` is all that the log holds.
    package let isWhole: Bool
    /// Records that the cursor covers and that are gone. Where `isWhole` is false, only the newest of each device are looked at.
    package let lost: Set<LogPosition>

    package init(_ entries: [LogEntry], cursor: LogCursor, isWhole: Bool, lost: Set<LogPosition> = []) {
        (self.entries, self.cursor, self.isWhole, self.lost) = (entries, cursor, isWhole, lost)
    }
}

/// Where the sealed bytes of one record stand.
package enum RecordSource: Sendable {
    /// A whole object.
    case object(any ObjectStore, ObjectName, size: Int)
    /// What a table held.
    case row([UInt8])

    /// In bytes.
    package var size: Int {
        switch self {
        case .object(_, _, let size): size
        case .row(let bytes): bytes.count
        }
    }

    /// Fills `buffer` from `offset` on; `shortRead` where the record ends before that.
    package func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        switch self {
        case .object(let store, let name, _): try store.read(name, at: offset, into: &buffer)
        case .row(let bytes):
            guard offset + buffer.count <= bytes.count else { throw .shortRead("a row") }
            buffer.fill(from: bytes, at: offset)
        }
    }
}

/// Sealed records of many devices, each of which only adds to its own. Every implementation passes `RecordLogSuite`.
package protocol RecordLog: Sendable {
    /// Adds a device's record, durably; `alreadyThere` where the position is taken.
    func append(_ sealed: [UInt8], at position: LogPosition) throws(StorageError)

    /// What came after a cursor.
    func news(after cursor: LogCursor) throws(StorageError) -> LogNews

    /// Where a record stands; `notFound` where it is gone.
    func source(of entry: LogEntry) throws(StorageError) -> RecordSource
}

extension RecordLog {
    /// Every record that is there, ordered by device and generation.
    package func all() throws(StorageError) -> [LogEntry] { try news(after: .start).entries }
}
