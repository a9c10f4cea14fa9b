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

    /// Seals and writes the end; returns the object's size.
    func seal() throws -> Int {
        guard let sealer = sealer.take() else { return 0 }
        try sealer.finish { sealed in try writer.write(sealed) }
        return Cobblestone.sealedSize(plainSize)
    }

    /// Makes it durable under its name, once its end is sealed.
    func makeDurable() throws { try writer.finish() }

    /// Makes it durable; returns its size.
    func finish() throws -> Int {
        let size = try seal()
        try makeDurable()
        return size
    }

    func cancel() { writer.cancel() }
}
