package import CueBase
package import CueStorage

// This layout is frozen: docs/format.md §6, §8 and §11.

/// The kinds of records, as numbered in docs/format.md §6 and §11.
enum RecordKind: UInt64, Comparable {
    case commit = 1, device, pack, version, keptVersion, coverage, batch, event, replaced

    static func < (x: RecordKind, y: RecordKind) -> Bool { x.rawValue < y.rawValue }
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
        for position in positions {
            id(position.device)
            varint(position.generation)
            id(position.commit)
        }
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
            positions.append(
                LogPosition(device: try id16(), generation: try varint(), commit: try commitID()))
        }
        return positions
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

/// The ways to store a block or a frame.
package enum Codec: UInt8, Sendable {
    /// As it is; or as one zstd frame without a dictionary.
    case stored = 0, zstd
}

/// A chunk in a pack record.
package struct ChunkEntry: Hashable, Sendable {
    /// The keyed hash of its bytes.
    package let id: ChunkID
    /// In bytes; 1 to 16 MiB.
    package let length: UInt32

    /// An entry of these parts; none is checked.
    package init(id: ChunkID, length: UInt32) { (self.id, self.length) = (id, length) }
}

/// A block in a pack record (docs/format.md §5). Lengths are in bytes.
package struct BlockRecord: Hashable, Sendable {
    /// How the block is stored.
    package let codec: Codec
    /// As it stands in the pack; at most a part in 128 over 16 MiB.
    package let storedLength: Int
    /// After decompression: the sum of the chunks, at most 16 MiB.
    package let rawLength: Int
    /// The chunks in order, at least one.
    package let chunks: [ChunkEntry]

    /// A block of these parts; none is checked.
    package init(codec: Codec, storedLength: Int, rawLength: Int, chunks: [ChunkEntry]) {
        (self.codec, self.storedLength, self.rawLength, self.chunks) = (codec, storedLength, rawLength, chunks)
    }
}

/// The content of a pack, as commits and checkpoints name it (docs/format.md §6). All pack records together are the
/// index.
package struct PackRecord: Hashable, Sendable {
    /// The pack.
    package let id: PackID
    /// The size of the sealed object in bytes.
    package let size: Int
    /// The blocks in the order in which they stand, from offset 0 without gaps.
    package let blocks: [BlockRecord]

    /// The number of its chunks.
    var chunkCount: Int { blocks.reduce(0) { $0 + $1.chunks.count } }

    /// A record of these parts; none is checked.
    package init(id: PackID, size: Int, blocks: [BlockRecord]) {
        (self.id, self.size, self.blocks) = (id, size, blocks)
    }

    /// The name of the object of a pack (docs/format.md §2).
    package static func name(of id: PackID) -> ObjectName {
        let text = id.description
        return ObjectName("packs/\(text.prefix(2))/\(text)")
    }

    /// Reads the name of a pack's object; nil for other names.
    package static func id(of name: ObjectName) -> PackID? {
        let parts = name.components
        guard parts.count == 3, parts[0] == "packs", let id = PackID(parts[2]), parts[1] == parts[2].prefix(2) else {
            return nil
        }
        return id
    }

    /// The body of the record.
    package func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.id(id)
        writer.varint(size)
        writer.varint(blocks.count)
        for block in blocks {
            writer.block(block)
            for chunk in block.chunks {
                writer.id(chunk.id)
                writer.varint(Int(chunk.length))
            }
        }
        return writer.bytes
    }

    /// Reads the body of a record. Throws `FormatError` if a rule is broken.
    package init(_ reader: inout ByteReader) throws(FormatError) {
        id = try reader.id16()
        size = try reader.count(upTo: Limits.pack * 2)
        let count = try reader.count(ofItems: 5)
        guard count > 0 else { throw .invalid(.emptyPack) }
        var blocks: [BlockRecord] = []
        blocks.reserveCapacity(count)
        var offset = 0
        for _ in 0..<count {
            let block = try reader.block { reader throws(FormatError) in
                ChunkEntry(id: try reader.chunkID(), length: UInt32(try reader.count(upTo: Limits.block)))
            }
            offset += block.storedLength
            guard offset <= Limits.pack else { throw .outOfRange }
            blocks.append(block)
        }
        self.blocks = blocks
        try reader.expectEnd()
    }

    /// The footer of the pack: the record without pack id, size and chunk ids (docs/format.md §5).
    func footer() -> [UInt8] {
        var writer = ByteWriter()
        writer.varint(blocks.count)
        for block in blocks {
            writer.block(block)
            for chunk in block.chunks { writer.varint(Int(chunk.length)) }
        }
        return writer.bytes
    }
}

extension ByteWriter {
    /// The fields of a block before its chunks, which records and footers share.
    fileprivate mutating func block(_ block: BlockRecord) {
        u8(block.codec.rawValue)
        varint(block.storedLength)
        varint(block.rawLength)
        varint(block.chunks.count)
    }
}

extension ByteReader {
    /// Reads a block whose chunks `chunk` reads, and checks its lengths.
    fileprivate mutating func block(
        _ chunk: (inout ByteReader) throws(FormatError) -> ChunkEntry
    ) throws(FormatError) -> BlockRecord {
        guard let codec = Codec(rawValue: try u8()) else { throw .invalid(.unknownBlockCodec) }
        let stored = try count(upTo: Limits.block + Limits.block / 128)
        let raw = try count(upTo: Limits.block)
        guard codec == .zstd || stored == raw else { throw .invalid(.blockLength) }
        let count = try count(ofItems: 2)
        var chunks: [ChunkEntry] = []
        chunks.reserveCapacity(count)
        var sum = 0
        for _ in 0..<count {
            let entry = try chunk(&self)
            sum += Int(entry.length)
            guard entry.length > 0, sum <= raw else { throw .outOfRange }
            chunks.append(entry)
        }
        guard sum == raw, raw > 0 else { throw .invalid(.blockSum) }
        return BlockRecord(codec: codec, storedLength: stored, rawLength: raw, chunks: chunks)
    }
}
