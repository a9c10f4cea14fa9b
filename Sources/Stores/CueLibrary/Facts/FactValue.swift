package import CueBase
package import CueSodium
package import CueStorage

/// A type of fact, stored as text.
package protocol FactValue: Sendable {
    /// nil for a text that stands for no value.
    init?(factText: String)
    /// The text that `init(factText:)` reads.
    var factText: String { get }
}

/// The text itself.
extension String: FactValue {
    /// nil for the empty text: older stores hold it in place of a removed fact.
    package init?(factText: String) {
        guard !factText.isEmpty else { return nil }
        self = factText
    }
    /// The text itself.
    package var factText: String { self }
}

extension Bool: FactValue {
    /// nil for any text but `yes` and `no`.
    package init?(factText: String) {
        switch factText {
        case "yes": self = true
        case "no": self = false
        default: return nil
        }
    }
    /// `yes` or `no`.
    package var factText: String { self ? "yes" : "no" }
}

extension Int: FactValue {
    /// nil unless it is a decimal number that fits.
    package init?(factText: String) { self.init(factText) }
    /// Decimal digits.
    package var factText: String { String(self) }
}

extension UInt64: FactValue {
    /// nil unless it is a decimal number that fits.
    package init?(factText: String) { self.init(factText) }
    /// Decimal digits.
    package var factText: String { String(self) }
}

/// The bytes as lower-case hexadecimal digits. The text cannot be wiped.
extension SecretBytes: FactValue {
    /// nil unless it is 32 bytes.
    package convenience init?(factText: String) {
        guard let bytes = ID32(factText) else { return nil }
        var writer = ByteWriter(capacity: 32)
        writer.id(bytes)
        defer { wipe(&writer.bytes) }
        self.init(copying: writer.bytes.span)
    }
    /// Two digits for each byte.
    package var factText: String {
        withBytes { bytes in
            var text = ""
            for i in 0..<bytes.count {
                let digits = String(bytes[i], radix: 16)
                text += digits.count < 2 ? "0\(digits)" : digits
            }
            return text
        }
    }
}

extension ID32: FactValue {
    /// nil unless it is 64 lower-case hexadecimal digits.
    package init?(factText: String) { self.init(factText) }
    /// The digits.
    package var factText: String { description }
}

/// In Unix milliseconds.
extension Timestamp: FactValue {
    /// nil unless it is a decimal number that fits.
    package init?(factText: String) {
        guard let milliseconds = Int64(factText) else { return nil }
        self.init(milliseconds: milliseconds)
    }
    /// Decimal digits.
    package var factText: String { String(milliseconds) }
}

/// One line for each text; a text has no line breaks.
extension Array: FactValue where Element == String {
    /// Never nil. Empty lines are dropped.
    package init?(factText: String) { self = factText.split(separator: "\n").map(String.init) }
    /// The texts, with line feeds between them.
    package var factText: String { joined(separator: "\n") }
}

extension ID16: FactValue {
    /// nil unless it is 32 hexadecimal digits.
    package init?(factText: String) { self.init(factText) }
    /// 32 hexadecimal digits.
    package var factText: String { description }
}

extension CommitID: FactValue {
    /// nil unless it is 16 hexadecimal digits.
    package init?(factText: String) { self.init(factText) }
    /// 16 hexadecimal digits.
    package var factText: String { description }
}

extension ObjectName: FactValue {
    /// nil unless it is a valid name of an object.
    package init?(factText: String) { self.init(listed: factText) }
    /// The name with its folders, such as `keys/…`.
    package var factText: String { text }
}

/// Device, generation and commit, separated by spaces.
extension LogPosition: FactValue {
    /// nil unless it has these three parts.
    package init?(factText: String) {
        let parts = factText.split(separator: " ")
        guard parts.count == 3, let device = DeviceID(parts[0]), let generation = UInt64(parts[1]),
            let commit = CommitID(parts[2])
        else { return nil }
        self.init(device: device, generation: generation, commit: commit)
    }
    /// Such as `<32 digits> 12 <16 digits>`.
    package var factText: String { "\(device) \(generation) \(commit)" }
}

extension LogCursor: FactValue {
    /// nil unless it is hexadecimal digits.
    package init?(factText: String) {
        guard let bytes = Hexadecimal.bytes(factText) else { return nil }
        self.init(bytes)
    }
    /// Two hexadecimal digits for each byte.
    package var factText: String { Hexadecimal.text(bytes) }
}
