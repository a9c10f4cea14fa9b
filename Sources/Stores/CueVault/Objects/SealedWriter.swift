import CueCrypto
import CueStorage

/// Seals an object while it is written (docs/format.md §3). One thread at a time uses it.
final class SealedWriter {
    private let writer: any ObjectWriter
    private var sealer: Sealer?
    /// The bytes of plaintext so far.
    private(set) var plainSize = 0

    /// Writes what stands before the chunks.
    init(_ writer: any ObjectWriter, sealer: consuming Sealer) throws {
        self.writer = writer
        try writer.write(sealer.header.span)
        self.sealer = consume sealer
    }

    /// Seals the bytes; full chunks go to the store at once.
    func write(_ bytes: Span<UInt8>) throws {
        plainSize += bytes.count
        try sealer?.update(bytes) { sealed in try writer.write(sealed) }
    }

    /// Seals and writes the last chunk. Returns the size of the object in bytes; 0 on a second call.
    func seal() throws -> Int {
        guard let sealer = sealer.take() else { return 0 }
        try sealer.finish { sealed in try writer.write(sealed) }
        return SealedObject.size(plainSize)
    }

    /// Makes the object durable under its name. `seal` must have returned.
    func makeDurable() throws { try writer.finish() }

    /// Does both, and returns the size of the object in bytes.
    func finish() throws -> Int {
        let size = try seal()
        try makeDurable()
        return size
    }

    /// Drops the object. After `makeDurable` has returned it does nothing.
    func cancel() { writer.cancel() }
}
