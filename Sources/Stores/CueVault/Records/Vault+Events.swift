package import CueBase
import CueCrypto
package import CueStorage

// This layout is frozen: docs/format.md §11.

/// An event as a batch holds it: bytes that nobody has looked at yet.
package struct EventRecord: Hashable, Sendable {
    package let clientID: [UInt8]
    package let type: [UInt8]
    package let clientTime: [UInt8]
    package let created: Timestamp
    package let payload: [UInt8]

    package init(clientID: [UInt8], type: [UInt8], clientTime: [UInt8], created: Timestamp, payload: [UInt8]) {
        (self.clientID, self.type, self.clientTime) = (clientID, type, clientTime)
        (self.created, self.payload) = (created, payload)
    }

    /// Reads the body of a record.
    package init(_ body: [UInt8]) throws(FormatError) {
        var reader = ByteReader(body)
        clientID = try reader.lengthAndBytes()
        type = try reader.lengthAndBytes()
        clientTime = try reader.lengthAndBytes()
        created = try reader.time()
        payload = try reader.lengthAndBytes()
        try reader.expectEnd()
    }

    package func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.lengthAndBytes(clientID)
        writer.lengthAndBytes(type)
        writer.lengthAndBytes(clientTime)
        writer.svarint(created.inYears.milliseconds)
        writer.lengthAndBytes(payload)
        return writer.bytes
    }
}

extension Vault {
    private func name(_ position: LogPosition) -> ObjectName { ObjectRecordLog.name(of: position, .events) }

    /// Seals a batch and makes it durable; `previous` is the batch before it, `replaced` are those whose events are stored again.
    /// Returns the bytes that it took.
    package func append(
        events: [EventRecord], at position: LogPosition, previous: CommitID, replaced: [LogPosition] = [],
        time: Timestamp
    ) throws -> Int {
        var head = ByteWriter()
        head.id(previous)
        head.svarint(time.inYears.milliseconds)
        var writer = FrameWriter()
        try writer.append(.batch, head.bytes)
        for position in replaced {
            var body = ByteWriter()
            body.id(position.device)
            body.varint(position.generation)
            body.id(position.commit)
            try writer.append(.replaced, body.bytes)
        }
        for event in events { try writer.append(.event, event.encode()) }
        let sealed = seal(try writer.finish(), .events, name(position))
        try eventLog.append(sealed, at: position)
        return sealed.count
    }

    /// Opens a batch and hands out the bodies of its events, one by one. Only when it returns is it known that the batch is whole:
    /// what `take` did before an error must not stand. Returns the batch before this one, and those that it replaces.
    package func readEvents(
        _ entry: LogEntry, _ take: ([UInt8]) throws -> Void
    ) throws -> (previous: CommitID, replaced: [LogPosition]) {
        let name = name(entry.position)
        return try object(name) {
            guard entry.size <= Limits.eventBatch else { throw FormatError.outOfRange }
            let plaintext = try PlainReader(try eventLog.source(of: entry), of: self, .events, name)
            let frames = try FrameReader(plaintext)
            var previous: CommitID?
            var replaced: [LogPosition] = []
            var (raw, count) = (0, 0)
            var budget = RecordBudget()
            while let frame = try frames.next(&budget) {
                raw += frame.count
                guard raw <= Limits.eventBatchRaw else { throw FormatError.outOfRange }
                var reader = ByteReader(frame)
                while !reader.isAtEnd {
                    let kind = RecordKind(rawValue: try reader.varint())
                    let body = try reader.lengthAndBytes()
                    switch (kind, previous) {
                    case (.batch?, nil): previous = try Self.previous(body, entry.position)
                    case (.event?, .some):
                        count += 1
                        guard count <= Limits.eventsOfBatch else { throw FormatError.outOfRange }
                        try take(body)
                    case (.replaced?, .some): replaced.append(try Self.position(body))
                    case (nil, .some): break  // a kind of a later version (docs/format.md §1)
                    default: throw FormatError.invalid(.misplacedRecord)
                    }
                }
            }
            try plaintext.drain()
            guard let previous else { throw FormatError.invalid(.emptyBatch) }
            return (previous, replaced)
        }
    }

    private static func position(_ body: [UInt8]) throws(FormatError) -> LogPosition {
        var reader = ByteReader(body)
        let position = LogPosition(
            device: try reader.id16(), generation: try reader.varint(), commit: try reader.commitID())
        try reader.expectEnd()
        return position
    }

    private static func previous(_ body: [UInt8], _ position: LogPosition) throws(FormatError) -> CommitID {
        var reader = ByteReader(body)
        let previous = try reader.commitID()
        _ = try reader.time()
        try reader.expectEnd()
        guard (previous == .none) == (position.generation == 1) else {
            throw .invalid(.batchOutOfOrder)
        }
        return previous
    }
}
