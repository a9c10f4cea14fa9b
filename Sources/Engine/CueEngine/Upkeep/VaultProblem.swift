package import CueBase
package import CueStorage
package import CueVault

/// A problem of a vault.
///
/// The local store keeps the first one that a check found: a changed case needs another version of `FactCode`.
package enum VaultProblem: Sendable, Hashable, Codable {
    /// A part of the history cannot be read or is not there.
    case gap(HistoryGap)
    /// An object is damaged, cut or missing.
    case damage(VaultError)
    /// A key slot is not as it should be.
    case keySlot(KeyTrouble)
    /// The vault has no key slot.
    case noKeySlot
    /// The store does not list the key slots.
    case keysUnlisted(StorageError)
    /// The record of a pack, in this commit, does not match the pack.
    case falseRecord(PackID, LogPosition)
    /// A pack does not hold what a commit of another device says.
    case falseClaim(VaultError)
    /// Another batch of events names this one, which is not there.
    case batchMissing(LogPosition)
    /// A version of a document is flawed.
    case version(VersionID, VersionFlaw)
    /// A commit says that another was something else than it is.
    case contradiction(Contradiction)
    /// The object of a commit is damaged, and a run holds it: nothing is lost.
    case heldByRun(RunFinding)
    /// A run holds another commit under a position than its own object.
    case otherForm(RunFinding)
    /// Content is stored, and no commit names it.
    case noCommit
    /// This many packs that the device knew are gone or cut.
    case packsGone(Int)
    /// This many commits that the device has seen are gone.
    case commitsGone(Int)
    /// This many batches of events that the device has seen are gone or cut.
    case batchesGone(Int)
    /// A version of a document cannot be restored whole.
    case document(DamagedDocument)

    /// The problem behind an error.
    init(_ error: VaultError) {
        if case .wentBack(let missing) = error { self = .commitsGone(missing) } else { self = .damage(error) }
    }

    /// Whether a sync service that has not brought everything yet would look the same.
    package var mayBeOnItsWay: Bool {
        switch self {
        case .gap(.missing), .damage(.missing), .damage(.cut), .damage(.keysWentBack), .batchMissing,
            .version(_, .missingParent),
            .version(_, .unplacedContent), .noCommit, .packsGone, .commitsGone, .batchesGone, .document:
            true
        case .gap(.checkpoint(.incomplete)): true
        case .gap, .damage, .keySlot, .noKeySlot, .keysUnlisted, .falseRecord, .falseClaim, .version,
            .contradiction, .heldByRun, .otherForm:
            false
        }
    }

    var isPacksGone: Bool { if case .packsGone = self { true } else { false } }
    var isFalseClaim: Bool { if case .falseClaim = self { true } else { false } }
    var isCommitsGone: Bool { if case .commitsGone = self { true } else { false } }
}

/// The ways in which a version of a document is flawed.
package enum VersionFlaw: Sendable, Hashable, Codable {
    /// It names a parent that counts for nothing.
    case strayParent(StrayParent)
    /// It names a parent that is not there.
    case missingParent
    /// A piece of its content is in no pack.
    case unplacedContent
    /// The pieces of a file do not add up to its size.
    case pieceSum
}

/// A version of a document that cannot be restored whole.
package struct DamagedDocument: Sendable, Hashable, Codable {
    /// The path of the document in that version.
    package let path: RelativePath
    /// The damaged version.
    package let version: VersionID
}
