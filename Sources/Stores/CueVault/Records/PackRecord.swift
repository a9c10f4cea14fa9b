package import CueBase
package import CueStorage

// This layout is frozen: docs/format.md §5, §6 and §8.

/// The ways to store a block. A frame is stored in one of the first two.
package enum Codec: UInt8, Sendable {
    /// As it is; as one zstd frame without a dictionary; as one zstd frame with other chunks as its prefix.
    case stored = 0, zstd, delta
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
    /// The chunks whose content is the prefix of a delta: one to four; none for another codec.
    package let bases: [ChunkID]
    /// The chunks in order, at least one.
    package let chunks: [ChunkEntry]

    /// A block of these parts; none is checked.
    package init(codec: Codec, storedLength: Int, rawLength: Int, bases: [ChunkID] = [], chunks: [ChunkEntry]) {
        (self.codec, self.storedLength, self.rawLength) = (codec, storedLength, rawLength)
        (self.bases, self.chunks) = (bases, chunks)
    }
}

/// The content of a pack, or of the inline blocks of a commit, as commits and checkpoints name it (docs/format.md §6).
/// All of these records together are the index.
package struct PackRecord: Hashable, Sendable {
    /// The pack.
    package let id: PackID
    /// The commit that holds the blocks itself; nil for a pack that is an object.
    package let commit: LogPosition?
    /// The size of the pack's object in bytes; 0 for inline blocks.
    package let size: Int
    /// The blocks in the order in which they stand, without gaps.
    package let blocks: [BlockRecord]

    /// The number of its chunks.
    var chunkCount: Int { blocks.reduce(0) { $0 + $1.chunks.count } }

    /// A record of these parts; none is checked.
    package init(id: PackID, size: Int, blocks: [BlockRecord]) {
        (self.id, self.commit, self.size, self.blocks) = (id, nil, size, blocks)
    }

    /// The inline blocks of a commit.
    package init(inlineIn commit: LogPosition, blocks: [BlockRecord]) {
        (self.id, self.commit, self.size, self.blocks) = (PackID(inlineIn: commit.commit), commit, 0, blocks)
    }

    /// The bytes that its blocks take as they are stored.
    var storedLength: Int { blocks.reduce(0) { $0 + $1.storedLength } }

    /// The offset of the first block in the plaintext of the object. Inline blocks begin behind their length.
    var firstOffset: UInt32 {
        var writer = ByteWriter()
        if commit != nil { writer.varint(storedLength) }
        return UInt32(writer.count)
    }

    /// The object that holds the blocks.
    package var name: ObjectName { Self.name(of: id, commit) }

    /// The same for a pack of this id, or for the inline blocks of a commit.
    package static func name(of id: PackID, _ commit: LogPosition?) -> ObjectName {
        commit.map { ObjectRecordLog.name(of: $0) } ?? name(of: id)
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

    /// The kind of the record in a checkpoint. A commit has an `inline` record of its own blocks.
    var kind: RecordKind { commit == nil ? .pack : .keptInline }

    /// The body of a record of `kind`.
    package func encode() -> [UInt8] {
        var writer = ByteWriter()
        if let commit {
            writer.position(commit)
        } else {
            writer.id(id)
            writer.varint(size)
        }
        encodeBlocks(&writer)
        return writer.bytes
    }

    /// The body of an `inline` record.
    func encodeInline() -> [UInt8] {
        var writer = ByteWriter()
        encodeBlocks(&writer)
        return writer.bytes
    }

    private func encodeBlocks(_ writer: inout ByteWriter) {
        writer.varint(blocks.count)
        for block in blocks {
            writer.block(block)
            for chunk in block.chunks {
                writer.id(chunk.id)
                writer.varint(Int(chunk.length))
            }
        }
    }

    /// Reads the body of a pack record. Throws `FormatError` if a rule is broken.
    package init(_ reader: inout ByteReader) throws(FormatError) {
        id = try reader.id16()
        guard !id.isInline else { throw .invalid(.inlinePackID) }
        commit = nil
        size = try reader.count(upTo: Limits.pack * 2)
        blocks = try Self.blocks(&reader, upTo: Limits.pack)
    }

    /// The form of the local store: the kind and the body of the record.
    package var stored: [UInt8] { [UInt8(kind.rawValue)] + encode() }

    /// Reads the form of the local store. Throws `FormatError` if it is none.
    package init(stored bytes: [UInt8]) throws(FormatError) {
        var reader = ByteReader(bytes)
        switch RecordKind(rawValue: UInt64(try reader.u8())) {
        case .pack: try self.init(&reader)
        case .keptInline: try self.init(keptInline: &reader)
        default: throw .invalid(.misplacedRecord)
        }
    }

    /// Reads the body of the record of a commit's inline blocks in a checkpoint.
    init(keptInline reader: inout ByteReader) throws(FormatError) {
        try self.init(inlineIn: try reader.logPosition(), &reader)
    }

    /// Reads the body of an `inline` record of this commit.
    init(inlineIn commit: LogPosition, _ reader: inout ByteReader) throws(FormatError) {
        self.init(inlineIn: commit, blocks: try Self.blocks(&reader, upTo: Limits.inline))
    }

    /// Reads blocks that take at most `limit` bytes, as they are stored, up to the end.
    private static func blocks(_ reader: inout ByteReader, upTo limit: Int) throws(FormatError) -> [BlockRecord] {
        let count = try reader.count(ofItems: 5)
        guard count > 0 else { throw .invalid(.emptyPack) }
        var blocks: [BlockRecord] = []
        blocks.reserveCapacity(count)
        var offset = 0
        for _ in 0..<count {
            let block = try reader.block { reader throws(FormatError) in
                ChunkEntry(id: try reader.id32(), length: UInt32(try reader.count(upTo: Limits.block)))
            }
            offset += block.storedLength
            guard offset <= limit else { throw .outOfRange }
            blocks.append(block)
        }
        try reader.expectEnd()
        return blocks
    }

    /// The footer of a pack: the record without pack id, size and the ids of its chunks (docs/format.md §5).
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
        if block.codec == .delta {
            varint(block.bases.count)
            for base in block.bases { id(base) }
        }
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
        guard codec != .stored || stored == raw else { throw .invalid(.blockLength) }
        let bases = codec == .delta ? try bases() : []
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
        return BlockRecord(codec: codec, storedLength: stored, rawLength: raw, bases: bases, chunks: chunks)
    }

    /// Reads the bases of a delta.
    private mutating func bases() throws(FormatError) -> [ChunkID] {
        let count = try count(upTo: Limits.bases)
        var bases: [ChunkID] = []
        for _ in 0..<count { bases.append(try id32()) }
        guard count > 0, Set(bases).count == count else { throw .invalid(.impossibleBases) }
        return bases
    }
}

extension PackID {
    /// The id under which the inline blocks of a commit go.
    init(inlineIn commit: CommitID) { self.init(high: commit.value, low: 0) }

    /// True for an id of inline blocks. No pack that is an object has such an id.
    package var isInline: Bool { low == 0 }
}
