import CueBase

/// Random UUIDs (RFC 9562, version 4) in lower case, as databases return them.
package enum UUIDText {
    /// Makes a new one of 36 characters.
    package static func random(using generator: inout some RandomNumberGenerator) -> String {
        ID16.random(using: &generator).asUUID(version: 4).uuidText
    }
}
