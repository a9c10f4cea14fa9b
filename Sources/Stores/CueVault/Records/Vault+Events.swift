package import CueBase
package import CueCrypto
package import CueStorage

// This layout is frozen: docs/format.md §11.

/// An event as a batch holds it (docs/format.md §11). The parts are bytes that were not checked.
package struct EventRecord: Hashable, Sendable {
    /// The id by which copies of the event are recognised.
    package let clientID: [UInt8]
    /// The type; a type that a reader does not know is kept.
    package let type: [UInt8]
    /// When it happened, as RFC 3339 text.
    package let clientTime: [UInt8]
    /// When a log first took it.
    package let created: Timestamp
    /// JSON text.
    package let payload: [UInt8]

    /// An event of these parts; none is checked.
    package init(clientID: [UInt8], type: [UInt8], clientTime: [UInt8], created: Timestamp, payload: [UInt8]) {
        (self.clientID, self.type, self.clientTime) = (clientID, type, clientTime)
        (self.created, self.payload) = (created, payload)
    }

    /// Reads the body of a record. Throws `FormatError` if the fields do not fill it exactly, or for a `created`
    /// outside of the years 0 to 9999.
    package init(_ body: [UInt8]) throws(FormatError) {
        var reader = ByteReader(body)
        clientID = try reader.lengthAndBytes()
        type = try reader.lengthAndBytes()
        clientTime = try reader.lengthAndBytes()
        created = try reader.time()
        payload = try reader.lengthAndBytes()
        try reader.expectEnd()
    }

    /// The body of the record.
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

    /// Signs and seals a batch, and makes it durable. Returns the bytes of the object.
    ///
    /// `previous` is the device's batch before this one. `replaced` are the lost or damaged batches whose events are
    /// stored again. The limits of docs/format.md §10 are the caller's duty. Throws
    /// `FormatError.invalid(.recordTooLarge)`, `ZstdError`, and `StorageError`, which is `.alreadyThere` if the
    /// position is taken.
    package func append(
        events: [EventRecord], at position: LogPosition, previous: CommitID, replaced: [LogPosition] = [],
        time: Timestamp, by key: DeviceKey
    ) throws -> Int {
        var head = ByteWriter()
        head.id(previous)
        head.svarint(time.inYears.milliseconds)
        let name = name(position)
        var writer = FrameWriter(context(.events, name))
        try writer.append(.batch, head.bytes)
        for position in replaced {
            var body = ByteWriter()
            body.id(position.device)
            body.varint(position.generation)
            body.id(position.commit)
            try writer.append(.replaced, body.bytes)
        }
        for event in events { try writer.append(.event, event.encode()) }
        let sealed = seal(try writer.finish(signedBy: key).rest, .events, name)
        try eventLog.append(sealed, at: position)
        return sealed.count
    }

    /// Opens a batch and passes the bodies of its events to `take`, one by one. Returns the batch before it, and the
    /// batches that it replaces.
    ///
    /// Only when it returns is the batch known to be whole: the caller must undo what `take` did before an error.
    /// Throws `VaultError.damaged` or `.missing`, `StorageError` for an error that heals by itself, and the errors of
    /// `take`.
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
            var authors = AuthorshipReader(context(.events, name))
            while let frame = try frames.next(&budget) {
                raw += frame.count
                guard raw <= Limits.eventBatchRaw else { throw FormatError.outOfRange }
                try authors.read(frame) { kind, range in
                    let body = Array(frame[range])
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
            guard try authors.finish().device(in: id) == entry.position.device else {
                throw FormatError.invalid(.signedByAnother)
            }
            guard let previous else { throw FormatError.invalid(.emptyBatch) }
            return (previous, replaced)
        }
    }

    /// Reads the body of a record of kind "replaced".
    private static func position(_ body: [UInt8]) throws(FormatError) -> LogPosition {
        var reader = ByteReader(body)
        let position = LogPosition(
            device: try reader.id16(), generation: try reader.varint(), commit: try reader.commitID())
        try reader.expectEnd()
        return position
    }

    /// Reads the body of the first record, and returns the batch before this one.
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
