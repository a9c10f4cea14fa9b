import Foundation

/// A fact whose type a layer above knows, kept as JSON behind the version of its form. A text of another version counts
/// as no value.
package struct FactCode: FactValue, Equatable {
    /// The version of the form, and a space.
    private static let prefix = "1 "

    /// The text that the local store keeps.
    package let factText: String

    /// Encodes a value.
    package init(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        factText = Self.prefix + String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// nil for another version.
    package init?(factText: String) {
        guard factText.hasPrefix(Self.prefix) else { return nil }
        self.factText = factText
    }

    /// The value; nil if the text is none of this type.
    package func value<Value: Decodable>(as type: Value.Type = Value.self) -> Value? {
        try? JSONDecoder().decode(type, from: Data(factText.utf8.dropFirst(Self.prefix.utf8.count)))
    }
}
