/// The rules of docs/format.md that an object can break.
public enum FormatFlaw: String, Hashable, Sendable, Codable, CaseIterable {
    // Paths

    /// A path is longer than `Limits.path`.
    case pathTooLong
    /// A component of a path is empty, too long, `.` or `..`, or has a zero byte.
    case impossibleComponent

    // Frames and records

    /// A record does not fit into a frame.
    case recordTooLarge
    /// There is no memory for a decompressor.
    case noMemoryToDecompress
    /// A frame has a codec of a later version.
    case unknownFrameCodec
    /// A stored frame has another length than its header claims.
    case frameLength
    /// A compressed frame does not decompress.
    case undecodableFrame
    /// The object decodes to far more than its size explains.
    case overBudget
    /// A batch of events holds a record of another kind.
    case misplacedRecord

    // Commits and checkpoints

    /// A commit does not begin with its own record.
    case commitWithoutHead
    /// A commit names another predecessor than its place does.
    case commitOutOfOrder
    /// A commit has flags of a later version.
    case unknownCommitFlags
    /// A commit has no record.
    case emptyCommit
    /// A commit holds a record of another kind.
    case misplacedInCommit
    /// A checkpoint does not begin with its own record.
    case checkpointWithoutHead
    /// A checkpoint holds a version that is a delta.
    case dependentVersion
    /// A checkpoint has no record.
    case emptyCheckpoint
    /// A checkpoint holds a record of another kind.
    case misplacedInCheckpoint
    /// A checkpoint holds one version twice.
    case repeatedVersion
    /// A checkpoint keeps a record of a commit twice.
    case repeatedNote
    /// A version refers to another object than the one that holds it.
    case foreignVersions
    /// No object that was read holds the version.
    case homelessVersion
    /// A time lies outside of `Timestamp.years`.
    case impossibleTime

    // Signatures and chains

    /// An object carries no signature.
    case unsigned
    /// A signature does not hold for what it signs.
    case falselySigned
    /// A device signed it that is not the one of its name.
    case signedByAnother
    /// Something stands behind the signature.
    case behindSignature
    /// A record about other records, or of a project's settings, says what cannot be.
    case impossibleNote
    /// A run says other than its name or its commits.
    case impossibleRun

    // Packs

    /// An object names one pack twice.
    case repeatedPack
    /// A pack has no block.
    case emptyPack
    /// A pack has the id of a commit's inline blocks.
    case inlinePackID
    /// The inline blocks of a commit are not as long as its record says.
    case inlineLength
    /// A delta has no base, too many, or one twice.
    case impossibleBases
    /// A block has a codec of a later version.
    case unknownBlockCodec
    /// A stored block has another length than its content.
    case blockLength
    /// The lengths of the chunks are not the length of their block.
    case blockSum

    // Versions

    /// A version has flags of a later version of the format.
    case unknownVersionFlags
    /// A document has a path in `.cue`.
    case reservedPath
    /// A document has a kind of a later version.
    case unknownDocumentKind
    /// A delta names no parent.
    case baselessDelta
    /// The root is a document.
    case libraryNoFolder

    // Members

    /// A document has other members than its kind allows.
    case unfittingMembers
    /// Two members have one name.
    case repeatedMember
    /// The member at the root of a bundle is no folder.
    case bundleNoFolder
    /// A bundle has no member at its root.
    case bundleWithoutFolder
    /// The folder of a member is no member.
    case strayMember
    /// A delta removes a member that its parent does not have.
    case removesNothing
    /// A symbolic link has no target.
    case emptyLink
    /// A member has a kind of a later version.
    case unknownMemberKind
    /// Extended attributes are not sorted by name.
    case unsortedAttributes

    // Batches of events

    /// A batch has no head.
    case emptyBatch
    /// A batch names another predecessor than its place does.
    case batchOutOfOrder
}
