package import CueBase
package import CueSystem

/// Why a command of the engine did not do what was asked.
package enum EngineError: Error, Sendable {
    case vaultInsideLibrary
    case libraryInsideVault
    /// The state folder is inside the library: it would be backed up while it changes.
    case stateInsideLibrary(String)
    /// Key slots without `vault.json`: a folder that is still syncing, or an `init` that was killed.
    case unfinishedVault
    /// A vault was made, and its recovery code shown; only the folder could not be tied to it.
    case notTied(any Error)
    /// The library names another place for its vault than this device knows.
    case vaultMoved(from: String, to: String, library: String)
    case remoteNotSupported(String)
    /// An address of a kind that is unknown, or no text.
    case noPlace(String)
    case emptyPassphrase
    case alreadyLibrary(vault: String)
    /// The folder is tied to this vault, and it is not there.
    case vaultAway(String)
    /// No project of that name; with near ones.
    case unknownName(String, near: [String])
    case ambiguousName(String, candidates: [String])
    /// No project of that name is there any more; `at`: when its deletion was stored.
    case deletedName(String, at: Timestamp)
    /// A file of it alone cannot come into the folder.
    case bundleNotHere(String)
    case unknownVersion(String)
    /// A version, but of another document than the named one.
    case notAVersion(String, of: String)
    case noSuchMember(String, of: String)
    case notAFile(String)
    case unreadableTime(String)
    case nothingAt(String)
    /// Restoring would replace work that no snapshot holds.
    case wouldOverwrite([String])
    case targetIsVault
    case emptyVault
    /// This device has none of a conflict's versions.
    case notHere(String, versions: [String])
    /// More than one other version to choose from.
    case manyOthers(String, versions: [String])
    case noConflict(String)
    case nothingToUndo(String)
    case onlyOneVersion(String)
    /// Another process watches this library.
    case alreadyWatched(Int32?)
    /// A folder and a vault that have nothing in common.
    case otherLibrary(here: Int, there: Int)
    /// What was written to the folder may not outlast a power cut.
    case notDurable(SystemError)
    /// What a sync or restore that was cut off left cannot be tidied up.
    case leftUntidy
    /// The log has something later than now about what an event would change, by more than a day.
    case clockBehind(Timestamp, now: Timestamp)
    /// A document that a snapshot does not have.
    case notThereAt(String, String)
}
