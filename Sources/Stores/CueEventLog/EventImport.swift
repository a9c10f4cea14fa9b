package import CueBase
package import CueEvents
package import CueLibrary

/// Reads events from a file: a JSON array, or one JSON object a line, in any form of an event.
///
/// A value that is no event is set aside with its line and does not stop the import. Some thousand events are written
/// at a time, so that a slow input does not keep others from the store. An import that was stopped may be repeated: no
/// event comes twice.
package struct EventImport {
    /// The result of an import so far.
    package struct Summary: Sendable {
        /// Events that the log did not have.
        package var new = 0
        /// Events that the log had already.
        package var known = 0
        /// Values that were set aside. Each is kept once, however often it comes.
        package var setAside: [Aside] = []
        /// Events of the garden's types that are in the log but mean nothing to the garden, with the reason.
        package var skipped: [(place: EventPlace, skip: GardenSkip)] = []
    }

    /// A value that was set aside.
    package struct Aside: Sendable {
        /// Its line, or its number in the array.
        package let place: EventPlace
        /// Why it is no event, or does not count.
        package let reason: AsideReason
    }

    /// In bytes: a file that is one array is held in memory as a whole.
    private static let arrayLimit = 256 << 20
    /// In bytes.
    private static let lineLimit = 4 << 20
    /// How much is written in one transaction.
    private static let together = (items: 5_000, bytes: 4 << 20)
    /// In bytes. A file without any event leaves nothing in the store, so its lines are held back until the first
    /// event; after this many the file is rejected.
    private static let limitWithoutEvent = 32 << 20

    private enum Item {
        case event(Event, place: EventPlace)
        case none(body: [UInt8], place: EventPlace, reason: EventFormError)
    }

    /// Counts what is written already.
    package private(set) var summary = Summary()
    private let store: LocalStore
    private let now: Timestamp
    private let source: String
    private var buffer: [UInt8] = []
    private var items: [Item] = []
    private var size = 0
    private var hasEvent = false
    private var line = 0
    private var isFirst = true
    private var isArray: Bool?

    /// `source` names the file to people.
    package init(into store: LocalStore, source: String, now: Timestamp) {
        (self.store, self.source, self.now) = (store, source, now)
    }

    /// Takes the next piece of the file. Throws `EventImportError` if a line or an array is too long, or nothing in the
    /// first 32 MiB is an event.
    package mutating func take(_ piece: some Collection<UInt8>) throws {
        buffer += piece
        if isFirst, buffer.count >= 3 {
            isFirst = false
            // Programs on Windows write a mark before UTF-8.
            if buffer.starts(with: [0xef, 0xbb, 0xbf]) { buffer.removeFirst(3) }
        }
        if isArray == nil, let first = buffer.first(where: { !Self.isSpace($0) }) {
            isArray = first == UInt8(ascii: "[")
        }
        if isArray == true {
            guard buffer.count <= Self.arrayLimit else {
                throw EventImportError.arrayTooLong
            }
            return
        }
        var start = buffer.startIndex
        while let end = buffer[start...].firstIndex(of: 0x0a) {
            try takeLine(buffer[start..<end])
            start = end + 1
        }
        buffer.removeFirst(start)
        guard buffer.count <= Self.lineLimit else {
            guard hasEvent else { throw EventImportError.lineTooLong(line + 1, isImported: false) }
            try write()
            throw EventImportError.lineTooLong(line + 1, isImported: true)
        }
    }

    /// Takes the rest. Throws `EventImportError` if an array is not JSON, or the file has no event.
    package mutating func finish() throws {
        if isArray == true { try takeArray() } else if !buffer.isEmpty { try takeLine(buffer[...]) }
        guard hasEvent || items.isEmpty else { throw noEvents() }
        try write()
    }

    private mutating func takeArray() throws {
        let values: [JSON]
        do { values = try JSON(parsing: buffer).array ?? [] } catch {
            throw EventImportError.notJSON(error.flaw, at: error.offset)
        }
        buffer = []
        for (index, value) in values.enumerated() { try add(value, at: .number(index + 1), value.canonical) }
    }

    private mutating func takeLine(_ bytes: ArraySlice<UInt8>) throws {
        line += 1
        guard bytes.contains(where: { !Self.isSpace($0) }) else { return }
        let place = EventPlace.line(line)
        let value: JSON
        do { value = try JSON(parsing: bytes) } catch {
            return try keep(.none(body: Array(bytes), place: place, reason: .notJSON(error.flaw)), bytes.count)
        }
        try add(value, at: place, Array(bytes))
    }

    private mutating func add(_ value: JSON, at place: EventPlace, _ source: [UInt8]) throws {
        let item: Item
        do {
            item = .event(try Event(form: value, now: now), place: place)
        } catch {
            item = .none(body: source, place: place, reason: error)
        }
        try keep(item, source.count)
    }

    /// The error for a file without any event, with the reason of its first item.
    private func noEvents() -> EventImportError {
        guard case .none(_, let place, let reason)? = items.first else { return .empty }
        return .noEvent(place, reason)
    }

    /// Adds an item, and writes those that are collected if they are many enough.
    private mutating func keep(_ item: Item, _ count: Int) throws {
        items.append(item)
        // Lines may be a byte or two long, and each costs memory of its own.
        size += count + 100
        if case .event = item { hasEvent = true }
        guard hasEvent else {
            guard size < Self.limitWithoutEvent else { throw noEvents() }
            return
        }
        if items.count >= Self.together.items || size >= Self.together.bytes { try write() }
    }

    private mutating func write() throws {
        let (items, source) = (items, source)
        (self.items, size) = ([], 0)
        var summary = summary
        try store.write { transaction in
            for item in items {
                switch item {
                case .event(let event, let place):
                    switch try transaction.add(event) {
                    case .new:
                        summary.new += 1
                        if let skip = event.gardenSkip { summary.skipped.append((place, skip)) }
                    case .known: summary.known += 1
                    case .collides:
                        summary.setAside.append(Aside(place: place, reason: .idIsTaken))
                    }
                case .none(let body, let place, let reason):
                    try transaction.setAside(body, from: .file(source, place), .form(reason))
                    summary.setAside.append(Aside(place: place, reason: .form(reason)))
                }
            }
        }
        self.summary = summary
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
