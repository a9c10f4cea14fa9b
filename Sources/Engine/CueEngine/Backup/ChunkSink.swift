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

    /// The packs of killed runs that hold chunks of this round; the next commit names them.
    func takeLeftPacks() -> [PackRecord] { left?.take() ?? [] }
}

/// Takes the chunks that one worker reads. It names each, and packs it if the vault does not have it.
struct ChunkSink {
    private let vault: Vault
    private let writer: PackWriter
    private let chunks: NewChunks
    private let claims: ClaimReader?

    init(_ vault: Vault, _ writer: PackWriter, _ chunks: NewChunks) throws {
        (self.vault, self.writer, self.chunks) = (vault, writer, chunks)
        claims = try chunks.claims?.makeReader()
    }

    /// The chunker for files of this size in bytes; nil for those that are one chunk.
    func chunker(forFileOf size: Int64) -> Chunker? { vault.chunker(forFileOf: size) }

    /// Returns the id of the chunk, which is stored or in a pack by the time the writers end.
    func store(_ chunk: Span<UInt8>) throws -> ChunkID {
        let id = vault.chunkID(of: chunk)
        if try chunks.mustStore(id, chunk, claims) { try writer.add(chunk, id: id) }
        return id
    }
}
