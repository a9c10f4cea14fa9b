import CueStorage

/// A log of one record, whose bytes are here already: what was proven is what is then copied, whatever the place that it
/// came from says when it is asked again.
struct HeldRecord: RecordLog {
    let bytes: [UInt8]

    func append(_ sealed: [UInt8], at position: LogPosition) throws(StorageError) { throw .alreadyThere("") }

    func news(after cursor: LogCursor) throws(StorageError) -> LogNews { LogNews([], cursor: .start, isWhole: true) }

    func source(of entry: LogEntry) throws(StorageError) -> RecordSource { .row(bytes) }
}
