import CueBase
import CueEngine
import CueEventLog
import CueEvents
import CueLibrary
import CueSystem
import Foundation

/// The log from which a garden grows: that of a library, or a file.
protocol GardenLog {
    /// Replays all events, of every type.
    mutating func garden() throws -> GardenReplay

    /// Entries that are no events: their number, from 1, and the reason.
    var refused: [(number: Int, reason: String)] { get }

    /// Adds the event that `make` decides on for the current garden, and applies it to `garden`. This is the only way
    /// to change a garden; no other process can add an event in between.
    mutating func append(
        to garden: inout GardenReplay, at time: Timestamp, _ make: (GardenReplay) throws -> GardenEvent.Action
    ) throws -> Event
}

/// The log of a library. The next backup, sync or watcher brings new events to the vault.
struct LibraryGardenLog: GardenLog {
    let library: OpenLibrary

    /// How far `garden` has read.
    private var mark: Int64 = 0
    /// Empty: a library's log has events only.
    var refused: [(number: Int, reason: String)] { [] }

    init(library: OpenLibrary) { self.library = library }

    mutating func garden() throws -> GardenReplay {
        let (garden, mark) = try library.store.read { transaction in
            var garden = GardenReplay()
            try transaction.forEachEvent { garden.append($0) }
            return (garden, try transaction.newestMark())
        }
        self.mark = mark
        return garden
    }

    mutating func append(
        to garden: inout GardenReplay, at time: Timestamp, _ make: (GardenReplay) throws -> GardenEvent.Action
    ) throws -> Event {
        try library.store.write { transaction in
            var new = try transaction.events(knownAfter: mark)
            while !new.events.isEmpty {
                for event in new.events { garden.append(event) }
                mark = new.mark
                new = try transaction.events(knownAfter: mark)
            }
            let action = try make(garden)
            let event = try Event.new(
                action.type, action.payload, at: try garden.time(of: action, now: time), now: Environment.now)
            _ = try transaction.add(event)
            garden.append(event)
            mark = try transaction.newestMark()
            return event
        }
    }
}

/// A file of JSON lines, in the row form of events.
struct FileGardenLog: GardenLog {
    private let file: EventFile
    /// Whether a missing file is an empty log, to be made by the first event.
    private let isMade: Bool
    private(set) var refused: [(number: Int, reason: String)] = []

    /// `making`: whether the file may be missing.
    init(file: EventFile, making: Bool) { (self.file, isMade) = (file, making) }

    mutating func garden() throws -> GardenReplay {
        if isMade, try !file.isThere { return GardenReplay() }
        let contents = try file.read()
        refused = contents.refused
        return GardenReplay(contents.events)
    }

    mutating func append(
        to garden: inout GardenReplay, at time: Timestamp, _ make: (GardenReplay) throws -> GardenEvent.Action
    ) throws -> Event {
        try file.locked {
            garden = try self.garden()
            let action = try make(garden)
            let event = try Event.new(
                action.type, action.payload, at: try garden.time(of: action, now: time), now: Environment.now)
            try file.append(event.row)
            garden.append(event)
            return event
        }
    }
}

/// A file of events: a JSON array or JSON lines, in any form of an event. `-` is the standard input.
struct EventFile {
    private let text: String
    private let path: FilePathBytes
    private let isInput: Bool

    /// `text`: a path as it was typed, or `-`.
    init(_ text: String) {
        self.text = text
        (path, isInput) = (FilePathBytes(ArgumentBytes.bytes(text)), text == "-")
    }

    /// The parsed file.
    struct Contents {
        var events: [Event] = []
        /// Entries that are no events: their number, from 1, and the reason.
        var refused: [(number: Int, reason: String)] = []
    }

    /// Whether the file exists.
    var isThere: Bool {
        get throws { try isInput || path.info() != nil }
    }

    private var name: String { isInput ? "the standard input" : path.description }

    /// Reads the whole file. Throws `CueError` if it is missing or is not JSON.
    func read() throws -> Contents {
        var contents = Contents()
        let now = Environment.now
        for (number, value) in try values(in: bytes()).enumerated() {
            do throws(EventFormError) {
                contents.events.append(try Event(form: try value.get(), now: now))
            } catch { contents.refused.append((number + 1, error.words)) }
        }
        return contents
    }

    /// Lines that are not JSON (a torn last line) are skipped. A file without a single JSON line is refused.
    private func values(in bytes: [UInt8]) throws -> [Result<JSON, EventFormError>] {
        let start = bytes.firstIndex { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        if let start, bytes[start] == UInt8(ascii: "[") {
            do { return try (JSON(parsing: bytes).array ?? []).map { .success($0) } } catch {
                throw CueError(
                    .failed, "\(name) is no JSON: \(error.flaw.words), at byte \(error.offset)",
                    "events are a JSON array, or one JSON object a line")
            }
        }
        var values: [Result<JSON, EventFormError>] = []
        var wrong: (line: Int, error: JSONError)?
        for (number, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { continue }
            do { values.append(.success(try JSON(parsing: line))) } catch {
                wrong = wrong ?? (number + 1, error)
                values.append(.failure(.notJSON(error.flaw)))
            }
        }
        if let wrong, !values.contains(where: { if case .success = $0 { true } else { false } }) {
            throw CueError(
                .failed,
                "line \(wrong.line) of \(name) is no JSON: \(wrong.error.flaw.words), at byte \(wrong.error.offset)",
                "events are a JSON array, or one JSON object a line")
        }
        return values
    }

    private func bytes() throws -> [UInt8] {
        guard try isThere else {
            throw CueError(.failed, "there is no file \(name)", "name a file of events, or - for the standard input")
        }
        var bytes: [UInt8] = []
        try StandardInput.pieces(of: text) { bytes += $0 }
        return bytes
    }

    /// Runs `body` while no other cue changes the file; waits as long as needed. Throws `CueError` for the standard
    /// input.
    func locked<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isInput else {
            throw CueError(.usage, "nothing can be written to the standard input", "name a file with --events FILE")
        }
        let path = path.resolvedAsFarAsThere()
        let lock = try Folder.open(path.parent).openOrCreate(path.name)
        _ = try lock.lock(within: .infinity) { try Interruption.throwIfRequested() }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// Adds one line, durable on return. A missing file is made.
    func append(_ value: JSON) throws {
        let old = try isThere ? bytes() : []
        guard old.first(where: { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }) != UInt8(ascii: "[") else {
            throw CueError(
                .failed, "\(name) is a JSON array, to which nothing can be added; nothing was changed",
                "use a file with one JSON object a line")
        }
        let line = (old.isEmpty || old.last == 0x0a ? [] : [0x0a]) + value.canonical + [0x0a]
        let path = path.resolvedAsFarAsThere()
        let file = try Folder.open(path.parent).openOrCreate(path.name)
        try file.write(line.span, at: Int64(old.count))
        try file.synchronize()
    }
}

extension GardenReplay {
    /// The time of an event that is made now. It is never before the newest event of its subject: replayed before that,
    /// it would have no effect. A fast clock of another device is followed for a day; beyond that it throws `CueError`.
    fileprivate func time(of action: GardenEvent.Action, now: Timestamp) throws -> Timestamp {
        guard let newest = newestTime(of: action), newest >= now else { return now }
        guard newest.milliseconds - now.milliseconds < 86_400_000 else {
            throw CueError(
                .failed,
                "the log has something about this at \(newest.shown), and now it is \(now.shown); nothing was changed",
                "is the clock of this device right? From that time on it can be done")
        }
        return Timestamp(milliseconds: newest.milliseconds + 1)
    }
}
