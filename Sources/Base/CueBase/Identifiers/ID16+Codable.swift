extension ID16: Codable {
    /// Reads the 32 digits.
    public init(from decoder: any Decoder) throws {
        guard let id = ID16(try String(from: decoder)) else { throw FormatError.outOfRange }
        self = id
    }

    /// Writes the 32 digits.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension CommitID: Codable {
    /// Reads the 16 digits.
    public init(from decoder: any Decoder) throws {
        guard let id = CommitID(try String(from: decoder)) else { throw FormatError.outOfRange }
        self = id
    }

    /// Writes the 16 digits.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension VersionID: Codable {
    /// Reads the form of `description`.
    public init(from decoder: any Decoder) throws {
        guard let id = VersionID(try String(from: decoder)) else { throw FormatError.outOfRange }
        self = id
    }

    /// Writes `description`.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
