package import CueBase
package import CueEvents
package import CueSystem

/// A file of events: a JSON array or JSON lines, in any form of an event; or the standard input.
package struct EventFile {
    /// The parsed file.
    package struct Contents {
        /// In the order of the file.
        package var events: [Event] = []
        /// Entries that are no events.
        package var refused: [Refused] = []
    }

    /// An entry that is no event: its number, from 1, and the reason.
    package typealias Refused = (number: Int, error: EventFormError)

    /// nil for the standard input.
    private let path: FilePathBytes?
    private let bytes: () throws -> [UInt8]
    private let surroundings: Surroundings

    /// `path`: nil for the standard input. `bytes`: reads all of it, as it is then.
    package init(
        at path: FilePathBytes?, surroundings: Surroundings = .system, bytes: @escaping () throws -> [UInt8]
    ) {
        (self.path, self.surroundings, self.bytes) = (path, surroundings, bytes)
    }

    /// Whether the file exists.
    var isThere: Bool {
        get throws { try path.map { try $0.info() != nil } ?? true }
    }

    /// The time at which an event of the file becomes known.
    var now: Timestamp { surroundings.clock.now }

    /// Reads the whole file. Throws `EventFileError` if it is missing or is not JSON.
    package func read() throws -> Contents {
        var contents = Contents()
        let now = now
        for (number, value) in try values(in: content()).enumerated() {
            do throws(EventFormError) {
                contents.events.append(try Event(form: try value.get(), now: now))
            } catch { contents.refused.append((number + 1, error)) }
        }
        return contents
    }

    /// Lines that are not JSON (a torn last line) are skipped. A file without a single JSON line is refused.
    private func values(in bytes: [UInt8]) throws -> [Result<JSON, EventFormError>] {
        if Self.isArray(bytes) {
            do { return try (JSON(parsing: bytes).array ?? []).map { .success($0) } } catch {
                throw EventFileError(path: path, what: .notJSON(error, line: nil))
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
            throw EventFileError(path: path, what: .notJSON(wrong.error, line: wrong.line))
        }
        return values
    }

    private static func isArray(_ bytes: [UInt8]) -> Bool {
        bytes.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } == UInt8(ascii: "[")
    }

    private func content() throws -> [UInt8] {
        guard try isThere else { throw EventFileError(path: path, what: .missing) }
        return try bytes()
    }

    /// Runs `body` while no other cue changes the file; waits as long as needed. Throws `EventFileError` for the
    /// standard input.
    func locked<Result>(_ body: () throws -> Result) throws -> Result {
        let (folder, name) = try place()
        let lock = try folder.openOrCreate(name)
        _ = try lock.lock(within: .infinity) { try surroundings.cancellation.throwIfRequested() }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// Adds one line, durable on return. A missing file is made.
    func append(_ value: JSON) throws {
        let old = try isThere ? bytes() : []
        guard !Self.isArray(old) else { throw EventFileError(path: path, what: .isArray) }
        let line = (old.isEmpty || old.last == 0x0a ? [] : [0x0a]) + value.canonical + [0x0a]
        let (folder, name) = try place()
        let file = try folder.openOrCreate(name)
        try file.write(line.span, at: Int64(old.count))
        try file.synchronize()
    }

    /// Where the file is, or will be.
    private func place() throws -> (folder: Folder, name: [UInt8]) {
        guard let path = path?.resolvedAsFarAsThere() else { throw EventFileError(path: nil, what: .isInput) }
        return (try Folder.open(path.parent), path.name)
    }
}

/// Why a file of events cannot be read, or nothing be added to it.
package struct EventFileError: Error, Sendable {
    /// The kinds of reasons.
    package enum What: Sendable {
        /// The first error; with the number of its line, from 1, where the file has lines.
        case notJSON(JSONError, line: Int?)
        /// There is no such file.
        case missing
        /// Nothing can be added to a JSON array.
        case isArray
        /// Nothing can be written to the standard input.
        case isInput
    }

    /// nil for the standard input.
    package let path: FilePathBytes?
    /// The reason.
    package let what: What
}
