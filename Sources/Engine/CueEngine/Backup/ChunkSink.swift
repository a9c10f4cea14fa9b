import CueBase
import CueLibrary
import CueVault
import Synchronization

/// The content of the vault on which a backup may rely.
struct Stock {
    /// Chunks that this device wrote itself, or has compared.
    var known = KnownChunks()
    /// Packs of this device's killed runs.
    var left: LeftPacks?
    /// Chunks that only other devices' commits place in the vault.
    var claims: Claims?
}

/// Decides for all workers of a round which chunks the vault does not have yet.
final class NewChunks: Sendable {
    private let known: KnownChunks
    private let left: LeftPacks?
    fileprivate let claims: Claims?
    /// Chunks that a worker of this round stores.
    private let taken = Mutex<Set<ChunkID>>([])

    init(beyond stock: Stock) { (known, left, claims) = (stock.known, stock.left, stock.claims) }

    /// Whether the caller is the first to bring this chunk, and so must store it.
    fileprivate func mustStore(_ id: ChunkID, _ bytes: Span<UInt8>, _ claims: ClaimReader?) throws -> Bool {
        if known.contains(id) || left?.hold(id) ?? false { return false }
        if let claims, try claims.hold(id, bytes) { return false }
        return taken.withLock { $0.insert(id).inserted }
    }

    /// Whether this device has stored or compared a chunk before this round.
    fileprivate func isKnown(_ id: ChunkID) -> Bool { known.contains(id) }

    /// The packs of killed runs that hold chunks of this round; the next commit names them.
    func takeLeftPacks() -> [PackRecord] { left?.take() ?? [] }
}

/// Takes the chunks that one worker reads. It names each, and packs it if the vault does not have it.
final class ChunkSink {
    private let vault: Vault
    private let writer: PackWriter
    private let chunks: NewChunks
    private let claims: ClaimReader?
    private let bases: BaseReader
    /// The file that is being read, if its chunks may be deltas, or become bases.
    private var file: FileDeltas?

    init(_ vault: Vault, _ writer: PackWriter, _ chunks: NewChunks) throws {
        (self.vault, self.writer, self.chunks) = (vault, writer, chunks)
        claims = try chunks.claims?.makeReader()
        bases = try BaseReader(of: vault)
    }

    /// The chunks that follow are those of a file whose last version is known so far.
    func begin(_ file: FileBases) { self.file = FileDeltas(file) }

    /// Ends the file of `begin`, and returns what became of its chunks.
    func end() -> FileDeltas? { file.take() }

    /// The chunker for files of this size in bytes; nil for those that are one chunk.
    func chunker(forFileOf size: Int64) -> Chunker? { vault.chunker(forFileOf: size) }

    /// Returns the id of the chunk, which is stored or in a pack by the time the writers end.
    func store(_ chunk: Span<UInt8>) throws -> ChunkID {
        let id = vault.chunkID(of: chunk)
        guard try chunks.mustStore(id, chunk, claims) else {
            file?.note(id, length: chunk.count, .known)
            return id
        }
        if let delta = try storeDelta(chunk, id) {
            file?.note(id, length: chunk.count, delta)
        } else {
            try writer.add(chunk, id: id)
            file?.note(id, length: chunk.count, .whole)
        }
        return id
    }

    /// Stores a chunk as a delta against what stood at its place in the file; nil if it is to be stored in full.
    private func storeDelta(_ chunk: Span<UInt8>, _ id: ChunkID) throws -> FileDeltas.Form? {
        guard let file, let (indices, limit) = file.bases(forChunkOf: chunk.count) else { return nil }
        var prefix: [(id: ChunkID, bytes: [UInt8])] = []
        for index in indices {
            let base = file.old.bases[index].chunk
            // The vault may have lost the base since it was noted.
            guard chunks.isKnown(base.id), let bytes = bases.content(of: base) else { return nil }
            prefix.append((base.id, bytes))
        }
        return try writer.add(chunk, id: id, against: prefix, atMost: limit).map { .delta(base: indices[0], bytes: $0) }
    }
}
