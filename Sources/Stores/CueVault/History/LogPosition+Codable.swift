import CueBase
package import CueStorage

extension ObjectName: Codable {
    /// Reads the text of a name. Throws `FormatError.outOfRange` if it is not one of an object.
    package init(from decoder: any Decoder) throws {
        guard let name = ObjectName(listed: try String(from: decoder)) else { throw FormatError.outOfRange }
        self = name
    }

    /// Writes the whole name.
    package func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

extension LogPosition: Codable {
    private enum Key: String, CodingKey { case device, generation, commit }

    /// Reads device, generation and commit.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            device: try values.decode(DeviceID.self, forKey: .device),
            generation: try values.decode(UInt64.self, forKey: .generation),
            commit: try values.decode(CommitID.self, forKey: .commit))
    }

    /// Writes device, generation and commit.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(device, forKey: .device)
        try values.encode(generation, forKey: .generation)
        try values.encode(commit, forKey: .commit)
    }
}
