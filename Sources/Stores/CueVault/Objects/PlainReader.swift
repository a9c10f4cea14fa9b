import CueBase

/// Reads the plaintext of a sealed object from front to end, a quarter of a mebibyte at a time: a checkpoint is as large as all that
/// is alive, and is never whole in memory.
///
/// What it hands out was opened, piece by piece; that nothing is missing at the end is known once `drain` returns.
final class PlainReader {
    /// Of the plaintext, opened and not.
    private(set) var remaining: Int
    private var buffer: [UInt8]
    private var position = 0
    private var filled: Int
    private let next: ((inout [UInt8]) throws -> Int?)?

    /// Bytes that are in memory.
    init(_ plaintext: [UInt8]) {
        (buffer, filled, remaining, next) = (plaintext, plaintext.count, plaintext.count, nil)
    }

    /// `next` fills the buffer from its front and says how many bytes it holds; nil once the object has ended.
    init(count: Int, next: @escaping (inout [UInt8]) throws -> Int?) {
        (buffer, filled, remaining) = ([], 0, count)
        self.next = next
    }

    private func refill() throws {
        guard position == filled else { return }
        guard remaining > 0, try fill() else { throw FormatError.truncated }
    }

    /// False once the object has ended.
    private func fill() throws -> Bool {
        var buffer = self.buffer.taken()
        defer { self.buffer = buffer }
        guard let count = try next?(&buffer) else { return false }
        (position, filled) = (0, count)
        return true
    }

    func u8() throws -> UInt8 {
        try refill()
        defer { (position, remaining) = (position + 1, remaining - 1) }
        return buffer[position]
    }

    /// As `ByteReader.varint`, up to `limit`.
    func count(upTo limit: Int) throws -> Int {
        var bytes = [try u8()]
        while let last = bytes.last, last >= 0x80, bytes.count < 10 { bytes.append(try u8()) }
        var reader = ByteReader(bytes)
        return try reader.count(upTo: limit)
    }

    func bytes(_ count: Int) throws -> [UInt8] {
        guard count <= remaining else { throw FormatError.truncated }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            try refill()
            let piece = min(count - bytes.count, filled - position)
            bytes += buffer[position..<position + piece]
            (position, remaining) = (position + piece, remaining - piece)
        }
        return bytes
    }

    /// Opens what is left, so that a cut or changed end is seen: also a last piece that holds no plaintext, which is all that says
    /// where the object ends.
    func drain() throws {
        repeat { (position, remaining) = (filled, remaining - (filled - position)) } while try fill()
        guard remaining == 0 else { throw FormatError.truncated }
    }
}
