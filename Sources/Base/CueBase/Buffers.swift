/// Buffers that are used again and again.
extension [UInt8] {
    /// Grows to at least `count` bytes; what was in it is lost then.
    public mutating func makeRoom(for count: Int) {
        if self.count < count { self = [UInt8](repeating: 0, count: count) }
    }

    /// Gives the buffer away, so that whoever gets it is its only owner and writes to it without a copy.
    public mutating func taken() -> [UInt8] {
        defer { self = [] }
        return self
    }
}
