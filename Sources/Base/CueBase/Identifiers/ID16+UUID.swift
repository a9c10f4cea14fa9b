extension ID16 {
    /// The form of a UUID (RFC 9562): 36 characters in lower case, with hyphens. Sets no version.
    public var uuidText: String {
        let digits = Array(description)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// The same bytes as a UUID of this version, 0 to 15, and of the variant that RFC 9562 describes.
    public func asUUID(version: UInt64) -> ID16 {
        ID16(high: high & ~0xf000 | (version & 0xf) << 12, low: low & ~(0b11 << 62) | 0b10 << 62)
    }
}
