import CueBase
import CueCrypto
import CueStorage

extension PlainReader {
    /// The chunks that are read at once; over a network each read waits for its answer.
    private static func chunks(of source: RecordSource) -> Int { source.isDownload ? 128 : 16 }

    /// Opens a record or checkpoint, and checks its header: a foreign object is refused before its size costs anything.
    ///
    /// Throws `SealError.wrongLength` for a size that no message has or the limit forbids, `SealError.notForThisPlace`
    /// for a header of another key, kind or name, and `StorageError`.
    convenience init(
        _ source: RecordSource, of vault: Vault, _ kind: SealContext.Kind, _ name: ObjectName
    ) throws {
        let (size, chunks) = (source.size, Self.chunks(of: source))
        let piece = chunks * Cobblestone.sealedChunk
        guard size >= SealedObject.header, size <= Limits.recordObject else { throw SealError.wrongLength }
        var sealed = [UInt8](repeating: 0, count: min(size, SealedObject.header + piece))
        var span = sealed.mutableSpan
        try source.read(at: 0, into: &span)
        let opener = try vault.opener(
            for: kind, name, header: Array(sealed[..<SealedObject.header]), sealedSize: size)
        var (offset, number) = (SealedObject.header, 0)
        sealed.removeFirst(SealedObject.header)
        self.init(count: opener.plainSize) { buffer in
            let count = min(piece, size - offset)
            guard count > 0 else { return nil }
            if number > 0 {
                if sealed.count != count { sealed = [UInt8](repeating: 0, count: count) }
                var span = sealed.mutableSpan
                try source.read(at: offset, into: &span)
            }
            buffer.makeRoom(for: count)
            var target = buffer.mutableSpan
            let opened = try opener.open(sealed.span, firstChunk: number, into: &target)
            (offset, number) = (offset + count, number + chunks)
            return opened
        }
    }
}
