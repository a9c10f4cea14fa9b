public import CueBase
public import CueCrypto

/// The ways in which a part of a vault is damaged.
public enum VaultDamage: Sendable, Hashable, Codable {
    /// The sealed object does not open.
    case seal(SealError)
    /// The object opens, and its content breaks a rule of the format.
    case format(FormatError)
    /// The store has fewer bytes than it claims.
    case cutShort
    /// The store refuses to read the object.
    case noPermission
    /// The store does not give the object for another reason.
    case unreadable
    /// The object has this size, and should have the wanted one.
    case size(Int, wanted: Int)
    /// Another object, named here, bears the same commit id; neither counts.
    case twin(of: String)
    /// Together with others it decodes to far more than their sizes explain.
    case overBudgetTogether
    /// The chain of deltas does not end at a whole version.
    case leadsNowhere
    /// `vault.json` is not in the form that cue writes.
    case foreignHeader
    /// The object changed between writing it and reading it back, while the vault was made.
    case changedWhileMade
    /// The object does not read back as it was written.
    case notAsWritten
    /// A chunk lies outside of its block.
    case chunkOutsideBlock
    /// A chunk has another id than the one that names it.
    case otherChunk
    /// The pack ends before a block that commits place in it.
    case shorterThanNamed
    /// A block does not decompress.
    case undecodableBlock
    /// The footer of a pack differs from its record in the commits.
    case otherFooter
    /// The pieces of a file do not add up to its size.
    case pieceSum
}
