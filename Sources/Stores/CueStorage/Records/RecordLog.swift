import CueBase

/// A mark of how far a log was read. Only the log that made it can interpret it.
package struct LogCursor: Hashable, Sendable {
    /// The form that is stored. Its meaning belongs to the log.
    package let bytes: [UInt8]

    /// Nothing was read.
    package static let start = LogCursor([])

    /// Takes the bytes of an earlier cursor.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// The records of a log beyond a cursor.
package struct LogNews: Sendable {
    /// Ordered by device, generation and id. Records that the cursor covers may be among them.
    package let entries: [LogEntry]
    /// The runs that were listed with them. What is in them is no part of `entries`.
    package let runs: [RunEntry]
    /// The next cursor, which covers `entries` too.
    package let cursor: LogCursor
    /// True if `entries` are all records of the log.
    package let isWhole: Bool
    /// Records that the cursor covers and that are gone. If `isWhole` is false, only the newest records of each device
    /// were looked for. If it is true, this may be empty: the caller compares with what it knows.
    package let lost: Set<LogPosition>

    /// News of these parts; `entries` are in order already.
    package init(
        _ entries: [LogEntry], runs: [RunEntry] = [], cursor: LogCursor, isWhole: Bool, lost: Set<LogPosition> = []
    ) {
        (self.entries, self.runs, self.cursor, self.isWhole, self.lost) = (entries, runs, cursor, isWhole, lost)
    }
}

/// The place of the sealed bytes of a record.
package enum RecordSource: Sendable {
    /// An object of a store. `size` is in bytes, as listed.
    case object(any ObjectStore, ObjectName, size: Int)
    /// The bytes themselves, for a log that keeps records in the rows of a table.
    case row([UInt8])

    /// In bytes, sealed.
    package var size: Int {
        switch self {
        case .object(_, _, let size): size
        case .row(let bytes): bytes.count
        }
    }

    /// Whether each read waits for the answer of a service.
    package var isDownload: Bool {
        guard case .object(let store, _, _) = self else { return false }
        return store.readsAreDownloads
    }

    /// Fills `buffer` from `offset` on, in bytes. Throws `.shortRead` if the record ends before the buffer is full, and
    /// the errors of the store.
    package func read(at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        switch self {
        case .object(let store, let name, _): try store.read(name, at: offset, into: &buffer)
        case .row(let bytes):
            guard offset + buffer.count <= bytes.count else { throw .shortRead("a row") }
            buffer.fill(from: bytes, at: offset)
        }
    }
}

/// Sealed records of many devices. Each device appends to its own only. Each implementation passes `RecordLogSuite`.
package protocol RecordLog: Sendable {
    /// Appends a device's record durably. Throws `.alreadyThere` if the position is taken.
    func append(_ sealed: [UInt8], at position: LogPosition) throws(StorageError)

    /// Returns the records that came after a cursor; all records for `LogCursor.start`.
    func news(after cursor: LogCursor) throws(StorageError) -> LogNews

    /// Returns the place of a record. Throws `.notFound` if the log knows that the record is gone.
    func source(of entry: LogEntry) throws(StorageError) -> RecordSource
}

extension RecordLog {
    /// Returns all records of the log, ordered by device, generation and id.
    package func all() throws(StorageError) -> [LogEntry] { try news(after: .start).entries }
}
