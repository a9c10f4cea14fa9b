import CueBase

/// Random UUIDs (RFC 9562, version 4) in lower case, as databases return them.
package enum UUIDText {
    /// Makes a new one of 36 characters.
    package static func random(using generator: inout some RandomNumberGenerator) -> String {
        let id = ID16(
            high: generator.next() & ~0xf000 | 0x4000, low: generator.next() & ~(0b11 << 62) | 0b10 << 62)
        let digits = Array(id.description)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
