extension RelativePath: Codable {
    /// Reads the bytes, and checks them as those of a vault.
    public init(from decoder: any Decoder) throws { try self.init(checking: [UInt8](from: decoder)) }

    /// Writes the bytes as numbers: a text could not hold all names.
    public func encode(to encoder: any Encoder) throws { try bytes.encode(to: encoder) }
}
