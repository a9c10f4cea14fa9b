import CueBase

/// The log on a plain object store: one object a record (docs/format.md §2).
///
/// Where reads are downloads, only what comes after the cursor is listed. Elsewhere everything is: that costs no more, and shows also
/// what went, and what came late.
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

    /// The name of a record, under which it is sealed in every kind of log.
    package static func name(of position: LogPosition, _ kind: Kind = .versions) -> ObjectName {
        ObjectName("\(prefix(position.device, position.generation, kind))\(position.commit)")
    }

    private static func prefix(_ device: DeviceID, _ generation: UInt64, _ kind: Kind) -> String {
        let digits = String(generation)
        let padded = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        return "\(kind.rawValue)/\(device)/\(padded)-"
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

    package func source(of entry: LogEntry) throws(StorageError) -> RecordSource {
        .object(store, Self.name(of: entry.position, kind), size: entry.size)
    }

    package func news(after cursor: LogCursor) throws(StorageError) -> LogNews {
        guard store.readsAreDownloads, let known = DeviceTips(cursor), !known.isEmpty else {
            let entries = try store.list(kind.rawValue).compactMap(entry).sorted { $0.position < $1.position }
            let cursor = store.readsAreDownloads ? DeviceTips(covering: entries).cursor : .start
            return LogNews(entries, cursor: cursor, isWhole: true)
        }
        return try news(after: known)
    }

    private func entry(_ object: ObjectEntry) -> LogEntry? {
        Self.position(of: object.name, kind).map { LogEntry(position: $0, size: object.size) }
    }

    /// Lists from the last known record of each device on, and steps over all that comes before it.
    private func news(after known: DeviceTips) throws(StorageError) -> LogNews {
        var found: [LogEntry] = []
        var next: String?
        var empty = 0
        var stepped: Set<DeviceID> = []
        repeat {
            let page = try store.checkedPage(kind.rawValue, after: next)
            empty = page.entries.isEmpty ? empty + 1 : 0
            guard empty < 1000 else { throw .endlessList(kind.rawValue) }
            var further = page.next
            for object in page.entries {
                guard let entry = entry(object) else { continue }
                let device = entry.position.device
                if let tip = known.contiguous(device), entry.position.generation < tip, stepped.insert(device).inserted
                {
                    further = Self.prefix(device, tip, kind)
                    break
                }
                found.append(entry)
            }
            guard further.map({ new in next.map { $0 < new } ?? true }) ?? true else {
                throw .endlessList(kind.rawValue)
            }
            next = further
        } while next != nil
        let there = Set(found.map(\.position))
        let lost = known.ends.subtracting(there)
        let new = found.filter { !known.ends.contains($0.position) }.sorted { $0.position < $1.position }
        return LogNews(new, cursor: known.covering(new).cursor, isWhole: false, lost: lost)
    }
}

/// Of each device the generation up to which all records are known, with that record, and the few that are known beyond it.
private struct DeviceTips {
    private var devices: [DeviceID: (contiguous: UInt64, ends: Set<LogPosition>)] = [:]

    init(covering entries: [LogEntry]) {
        for (device, entries) in Dictionary(grouping: entries, by: \.position.device) {
            devices[device] = Self.tip(from: 0, Set(entries.map(\.position)))
        }
    }

    /// nil for bytes that no such cursor has.
    init?(_ cursor: LogCursor) {
        guard !cursor.bytes.isEmpty else { return }
        var reader = ByteReader(cursor.bytes)
        do throws(FormatError) {
            while !reader.isAtEnd {
                let (device, contiguous): (DeviceID, UInt64) = (try reader.id16(), try reader.varint())
                var ends: Set<LogPosition> = []
                for _ in 0..<(try reader.count(ofItems: 9)) {
                    ends.insert(
                        LogPosition(device: device, generation: try reader.varint(), commit: try reader.commitID()))
                }
                devices[device] = (contiguous, ends)
            }
        } catch {
            return nil
        }
    }

    var cursor: LogCursor {
        var writer = ByteWriter()
        for (device, tip) in devices.sorted(by: { $0.key < $1.key }) {
            writer.id(device)
            writer.varint(tip.contiguous)
            writer.varint(tip.ends.count)
            for end in tip.ends.sorted() {
                writer.varint(end.generation)
                writer.id(end.commit)
            }
        }
        return LogCursor(writer.bytes)
    }

    var isEmpty: Bool { devices.isEmpty }
    var ends: Set<LogPosition> { devices.values.reduce(into: []) { $0.formUnion($1.ends) } }
    func contiguous(_ device: DeviceID) -> UInt64? {
        devices[device].flatMap { $0.contiguous > 0 ? $0.contiguous : nil }
    }

    func covering(_ entries: [LogEntry]) -> DeviceTips {
        var tips = self
        for (device, entries) in Dictionary(grouping: entries, by: \.position.device) {
            let known = devices[device] ?? (0, [])
            tips.devices[device] = Self.tip(from: known.contiguous, known.ends.union(entries.map(\.position)))
        }
        return tips
    }

    private static func tip(from contiguous: UInt64, _ known: Set<LogPosition>) -> (UInt64, Set<LogPosition>) {
        let generations = Set(known.map(\.generation))
        var contiguous = contiguous
        while contiguous < .max, generations.contains(contiguous + 1) { contiguous += 1 }
        return (contiguous, known.filter { $0.generation >= contiguous })
    }
}
