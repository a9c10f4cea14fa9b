import CueBase
import CueCrypto
import CueStorage
import CueZstd
import Synchronization

/// A sealed object whose header was read, so that its blocks can be opened.
struct SealedBlocks {
    private let source: RecordSource
    private let opener: Opener

    /// Reads the header. Throws `SealError` and `StorageError`.
    init(_ source: RecordSource, of vault: Vault, _ kind: SealContext.Kind, _ name: ObjectName) throws {
        self.source = source
        opener = try vault.opener(
            for: kind, name, header: try vault.header(of: name, source), sealedSize: source.size)
    }

    /// In bytes.
    var plainSize: Int { opener.plainSize }

    /// The sealed bytes that hold these bytes of the plaintext.
    fileprivate func sealedSize(of plain: Range<Int>) -> Int { opener.sealedRange(of: plain).count }

    /// Fills the front of `sealed` with what holds these bytes of the plaintext, and returns how much that is.
    fileprivate func read(_ plain: Range<Int>, into sealed: inout [UInt8]) throws -> Int {
        let range = opener.sealedRange(of: plain)
        sealed.makeRoom(for: range.count)
        var all = sealed.mutableSpan
        var target = all._mutatingExtracting(0..<range.count)
        try source.read(at: range.lowerBound, into: &target)
        return range.count
    }

    /// Opens what `read` returned. The plaintext that was asked for begins in `target` after the returned bytes.
    fileprivate func open(_ sealed: Span<UInt8>, _ plain: Range<Int>, into target: inout [UInt8]) throws -> Int {
        target.makeRoom(for: sealed.count)
        var span = target.mutableSpan
        let first = plain.lowerBound / Cobblestone.chunk
        _ = try opener.open(sealed, firstChunk: first, into: &span)
        return plain.lowerBound - first * Cobblestone.chunk
    }

    /// A part of the plaintext.
    func plaintext(_ plain: Range<Int>) throws -> [UInt8] {
        var sealed: [UInt8] = [], opened: [UInt8] = []
        let count = try read(plain, into: &sealed)
        let skip = try open(sealed.span.extracting(0..<count), plain, into: &opened)
        return Array(opened[skip..<skip + plain.count])
    }
}

extension Vault {
    /// The headers that are kept, of 64 bytes each.
    private static let headersAtMost = 4096

    /// The header of a sealed object; read once where reads are downloads. Throws `SealError` and `StorageError`.
    func header(of name: ObjectName, _ source: RecordSource) throws -> [UInt8] {
        guard source.size >= SealedObject.header else { throw SealError.wrongLength }
        if let known = headers.withLock({ $0[name] }) { return known }
        var header = [UInt8](repeating: 0, count: SealedObject.header)
        var span = header.mutableSpan
        try source.read(at: 0, into: &span)
        if objects.readsAreDownloads { keepHeader(header, of: name) }
        return header
    }

    /// Notes the header of a sealed object, which a read of the object brought.
    func keepHeader(_ header: [UInt8], of name: ObjectName) {
        headers.withLock { headers in
            if headers.count >= Self.headersAtMost { headers.removeAll() }
            headers[name] = header
        }
    }
}

/// The content of a block, in a buffer that may hold more before and after it.
struct RawBlock {
    var bytes: [UInt8]
    var start: Int
    var count: Int
}

/// Reads blocks out of sealed objects. All buffers are used again.
final class BlockReader {
    private let decompressor: ZstdDecompressor
    private var sealed: [UInt8] = []
    private var compressed: [UInt8] = []

    /// Throws `ZstdError` if there is no memory.
    init() throws { decompressor = try ZstdDecompressor() }

    /// A block that is not as it is named.
    struct Flaw: Error {
        /// `.shorterThanNamed` or `.undecodableBlock`.
        let damage: VaultDamage
    }

    /// Reads and opens a block. `ahead`: its sealed bytes, if they were read before. `prefix`: the bases of a delta.
    /// `buffer` is used for the content if it is large enough.
    ///
    /// Throws `Flaw`, `SealError` and `StorageError`.
    func read(
        _ block: BlockLocation, of object: SealedBlocks, ahead: BlockPrefetch.Part? = nil,
        after prefix: Span<UInt8> = Span(), into buffer: consuming [UInt8]
    ) throws -> RawBlock {
        let plain = Int(block.offset)..<Int(block.offset) + Int(block.storedLength)
        guard plain.upperBound <= object.plainSize else { throw Flaw(damage: .shorterThanNamed) }
        // Take the buffers out of this reader while spans of them are lent.
        var (sealed, compressed) = (self.sealed.taken(), self.compressed.taken())
        defer { (self.sealed, self.compressed) = (sealed, compressed) }
        func open(into target: inout [UInt8]) throws -> Int {
            // What was read ahead counts if it is all of it: the pack may have come, or grown, after it was listed.
            if let ahead, ahead.range.count == object.sealedSize(of: plain) {
                return try object.open(ahead.bytes.span.extracting(ahead.range), plain, into: &target)
            }
            let count = try object.read(plain, into: &sealed)
            return try object.open(sealed.span.extracting(0..<count), plain, into: &target)
        }
        guard block.codec != .stored else {
            let start = try open(into: &buffer)
            return RawBlock(bytes: buffer, start: start, count: plain.count)
        }
        let skip = try open(into: &compressed)
        buffer.makeRoom(for: Int(block.rawLength))
        var all = buffer.mutableSpan
        var raw = all._mutatingExtracting(0..<Int(block.rawLength))
        do {
            try decompressor.decompress(
                compressed.span.extracting(skip..<skip + plain.count), after: prefix, into: &raw)
        } catch {
            throw Flaw(damage: .undecodableBlock)
        }
        return RawBlock(bytes: buffer, start: 0, count: Int(block.rawLength))
    }
}
