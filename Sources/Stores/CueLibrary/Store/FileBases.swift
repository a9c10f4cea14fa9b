package import CueBase
package import CueVault

/// A file of a document, by which its bases are found again.
package struct FileKey: Hashable, Sendable {
    /// The document.
    package let project: ProjectID
    /// The path in the bundle; empty for a file that is a document itself.
    package let path: RelativePath

    /// A key of these parts.
    package init(project: ProjectID, path: RelativePath) { (self.project, self.path) = (project, path) }
}

/// What the next version of a file may be stored against: the chunks of the last version, and for each the chunk stored
/// in full that stands behind it (docs/format.md §9).
package struct FileBases: Sendable {
    /// A chunk that is stored in full, and what was stored against it.
    package struct Base: Hashable, Sendable {
        /// Its place in the vault.
        package let chunk: BaseChunk
        /// The bytes that deltas against it have taken so far.
        package var spent: Int

        /// A base of these parts.
        package init(_ chunk: BaseChunk, spent: Int = 0) { (self.chunk, self.spent) = (chunk, spent) }
    }

    /// A chunk of the last version.
    package struct Piece: Hashable, Sendable {
        /// The chunk.
        package let id: ChunkID
        /// In bytes.
        package let length: UInt32
        /// The index of its base in `bases`: itself, or what it is a delta against; nil if none is known.
        package let base: Int?

        /// A piece of these parts.
        package init(id: ChunkID, length: UInt32, base: Int?) {
            (self.id, self.length, self.base) = (id, length, base)
        }
    }

    /// The chunks of the last version, in their order.
    package var pieces: [Piece] = []
    /// The bases of `pieces`.
    package var bases: [Base] = []

    /// No version.
    package init() {}

    /// The form of the local store.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.varint(bases.count)
        for base in bases {
            base.chunk.encode(&writer)
            writer.varint(base.spent)
        }
        for piece in pieces {
            writer.id(piece.id)
            writer.varint(Int(piece.length))
            writer.varint(piece.base.map { $0 + 1 } ?? 0)
        }
        return writer.bytes
    }

    /// Reads the form of the local store. Throws `FormatError` if it is none.
    init(_ bytes: [UInt8]) throws(FormatError) {
        var reader = ByteReader(bytes)
        for _ in 0..<(try reader.count(ofItems: 58)) {
            let chunk = try BaseChunk(&reader)
            bases.append(Base(chunk, spent: try reader.count(upTo: .max)))
        }
        while !reader.isAtEnd {
            let (id, length) = (try reader.id32(), UInt32(try reader.count(upTo: Limits.block)))
            let number = try reader.count(upTo: bases.count)
            pieces.append(Piece(id: id, length: length, base: number == 0 ? nil : number - 1))
        }
    }
}
