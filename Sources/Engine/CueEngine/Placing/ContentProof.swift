import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Compares a file on disk with the chunks that it should have.
struct ContentProof {
    private let vault: Vault
    private let index: ChunkIndex
    private let cancellation: Cancellation

    /// `index`: the lengths of the chunks.
    init(_ vault: Vault, _ index: ChunkIndex, _ cancellation: Cancellation) {
        (self.vault, self.index, self.cancellation) = (vault, index, cancellation)
    }

    /// Whether the file starts with exactly these chunks. Reads all of it; throws if it cannot be read.
    func holds(_ folder: Folder, _ name: [UInt8], _ chunks: [ChunkID]) throws -> Bool {
        let file = try folder.fileWithoutAccessTime(name)
        for chunk in chunks {
            try cancellation.throwIfRequested()
            guard try isNext(chunk, in: file) else { return false }
        }
        return true
    }

    /// Whether the file continues with this chunk. If the index knows it with several lengths, the shortest is tried
    /// first.
    private func isNext(_ chunk: ChunkID, in file: borrowing File) throws -> Bool {
        var bytes: [UInt8] = []
        for length in Set(index.allLocations(of: chunk).map { Int($0.length) }).sorted().prefix(16) {
            var more = [UInt8](repeating: 0, count: length - bytes.count)
            var span = more.mutableSpan
            guard try file.read(into: &span) == more.count else { return false }
            bytes = bytes.isEmpty ? more : bytes + more
            if vault.chunkID(of: bytes.span) == chunk { return true }
        }
        return false
    }
}
