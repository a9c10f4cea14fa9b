import CueStorage

/// A log of one record, whose bytes are in memory: the bytes that were proven are the bytes that are copied, even if
/// the place would return others now.
struct HeldRecord: RecordLog {
    let bytes: [UInt8]

    func append(_ sealed: [UInt8], at position: LogPosition) throws(StorageError) { throw .alreadyThere("") }

    func news(after cursor: LogCursor) throws(StorageError) -> LogNews { LogNews([], cursor: .start, isWhole: true) }

    func source(of entry: LogEntry) throws(StorageError) -> RecordSource { .row(bytes) }
}
