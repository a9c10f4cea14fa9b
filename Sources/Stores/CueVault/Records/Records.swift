package import CueBase
package import CueStorage

// This layout is frozen: docs/format.md §6, §8 and §11.

/// The kinds of records, as numbered in docs/format.md §6 and §11.
enum RecordKind: UInt64 {
    case commit = 1, device, pack, version, keptVersion, coverage, batch, event, replaced, inline, keptInline

    /// True for records that stand in batches of events alone.
    var isOfEvents: Bool { self == .batch || self == .event || self == .replaced }
}

/// The first record of a commit (docs/format.md §6).
package struct CommitRecord: Sendable {
    /// The commit of the generation before; `.none` in generation 1 and in no other.
    package var previous: CommitID
    /// The time of the commit by the writer's clock. Written as the nearest moment in the years 0 to 9999.
    package var time: Timestamp
    /// True if the commit completes a snapshot.
    package var isSnapshot: Bool
    /// True if some files could not be read.
    package var isPartial: Bool
    /// The newest commit that was read of every other branch.
    package var seen: [LogPosition]

    /// A record of these parts; none is checked.
    package init(previous: CommitID, time: Timestamp, isSnapshot: Bool, isPartial: Bool, seen: [LogPosition]) {
        (self.previous, self.time) = (previous, time)
        (self.isSnapshot, self.isPartial, self.seen) = (isSnapshot, isPartial, seen)
    }

    /// The body of the record.
    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.id(previous)
        writer.svarint(time.inYears.milliseconds)
        writer.u8((isSnapshot ? 1 : 0) | (isPartial ? 2 : 0))
        writer.positions(seen)
        return writer.bytes
    }

    /// Reads the body of a record. Throws `FormatError` if a rule is broken.
    init(_ reader: inout ByteReader) throws(FormatError) {
        previous = try reader.commitID()
        time = try reader.time()
        let flags = try reader.u8()
        guard flags <= 3 else { throw .invalid(.unknownCommitFlags) }
        (isSnapshot, isPartial) = (flags & 1 != 0, flags & 2 != 0)
        seen = try reader.positions()
        try reader.expectEnd()
    }
}

extension ByteWriter {
    /// Writes a count, and for each commit its device, generation and id.
    mutating func positions(_ positions: [LogPosition]) {
        varint(positions.count)
        for position in positions { self.position(position) }
    }

    /// Writes a commit: its device, generation and id.
    mutating func position(_ position: LogPosition) {
        id(position.device)
        varint(position.generation)
        id(position.commit)
    }
}

extension ByteReader {
    /// A moment in the years 0 to 9999. Throws `FormatError.invalid(.impossibleTime)` for another.
    mutating func time() throws(FormatError) -> Timestamp {
        let milliseconds = try svarint()
        guard Timestamp.years.contains(milliseconds) else { throw .invalid(.impossibleTime) }
        return Timestamp(milliseconds: milliseconds)
    }

    /// The positions that `ByteWriter.positions` writes. Throws `FormatError` if they end too early.
    mutating func positions() throws(FormatError) -> [LogPosition] {
        let count = try count(ofItems: 25)
        var positions: [LogPosition] = []
        positions.reserveCapacity(count)
        for _ in 0..<count {
            positions.append(try logPosition())
        }
        return positions
    }

    /// The commit that `ByteWriter.position` writes.
    mutating func logPosition() throws(FormatError) -> LogPosition {
        LogPosition(device: try id16(), generation: try varint(), commit: try commitID())
    }
}

/// A device and its name (docs/format.md §6).
package struct DeviceRecord: Hashable, Sendable {
    /// The device. In a commit it must be the one that wrote it, or the record does not count.
    package let id: DeviceID
    /// The name for people, at most 1,024 bytes.
    package let name: String
    /// The time of the record, by that device's clock.
    package let made: Timestamp

    /// A record of these parts; none is checked.
    package init(id: DeviceID, name: String, made: Timestamp) { (self.id, self.name, self.made) = (id, name, made) }

    /// The body of the record.
    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.id(id)
        writer.lengthAndBytes(name.utf8)
        writer.svarint(made.inYears.milliseconds)
        return writer.bytes
    }

    /// Reads the body of a record. Throws `FormatError` if a rule is broken.
    init(_ reader: inout ByteReader) throws(FormatError) {
        id = try reader.id16()
        name = String(decoding: try reader.lengthAndBytes(upTo: 1024), as: UTF8.self)
        made = try reader.time()
        try reader.expectEnd()
    }
}
