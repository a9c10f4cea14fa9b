import CueBase

/// Reads the plaintext of a sealed object from front to end, 256 KiB at a time, or 2 MiB where a service gives it. A
/// checkpoint is as large as all live versions, and is never whole in memory.
///
/// Each piece is authenticated before it is returned. That nothing is missing at the end is known once `drain` returns.
final class PlainReader {
    /// The bytes of the plaintext that were not returned yet.
    private(set) var remaining: Int
    private var buffer: [UInt8]
    private var position = 0
    private var filled: Int
    private let next: ((inout [UInt8]) throws -> Int?)?

    /// Reads bytes that are in memory.
    init(_ plaintext: [UInt8]) {
        (buffer, filled, remaining, next) = (plaintext, plaintext.count, plaintext.count, nil)
    }

    /// Reads a plaintext of `count` bytes. `next` fills the buffer from its front and returns the number of bytes; nil
    /// at the end of the object.
    init(count: Int, next: @escaping (inout [UInt8]) throws -> Int?) {
        (buffer, filled, remaining) = ([], 0, count)
        self.next = next
    }

    /// Makes sure that a byte is in the buffer. Throws `FormatError.truncated` at the end.
    private func refill() throws {
        guard position == filled else { return }
        guard remaining > 0, try fill() else { throw FormatError.truncated }
    }

    /// Fetches the next piece; false at the end of the object.
    private func fill() throws -> Bool {
        var buffer = self.buffer.taken()
        defer { self.buffer = buffer }
        guard let count = try next?(&buffer) else { return false }
        (position, filled) = (0, count)
        return true
    }

    /// One byte. Throws `FormatError.truncated` at the end.
    func u8() throws -> UInt8 {
        try refill()
        defer { (position, remaining) = (position + 1, remaining - 1) }
        return buffer[position]
    }

    /// A number as `ByteReader.varint` reads it. Throws `FormatError.outOfRange` above `limit`.
    func count(upTo limit: Int) throws -> Int {
        var bytes = [try u8()]
        while let last = bytes.last, last >= 0x80, bytes.count < 10 { bytes.append(try u8()) }
        var reader = ByteReader(bytes)
        return try reader.count(upTo: limit)
    }

    /// Exactly `count` bytes. Throws `FormatError.truncated` if fewer are left; allocates nothing then.
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

    /// Passes over `count` bytes. Throws `FormatError.truncated` if fewer are left.
    func skip(_ count: Int) throws {
        guard count <= remaining else { throw FormatError.truncated }
        var left = count
        while left > 0 {
            try refill()
            let piece = min(left, filled - position)
            (position, remaining, left) = (position + piece, remaining - piece, left - piece)
        }
    }

    /// Opens the rest, so that a cut or changed end is found. This includes a last piece without plaintext: that piece
    /// alone proves where the object ends.
    func drain() throws {
        repeat { (position, remaining) = (filled, remaining - (filled - position)) } while try fill()
        guard remaining == 0 else { throw FormatError.truncated }
    }
}
