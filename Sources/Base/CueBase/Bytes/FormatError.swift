/// The ways in which bytes break the rules of docs/format.md.
public enum FormatError: Error, Hashable, Sendable, Codable {
    /// The structure ends before its content does.
    case truncated
    /// A number or a length that the format does not allow.
    case outOfRange
    /// Bytes are left over at the end.
    case trailing
    /// A rule of the format is broken.
    case invalid(FormatFlaw)
}
