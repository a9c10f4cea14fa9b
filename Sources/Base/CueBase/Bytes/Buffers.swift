/// Buffers that one owner uses repeatedly.
extension [UInt8] {
    /// Grows the array to at least `count` bytes; growing discards the content.
    ///
    /// It grows by up to an eighth more, so that a buffer for pieces of about one size soon has room for all of them.
    public mutating func makeRoom(for count: Int) {
        guard self.count < count else { return }
        let step = Swift.max(1, 1 << (Int.bitWidth - count.leadingZeroBitCount - 4))
        self = [UInt8](repeating: 0, count: (count + step - 1) / step * step)
    }

    /// Moves the array out and leaves it empty: the new owner is the only one and writes without a copy.
    public mutating func taken() -> [UInt8] {
        defer { self = [] }
        return self
    }

    /// Appends bytes that are lent.
    @inlinable
    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension MutableSpan<UInt8> {
    /// Fills the span with as many bytes, from `offset` on. There must be so many.
    public mutating func fill(from bytes: [UInt8], at offset: Int) {
        let range = offset..<offset + count
        unsafe withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes[range]) }
    }
}
