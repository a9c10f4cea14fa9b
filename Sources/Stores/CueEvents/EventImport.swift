package import CueBase
package import CueLibrary

/// Reads events from a file: a JSON array, or one JSON object a line, in any of an event's forms.
///
/// What is no event is set aside, with its line, and does not keep the others out. Some thousands are written at a time, so that a
/// slow input keeps nobody from the store; whoever stops halfway may do it again, as nothing comes twice.
package struct EventImport {
    package struct Summary: Sendable {
        package var new = 0
        /// Events that the log had already.
        package var known = 0
        /// What was set aside, and why; once only, however often it comes.
        package var setAside: [Aside] = []
        /// Events that are in the log and mean nothing to the garden, though they are of its types.
        package var skipped: [(place: String, reason: String)] = []
    }

    package struct Aside: Sendable {
        package let place: String
        package let reason: String
        /// Whether its id is another event's. One of the two counts, and the other was set aside.
        package let isEvent: Bool
    }

    /// A file that is one array is read as a whole.
    private static let arrayLimit = 256 << 20
    private static let lineLimit = 4 << 20
    private static let together = (items: 5_000, bytes: 4 << 20)
    /// Of a file without any event nothing is kept; what is larger is known to be none by its front.
    private static let limitWithoutEvent = 32 << 20

    private enum Item {
        case event(Event, place: String)
        case none(body: [UInt8], place: String, reason: String)
    }

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

    /// Takes the next piece of the file.
    package mutating func take(_ piece: some Collection<UInt8>) throws {
        buffer += piece
        if isFirst, buffer.count >= 3 {
            isFirst = false
            // Windows puts a mark before UTF-8.
            if buffer.starts(with: [0xef, 0xbb, 0xbf]) { buffer.removeFirst(3) }
        }
        if isArray == nil, let first = buffer.first(where: { !Self.isSpace($0) }) {
            isArray = first == UInt8(ascii: "[")
        }
        if isArray == true {
            guard buffer.count <= Self.arrayLimit else {
                throw EventFormError(reason: "it is an array of more than 256 MiB; one event a line may be longer")
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
            guard hasEvent else { throw EventFormError(reason: "line \(line + 1) is over 4 MiB; nothing was imported") }
            try write()
            throw EventFormError(reason: "line \(line + 1) is over 4 MiB; what stands before it is imported")
        }
    }

    /// Takes what is left. Throws where the file as a whole is no JSON.
    package mutating func finish() throws {
        if isArray == true { try takeArray() } else if !buffer.isEmpty { try takeLine(buffer[...]) }
        guard hasEvent || items.isEmpty else { throw noEvents() }
        try write()
    }

    private mutating func takeArray() throws {
        let values: [JSON]
        do { values = try JSON(parsing: buffer).array ?? [] } catch {
            throw EventFormError(
                reason: "it is not JSON: \(error.reason) at byte \(error.offset); nothing was imported")
        }
        buffer = []
        for (index, value) in values.enumerated() { try add(value, at: "number \(index + 1)", value.canonical) }
    }

    private mutating func takeLine(_ bytes: ArraySlice<UInt8>) throws {
        line += 1
        guard bytes.contains(where: { !Self.isSpace($0) }) else { return }
        let place = "line \(line)"
        let value: JSON
        do { value = try JSON(parsing: bytes) } catch {
            let reason = EventFormError(notJSON: error).reason
            return try keep(.none(body: Array(bytes), place: place, reason: reason), bytes.count)
        }
        try add(value, at: place, Array(bytes))
    }

    private mutating func add(_ value: JSON, at place: String, _ source: [UInt8]) throws {
        let item: Item
        do {
            item = .event(try Event(form: value, now: now), place: place)
        } catch {
            item = .none(body: source, place: place, reason: error.reason)
        }
        try keep(item, source.count)
    }

    private func noEvents() -> EventFormError {
        guard case .none(_, let place, let reason)? = items.first else { return EventFormError(reason: "it is empty") }
        return EventFormError(reason: "nothing in it is an event (\(place): \(reason)); nothing was imported")
    }

    private mutating func keep(_ item: Item, _ count: Int) throws {
        items.append(item)
        // Lines may be of a byte or two, and each takes its place.
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
                        if let skip = event.gardenSkip { summary.skipped.append((place, skip.reason)) }
                    case .known: summary.known += 1
                    case .collides:
                        summary.setAside.append(
                            Aside(place: place, reason: LocalStore.Transaction.idIsTaken, isEvent: true))
                    }
                case .none(let body, let place, let reason):
                    try transaction.setAside(body, from: "\(source), \(place)", reason)
                    summary.setAside.append(Aside(place: place, reason: reason, isEvent: false))
                }
            }
        }
        self.summary = summary
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
