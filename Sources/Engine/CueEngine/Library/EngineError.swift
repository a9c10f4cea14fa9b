package import CueBase
package import CueSystem
package import CueText

/// The reasons why the engine refuses or fails a command. Names and paths are as they are shown.
package enum EngineError: Error, Sendable, Equatable, Codable {
    /// The vault would be backed up into itself.
    case vaultInsideLibrary
    /// The library's folder lies in the vault.
    case libraryInsideVault
    /// The vault at the first place lacks what was stored at others while it was away or full, and none of these is
    /// there.
    case vaultBehind(String, others: [String])
    /// The folder at this path, which is to be a vault, lies in the vault at the other one.
    case vaultInsideVault(String, around: String)
    /// What is at this path, where a vault is to be, is no folder.
    case placeIsFile(String)
    /// The state folder, at this path, is inside the library: it would be backed up while it changes.
    case stateInsideLibrary(String)
    /// The place has key slots and no `vault.json`: a sync service is still bringing it, or an `init` was killed.
    case unfinishedVault
    /// The vault at this place is not the library's.
    case otherVault(String)
    /// The folder at this place is there, and the library's vault is not in it: its disk may not be mounted.
    case vaultNotInFolder(String)
    /// Another library stands at this path, where the one was that is watched.
    case libraryReplaced(String)
    /// The library's marker names another place for its vault than the one this device knows.
    case vaultMoved(from: String, to: String, library: String)
    /// The library keeps its vault at this place already.
    case placeTaken(String)
    /// The object of this name has another size at this further place than in the vault.
    case placeDiffers(String, place: String)
    /// Another vault stands at this place, where a copy of one was to be.
    case placeOfOtherVault(String)
    /// Vaults at addresses of this scheme are not supported.
    case remoteNotSupported(String)
    /// The text, which may be empty, names no kind of place that is known.
    case noPlace(String)
    /// A vault cannot be made with an empty passphrase.
    case emptyPassphrase
    /// The folder is tied to the vault at this place already.
    case alreadyLibrary(vault: String)
    /// The list of a document's files and their pieces is longer than a record can be.
    case listTooLong(String)
    /// The folder is tied to the vault at this place, which is not there now.
    case vaultAway(String)
    /// No project has this name; `near` are up to three similar ones.
    case unknownName(String, near: [String])
    /// Several projects fit this name.
    case ambiguousName(String, candidates: [String])
    /// The project of this name was deleted; `at`: when its deletion was stored.
    case deletedName(String, at: Timestamp)
    /// The bundle is not in the folder, and one restored file of it would look like the whole.
    case bundleNotHere(String)
    /// The name is that of a document, and a folder is needed.
    case notAFolder(String)
    /// Without a folder on this disk, a comparison needs two states.
    case nothingToCompare
    /// No version has this id.
    case unknownVersion(String)
    /// The content of the version with this id was given up, to save room.
    case versionGivenUp(String)
    /// The document has no more versions than these.
    case tooFewVersions(String, count: Int)
    /// No version of the named document has this id.
    case notAVersion(String, of: String)
    /// The document `of` has no file of this name.
    case noSuchMember(String, of: String)
    /// The name is that of a folder or a bundle, and a single file is needed.
    case notAFile(String)
    /// The name is that of a folder, and a document is needed.
    case isAFolder(String)
    /// The document in the folder cannot be read.
    case documentUnreadable(String, SystemError)
    /// The document has no text that cue reads.
    case noText(String, TextError?)
    /// The text is neither a snapshot nor a time.
    case unreadableTime(String)
    /// The vault has no snapshot as old as this. `first`: the time of its first one.
    case nothingAt(String, first: Timestamp?)
    /// The restore would replace these files, which no version holds as they are.
    case wouldOverwrite([String])
    /// Folders stand in the places of these documents, or documents in the places of these folders.
    case otherKindInTheWay([String])
    /// No restore into the library is remembered that could be undone.
    case noRestoreToUndo
    /// The folder to restore to is the vault, or lies in it.
    case targetIsVault
    /// The folder at this path is inside of a library, and none of its own.
    case insideLibrary(String, library: String)
    /// The vault holds no backup yet.
    case emptyVault
    /// This device has none of the versions in conflict; `versions` are those to choose from.
    case notHere(String, versions: [String])
    /// The conflict does not have exactly one other version; `versions` are those to choose from.
    case manyOthers(String, versions: [String])
    /// The document is in no conflict.
    case noConflict(String)
    /// No answer to a conflict of the document can be undone.
    case nothingToUndo(String)
    /// The document has one version only, and a comparison needs two.
    case onlyOneVersion(String)
    /// Another process watches this library; with its id, if that is known.
    case alreadyWatched(Int32?)
    /// The folder and the vault both have documents, this many, and not one name in common.
    case otherLibrary(here: Int, there: Int)
    /// The disk failed to make durable what was written to the folder: it may not outlast a power cut.
    case notDurable(SystemError)
    /// The rest of a sync or restore that was cut off cannot be tidied up: its folders cannot be written.
    case leftUntidy
    /// The log of events has an event, at this time, that is more than a day later than now and that the new event
    /// would change.
    case clockBehind(Timestamp, now: Timestamp)
    /// A document of this name has no version at the time or snapshot that the second text names.
    case notThereAt(String, String)
}
