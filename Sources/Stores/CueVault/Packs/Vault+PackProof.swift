import CueCrypto
package import CueStorage

extension Vault {
    /// Throws `SealError` unless all of a pack's object opens under its name, and `StorageError` if the epoch of its
    /// key cannot be looked up. Its content is not looked at.
    package func prove(pack sealed: [UInt8], named name: ObjectName) throws {
        let header = SealedObject.header
        guard sealed.count >= header else { throw SealError.wrongLength }
        let opener = try opener(for: .pack, name, header: Array(sealed[..<header]), sealedSize: sealed.count)
        let chunks = 64
        let piece = chunks * Cobblestone.sealedChunk
        var plain = [UInt8](repeating: 0, count: piece)
        for (number, start) in stride(from: header, to: sealed.count, by: piece).enumerated() {
            var target = plain.mutableSpan
            _ = try opener.open(
                sealed.span.extracting(start..<min(start + piece, sealed.count)), firstChunk: number * chunks,
                into: &target)
        }
    }
}
