import CueCrypto
import CueStorage

/// Seals an object while it is being made.
final class SealedWriter {
    private let writer: any ObjectWriter
    private var sealer: Sealer?
    private(set) var plainSize = 0

    init(_ writer: any ObjectWriter, sealer: consuming Sealer) throws {
        self.writer = writer
        try writer.write(sealer.header.span)
        self.sealer = consume sealer
    }

    func write(_ bytes: Span<UInt8>) throws {
        plainSize += bytes.count
        try sealer?.update(bytes) { sealed in try writer.write(sealed) }
    }

    /// Makes it durable; returns its size.
    func finish() throws -> Int {
        guard let sealer = sealer.take() else { return 0 }
        try sealer.finish { sealed in try writer.write(sealed) }
        try writer.finish()
        return Cobblestone.sealedSize(plainSize)
    }

    func cancel() { writer.cancel() }
}
