import CueBase
package import CueStorage
import Foundation

/// A log as a server with a table would keep it: records are rows, which are read whole, and a cursor is what was given
/// so far.
///
/// The rows lie in a store, so that two vaults can be merged and damaged as those in folders are.
package struct RowLog: RecordLog {
    private let store: any ObjectStore
    private let kind: ObjectRecordLog.Kind

    package init(on store: any ObjectStore, of kind: ObjectRecordLog.Kind = .versions) {
        (self.store, self.kind) = (store, kind)
    }

    package func append(_ sealed: [UInt8], at position: LogPosition) throws(StorageError) {
        try store.put(ObjectRecordLog.name(of: position, kind), sealed)
    }

    package func source(of entry: LogEntry) throws(StorageError) -> RecordSource {
        .row(try store.get(ObjectRecordLog.name(of: entry.position, kind), upTo: Limits.recordObject))
    }

    package func news(after cursor: LogCursor) throws(StorageError) -> LogNews {
        let rows = try store.list(kind.rawValue).compactMap { object in
            ObjectRecordLog.position(of: object.name, kind).map { LogEntry(position: $0, size: object.size) }
        }.sorted { $0.position < $1.position }
        let given = Set(String(decoding: cursor.bytes, as: UTF8.self).split(separator: "\n").map(String.init))
        let names = rows.map { ObjectRecordLog.name(of: $0.position, kind).text }
        let new = zip(rows, names).filter { !given.contains($1) }.map(\.0)
        let lost = given.subtracting(names).compactMap { name in
            ObjectName(listed: name).flatMap { ObjectRecordLog.position(of: $0, kind) }
        }
        let all = given.union(names).sorted().joined(separator: "\n")
        return LogNews(new, cursor: LogCursor(Array(all.utf8)), isWhole: given.isEmpty, lost: Set(lost))
    }
}

/// A store without records: who reads past a log of rows finds nothing.
package struct StoreWithoutRecords: ObjectStore {
    private let inner: any ObjectStore

    package init(_ inner: any ObjectStore) { self.inner = inner }

    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    package var writer: String { inner.writer }

    private func isRecord(_ text: String) -> Bool { text.hasPrefix("log/") || text.hasPrefix("events/") }

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        guard !isRecord(name.text) else { throw .system(name.text, code: EINVAL) }
        return try inner.makeWriter(for: name)
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        guard !isRecord(name.text) else { throw .notFound(name.text) }
        try inner.read(name, at: offset, into: &buffer)
    }

    package func size(of name: ObjectName) throws(StorageError) -> Int? {
        isRecord(name.text) ? nil : try inner.size(of: name)
    }

    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        isRecord(folder + "/") ? ObjectPage([]) : try inner.list(folder, after: after)
    }

    package func delete(_ name: ObjectName) throws(StorageError) { try inner.delete(name) }
    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }
}
