package import CueBase
package import CueStorage

// This layout is frozen: docs/format.md §6, §8 and §11.

enum RecordKind: UInt64, Comparable {
    case commit = 1, device, pack, version, keptVersion, coverage, batch, event, replaced

    static func < (x: RecordKind, y: RecordKind) -> Bool { x.rawValue < y.rawValue }
}

/// The first record of a commit.
package struct CommitRecord: Sendable {
    package var previous: CommitID
    package var time: Timestamp
    /// Whether the commit completes a snapshot.
    package var isSnapshot: Bool
    /// Whether some files could not be read.
    package var isPartial: Bool
    /// The newest commit that was read of every other branch.
    package var seen: [LogPosition]

    package init(previous: CommitID, time: Timestamp, isSnapshot: Bool, isPartial: Bool, seen: [LogPosition]) {
        (self.previous, self.time) = (previous, time)
        (self.isSnapshot, self.isPartial, self.seen) = (isSnapshot, isPartial, seen)
    }

    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.id(previous)
        writer.svarint(time.inYears.milliseconds)
        writer.u8((isSnapshot ? 1 : 0) | (isPartial ? 2 : 0))
        writer.positions(seen)
        return writer.bytes
    }

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
    /// A moment in the years 0 to 9999.
    mutating func time() throws(FormatError) -> Timestamp {
        let milliseconds = try svarint()
        guard Timestamp.years.contains(milliseconds) else { throw .invalid(.impossibleTime) }
        return Timestamp(milliseconds: milliseconds)
    }

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

/// A device and how it is called.
package struct DeviceRecord: Hashable, Sendable {
    package let id: DeviceID
    package let name: String
    package let made: Timestamp

    package init(id: DeviceID, name: String, made: Timestamp) { (self.id, self.name, self.made) = (id, name, made) }

    func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.id(id)
        writer.lengthAndBytes(name.utf8)
        writer.svarint(made.inYears.milliseconds)
        return writer.bytes
    }

    init(_ reader: inout ByteReader) throws(FormatError) {
        id = try reader.id16()
        name = String(decoding: try reader.lengthAndBytes(upTo: 1024), as: UTF8.self)
        made = try reader.time()
        try reader.expectEnd()
    }
}

/// How the bytes of a block or a frame are stored.
package enum Codec: UInt8, Sendable {
    case stored = 0, zstd
}

/// A piece of content and how long it is.
package struct ChunkEntry: Hashable, Sendable {
    package let id: ChunkID
    package let length: UInt32

    package init(id: ChunkID, length: UInt32) { (self.id, self.length) = (id, length) }
}

package struct BlockRecord: Hashable, Sendable {
    package let codec: Codec
    package let storedLength: Int
    package let rawLength: Int
    package let chunks: [ChunkEntry]

    package init(codec: Codec, storedLength: Int, rawLength: Int, chunks: [ChunkEntry]) {
        (self.codec, self.storedLength, self.rawLength, self.chunks) = (codec, storedLength, rawLength, chunks)
    }
}

/// What a pack holds: the index that travels with the commit.
package struct PackRecord: Hashable, Sendable {
    package let id: PackID
    package let size: Int
    package let blocks: [BlockRecord]

    package init(id: PackID, size: Int, blocks: [BlockRecord]) {
        (self.id, self.size, self.blocks) = (id, size, blocks)
    }

    package static func name(of id: PackID) -> ObjectName {
        let text = id.description
        return ObjectName("packs/\(text.prefix(2))/\(text)")
    }

    /// Reads an object's name; nil for other files.
    package static func id(of name: ObjectName) -> PackID? {
        let parts = name.components
        guard parts.count == 3, parts[0] == "packs", let id = PackID(parts[2]), parts[1] == parts[2].prefix(2) else {
            return nil
        }
        return id
    }

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

    /// What the pack itself says at its end: the same without the ids.
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
    fileprivate mutating func block(_ block: BlockRecord) {
        u8(block.codec.rawValue)
        varint(block.storedLength)
        varint(block.rawLength)
        varint(block.chunks.count)
    }
}

extension ByteReader {
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
