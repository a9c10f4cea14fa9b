import CueBase

/// A log on a plain object store: one object for each record (docs/format.md §2).
///
/// If reads are downloads, only the names after the cursor are listed. Otherwise everything is listed each time: that
/// costs no more, and it also shows records that are gone or came late.
package struct ObjectRecordLog: RecordLog {
    /// The two kinds of log. The raw value is the folder of the log.
    package enum Kind: String, Sendable {
        /// Commits, with the versions of documents.
        case versions = "log"
        /// Batches of events.
        case events
    }

    private let store: any ObjectStore
    private let kind: Kind

    /// The log of this kind in a store. Reads nothing.
    package init(on store: any ObjectStore, of kind: Kind = .versions) { (self.store, self.kind) = (store, kind) }

    /// The name of a record's object. Records are sealed under this name in every kind of log.
    package static func name(of position: LogPosition, _ kind: Kind = .versions) -> ObjectName {
        ObjectName("\(prefix(position.device, position.generation, kind))\(position.commit)")
    }

    /// The name up to the id: folder, device, and generation in at least ten digits.
    private static func prefix(_ device: DeviceID, _ generation: UInt64, _ kind: Kind) -> String {
        let digits = String(generation)
        let padded = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        return "\(kind.rawValue)/\(device)/\(padded)-"
    }

    /// Reads the name of a record's object; nil for other names.
    package static func position(of name: ObjectName, _ kind: Kind = .versions) -> LogPosition? {
        // By the lengths of the parts: a listing has thousands of names, and splitting texts costs most of its time.
        let (text, start) = (name.text.utf8, kind.rawValue.utf8.count + 1)
        guard text.count == start + 60, name.text.hasPrefix(kind.rawValue) else { return nil }
        func part(_ from: Int, _ count: Int) -> Substring {
            let first = text.index(text.startIndex, offsetBy: start + from)
            return Substring(text[first..<text.index(first, offsetBy: count)])
        }
        let digits = part(33, 10)
        guard part(-1, 1) == "/", part(32, 1) == "/", part(43, 1) == "-", let device = DeviceID(part(0, 32)),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let generation = UInt64(digits), generation > 0,
            let commit = CommitID(part(44, 16))
        else { return nil }
        return LogPosition(device: device, generation: generation, commit: commit)
    }

    /// Writes the record as an object of its own, durably. Throws `.alreadyThere` if the position is taken.
    package func append(_ sealed: [UInt8], at position: LogPosition) throws(StorageError) {
        try store.put(Self.name(of: position, kind), sealed)
    }

    /// Returns the name of the record's object, without a request. A missing object shows when it is read.
    package func source(of entry: LogEntry) throws(StorageError) -> RecordSource {
        .object(store, Self.name(of: entry.position, kind), size: entry.size)
    }

    /// Returns the records after a cursor. Returns all records for `LogCursor.start`, for a cursor that cannot be read,
    /// and for a store whose reads are no downloads; the cursor that comes with them is `.start` for such a store.
    ///
    /// Throws `.endlessList` if the listing does not advance.
    package func news(after cursor: LogCursor) throws(StorageError) -> LogNews {
        guard store.readsAreDownloads, let known = DeviceTips(cursor), !known.isEmpty else {
            let listed = try store.list(kind.rawValue)
            let entries = listed.compactMap(entry).sorted { $0.position < $1.position }
            let runs = kind == .versions ? listed.compactMap { RunEntry($0) }.sorted() : []
            let cursor = store.readsAreDownloads ? DeviceTips(covering: entries, runs).cursor : .start
            return LogNews(entries, runs: runs, cursor: cursor, isWhole: true)
        }
        return try news(after: known)
    }

    private func entry(_ object: ObjectEntry) -> LogEntry? {
        Self.position(of: object.name, kind).map { LogEntry(position: $0, size: object.size) }
    }

    /// Lists each device from its last known record on, and skips the names before it. A run that begins before that
    /// record is not found: the records that only it holds then show by a known one that is gone (docs/format.md §14).
    private func news(after known: DeviceTips) throws(StorageError) -> LogNews {
        var found: [LogEntry] = []
        var runs: [RunEntry] = []
        var next: String?
        // Behind a tip comes what is new of its device, most often nothing, and then the next device.
        var isAtTip = false
        var empty = 0
        var stepped: Set<DeviceID> = []
        repeat {
            let page = try store.checkedPage(kind.rawValue, after: next, few: isAtTip)
            isAtTip = false
            empty = page.entries.isEmpty ? empty + 1 : 0
            guard empty < 1000 else { throw .endlessList(kind.rawValue) }
            var further = page.next
            for object in page.entries {
                if kind == .versions, let run = RunEntry(object) { runs.append(run) }
                guard let entry = entry(object) else { continue }
                let device = entry.position.device
                if let tip = known.contiguous(device), entry.position.generation < tip, stepped.insert(device).inserted
                {
                    further = Self.prefix(device, tip, kind)
                    isAtTip = true
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
        return LogNews(
            new, runs: runs.sorted(), cursor: known.covering(new, runs).cursor, isWhole: false, lost: lost)
    }
}

/// The content of a cursor. For each device: the generation up to which all records are known, the records of that
/// generation, and the few known ones beyond it.
private struct DeviceTips {
    private var devices: [DeviceID: (contiguous: UInt64, ends: Set<LogPosition>)] = [:]

    /// The tips after these records and runs, if they are all that there is.
    init(covering entries: [LogEntry], _ runs: [RunEntry]) { self = DeviceTips().covering(entries, runs) }

    private init() {}

    /// Reads a cursor; nil if its bytes are not of this form. The empty cursor has no devices.
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

    /// The bytes that `init(_:)` reads.
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
    /// The generation up to which all records of the device are known; nil if generation 1 is missing.
    func contiguous(_ device: DeviceID) -> UInt64? {
        devices[device].flatMap { $0.contiguous > 0 ? $0.contiguous : nil }
    }

    /// The tips with these records and runs added.
    func covering(_ entries: [LogEntry], _ runs: [RunEntry]) -> DeviceTips {
        var tips = self
        let runs = Dictionary(grouping: runs, by: \.device)
        for (device, entries) in Dictionary(grouping: entries, by: \.position.device) {
            let known = devices[device] ?? (0, [])
            tips.devices[device] = Self.tip(
                from: known.contiguous, known.ends.union(entries.map(\.position)), runs[device] ?? [])
        }
        return tips
    }

    /// `runs` are in order. A run counts up to the last record of its own at most: a name that claims any number would
    /// hide what comes later.
    private static func tip(
        from contiguous: UInt64, _ known: Set<LogPosition>, _ runs: [RunEntry]
    ) -> (UInt64, Set<LogPosition>) {
        let generations = Set(known.map(\.generation))
        let last = generations.max() ?? 0
        var contiguous = contiguous
        var open = runs.sorted()[...]
        while contiguous < last {
            if generations.contains(contiguous + 1) {
                contiguous += 1
            } else if let run = open.first, run.first <= contiguous + 1 {
                contiguous = max(contiguous, min(run.last, last))
                open = open.dropFirst()
            } else {
                break
            }
        }
        return (contiguous, known.filter { $0.generation >= contiguous })
    }
}
