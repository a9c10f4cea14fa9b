public import CueBase
public import CueCrypto

/// The ways in which a part of a vault is damaged.
public enum VaultDamage: Sendable, Hashable, Codable {
    /// The sealed object does not open.
    case seal(SealError)
    /// The object opens, and its content breaks a rule of the format.
    case format(FormatError)
    /// The store returns fewer bytes than it lists.
    case cutShort
    /// The user may not read the object.
    case noPermission
    /// The store does not return the object, for another reason.
    case unreadable
    /// The object has this size in bytes, and commits name the wanted one.
    case size(Int, wanted: Int)
    /// Another object, named here, bears the same commit id; neither counts.
    case twin(of: String)
    /// The run holds a commit that another run, named here, holds with other content; neither counts.
    case otherForm(of: String)
    /// The object opens to far more than its size explains, and together with others to more than a reader takes
    /// (docs/format.md §10).
    case overBudgetTogether
    /// The chain of deltas is too long, or does not end at a whole version of the same project.
    case leadsNowhere
    /// `vault.json` is not in the form that cue writes.
    case foreignHeader
    /// The object changed between writing it and reading it back, while the vault was made.
    case changedWhileMade
    /// The key slot does not read back as it was written.
    case notAsWritten
    /// A chunk lies outside of its block, or has another length than expected.
    case chunkOutsideBlock
    /// The bytes at the place of a chunk do not have its id.
    case otherChunk
    /// The pack ends before a block that commits place in it.
    case shorterThanNamed
    /// A block does not decompress.
    case undecodableBlock
    /// A block is a difference from chunks that are not stored in full, or too long.
    case impossibleBase
    /// The footer of a pack differs from its record in the commits.
    case otherFooter
    /// The chunks of a file do not add up to its size.
    case pieceSum
}
