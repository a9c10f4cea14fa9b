package import CueBase
package import CueStorage

// This layout is frozen: docs/format.md §6, §8 and §11.

/// The kinds of records, as numbered in docs/format.md §6 and §11.
enum RecordKind: UInt64 {
    case commit = 1, device, pack, version, keptVersion, coverage, batch, event, replaced, inline, keptInline
    case signature, shutOut, retired, pinned, unpinned, acknowledged, settings, plan, kept, run, commitOfRun

    /// True for records that stand in batches of events alone.
    var isOfEvents: Bool { self == .batch || self == .event || self == .replaced }
}

/// The first record of a commit (docs/format.md §6).
package struct CommitRecord: Sendable {
    /// The commit of the generation before; `.none` in generation 1 and in no other.
    package var previous: CommitID
    /// The digest of that commit; nil in generation 1, or if the writer did not know it.
    package var previousDigest: CommitDigest?
    /// The time of the commit by the writer's clock. Written as the nearest moment in the years 0 to 9999.
    package var time: Timestamp
    /// True if the commit completes a snapshot.
    package var isSnapshot: Bool
    /// True if some files could not be read.
    package var isPartial: Bool
    /// The newest commit that was read of every other branch.
    package var seen: [CommitMark]

    /// A record of these parts; none is checked.
    package init(
        previous: CommitID, previousDigest: CommitDigest? = nil, time: Timestamp, isSnapshot: Bool, isPartial: Bool,
        seen: [CommitMark]
    ) {
        (self.previous, self.previousDigest, self.time) = (previous, previousDigest, time)
        (self.isSnapshot, self.isPartial, self.seen) = (isSnapshot, isPartial, seen)
    }

    /// The body of the record.
    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.id(previous)
        writer.digest(previousDigest)
        writer.svarint(time.inYears.milliseconds)
        writer.u8((isSnapshot ? 1 : 0) | (isPartial ? 2 : 0))
        writer.marks(seen)
        return writer.bytes
    }

    /// Reads the body of a record. Throws `FormatError` if a rule is broken.
    init(_ reader: inout ByteReader) throws(FormatError) {
        previous = try reader.commitID()
        previousDigest = try reader.digest()
        time = try reader.time()
        let flags = try reader.u8()
        guard flags <= 3 else { throw .invalid(.unknownCommitFlags) }
        (isSnapshot, isPartial) = (flags & 1 != 0, flags & 2 != 0)
        seen = try reader.marks()
        try reader.expectEnd()
    }
}

extension ByteWriter {
    /// Writes a count, and for each commit its device, generation, id and digest.
    mutating func marks(_ marks: [CommitMark]) {
        varint(marks.count)
        for mark in marks {
            position(mark.position)
            digest(mark.digest)
        }
    }

    /// Writes a digest; zero bytes for an unknown one.
    mutating func digest(_ digest: CommitDigest?) { id(digest ?? .unknown) }

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

    /// The commits that `ByteWriter.marks` writes. Throws `FormatError` if they end too early.
    mutating func marks() throws(FormatError) -> [CommitMark] {
        let count = try count(ofItems: 57)
        var marks: [CommitMark] = []
        marks.reserveCapacity(count)
        for _ in 0..<count { marks.append(CommitMark(try logPosition(), try digest())) }
        return marks
    }

    /// The digest that `ByteWriter.digest` writes; nil for an unknown one.
    mutating func digest() throws(FormatError) -> CommitDigest? {
        let digest = try id32()
        return digest == .unknown ? nil : digest
    }

    /// The commit that `ByteWriter.position` writes.
    mutating func logPosition() throws(FormatError) -> LogPosition {
        LogPosition(device: try id16(), generation: try varint(), commit: try commitID())
    }
}

extension CommitDigest {
    /// Stands for a digest that the writer did not know.
    fileprivate static let unknown = CommitDigest(a: 0, b: 0, c: 0, d: 0)
}

/// A commit as another names it: where it stands, and what it was (docs/format.md §6).
package struct CommitMark: Hashable, Comparable, Sendable {
    /// The place in its device's log.
    package let position: LogPosition
    /// Its digest; nil if whoever names it did not know it.
    package let digest: CommitDigest?

    /// Memberwise.
    package init(_ position: LogPosition, _ digest: CommitDigest?) { (self.position, self.digest) = (position, digest) }

    /// By position.
    package static func < (x: CommitMark, y: CommitMark) -> Bool { x.position < y.position }
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
