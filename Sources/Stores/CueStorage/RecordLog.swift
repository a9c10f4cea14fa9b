package import CueBase

/// The place of one commit in its device's log.
package struct LogPosition: Hashable, Comparable, Sendable {
    package let device: DeviceID
    package let generation: UInt64
    package let commit: CommitID

    package init(device: DeviceID, generation: UInt64, commit: CommitID) {
        (self.device, self.generation, self.commit) = (device, generation, commit)
    }

    package static func < (x: LogPosition, y: LogPosition) -> Bool {
        (x.device, x.generation, x.commit) < (y.device, y.generation, y.commit)
    }
}

/// One sealed commit of a log.
package struct LogEntry: Sendable {
    package let position: LogPosition
    package let size: Int
}

/// Append-only sealed records with an opaque cursor.
package protocol RecordLog: Sendable {
    /// Adds a device's commit, durably; `alreadyThere` if that name is taken.
    func append(_ sealed: [UInt8], at position: LogPosition) throws(StorageError)

    /// The commits that `seen` does not hold, ordered by device and generation.
    func entries(notIn seen: Set<LogPosition>) throws(StorageError) -> [LogEntry]

    /// The sealed bytes of one commit.
    func read(_ entry: LogEntry) throws(StorageError) -> [UInt8]
}

/// The log on a plain object store: one object a commit (docs/format.md §2).
package struct ObjectRecordLog: RecordLog {
    /// What the records are: each kind has a folder of its own.
    package enum Kind: String, Sendable {
        /// Versions of documents.
        case versions = "log"
        case events
    }

    private let store: any ObjectStore
    private let kind: Kind

    package init(on store: any ObjectStore, of kind: Kind = .versions) { (self.store, self.kind) = (store, kind) }

    package static func name(of position: LogPosition, _ kind: Kind = .versions) -> ObjectName {
        let digits = String(position.generation)
        let padded = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        return ObjectName("\(kind.rawValue)/\(position.device)/\(padded)-\(position.commit)")
    }

    /// Reads a name; nil for other files.
    package static func position(of name: ObjectName, _ kind: Kind = .versions) -> LogPosition? {
        let parts = name.components
        guard parts.count == 3, parts[0] == kind.rawValue, let device = DeviceID(parts[1]) else { return nil }
        let halves = parts[2].split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].utf8.count == 10, halves[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let generation = UInt64(halves[0]), generation > 0, let commit = CommitID(halves[1])
        else { return nil }
        return LogPosition(device: device, generation: generation, commit: commit)
    }

    package func append(_ sealed: [UInt8], at position: LogPosition) throws(StorageError) {
        try store.put(Self.name(of: position, kind), sealed)
    }

    package func entries(notIn seen: Set<LogPosition>) throws(StorageError) -> [LogEntry] {
        try all().filter { !seen.contains($0.position) }
    }

    /// Every commit that is there.
    package func all() throws(StorageError) -> [LogEntry] {
        let entries = try store.list(kind.rawValue).compactMap { entry in
            Self.position(of: entry.name, kind).map { LogEntry(position: $0, size: entry.size) }
        }
        return entries.sorted { $0.position < $1.position }
    }

    package func read(_ entry: LogEntry) throws(StorageError) -> [UInt8] {
        try store.get(Self.name(of: entry.position, kind), upTo: Limits.recordObject)
    }
}
