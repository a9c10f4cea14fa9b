/// Buffers that one owner uses repeatedly.
extension [UInt8] {
    /// Grows the array to at least `count` bytes; growing discards the content.
    public mutating func makeRoom(for count: Int) {
        if self.count < count { self = [UInt8](repeating: 0, count: count) }
    }

    /// Moves the array out and leaves it empty: the new owner is the only one and writes without a copy.
    public mutating func taken() -> [UInt8] {
        defer { self = [] }
        return self
    }
}
