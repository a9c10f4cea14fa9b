package import CueBase
import CueCrypto
import CueSodium

extension Vault {
    /// The id of a chunk in this vault (docs/format.md §5).
    package func chunkID(of bytes: Span<UInt8>) -> ChunkID { BLAKE2b.chunkID(of: bytes, key: key.chunkIDs) }

    /// The chunker for a file of `size` bytes; nil if the file is one chunk.
    package func chunker(forFileOf size: Int64) -> Chunker? {
        Chunker.average(forFileOf: size).map { Chunker(average: $0, gear: key.gear) }
    }
}
