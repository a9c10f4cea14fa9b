public import CueBase

/// The rules of docs/entitlements.md that a plan or key file can break.
public enum PlanFlaw: Hashable, Sendable, Codable {
    /// The part of a file that an object is.
    public enum Part: Hashable, Sendable, Codable {
        /// The whole file.
        case file
        case keyFile
        /// The signed snapshot in a file.
        case snapshot
        /// The memory of this device.
        case memory
        /// A note of a snapshot that was accepted before.
        case acceptedSnapshot
    }

    /// The file has more bytes than this.
    case tooLong(Int)
    /// The file is not JSON; with the offset of the first flaw in bytes.
    case notJSON(JSONFlaw, at: Int)
    /// The file is in another spelling than that of RFC 8785.
    case notCanonical
    /// A part is no object.
    case noObject(Part)
    /// A part has a key that format 1 does not know.
    case unknownKey(Part)
    /// A part lacks this key, or has another kind of value there.
    case wrongValue(Part, key: String)
    /// Times lie before 1970.
    case beforeEpoch
    /// The end is not after the start.
    case endsBeforeStart
    /// `ttlSeconds` is outside of `EntitlementsSnapshot.ttls`.
    case ttl
    /// The account is empty, too long, or has control characters.
    case account
    /// There are more than 256 features.
    case tooManyFeatures
    /// The key has not 32 bytes.
    case keyLength
}
