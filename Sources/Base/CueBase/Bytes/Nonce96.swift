/// The 96-bit nonce of AES-GCM (NIST SP 800-38D, §8.2).
///
/// It holds twelve bytes in memory order, without an array of its own.
public struct Nonce96: Sendable {
    private var words: (UInt32, UInt32, UInt32)

    /// Takes exactly twelve bytes; traps for any other count.
    public init(_ bytes: Span<UInt8>) {
        precondition(bytes.count == 12, "a nonce of 12 bytes")
        func word(_ at: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[at + $1]) }.bigEndian
        }
        words = (word(0), word(4), word(8))
    }

    /// The same for an array.
    public init(_ bytes: [UInt8]) { self.init(bytes.span) }

    /// This nonce XOR a 96-bit big-endian number.
    public func adding(_ number: Int) -> Nonce96 {
        var copy = self
        copy.words.1 ^= UInt32(truncatingIfNeeded: number >> 32).bigEndian
        copy.words.2 ^= UInt32(truncatingIfNeeded: number).bigEndian
        return copy
    }

    /// Lends the twelve bytes to C.
    public func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeBytes(of: words) { bytes in
            guard let base = bytes.baseAddress else { preconditionFailure("twelve bytes have an address") }
            return unsafe body(base.assumingMemoryBound(to: UInt8.self))
        }
    }
}
