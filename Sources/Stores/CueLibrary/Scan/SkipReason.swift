package import CueBase
package import CueSystem
package import CueVault

/// The reasons why a scan, a backup, a restore or a sync leaves something out, or as it is.
///
/// The local store keeps those of the last sync: a changed case needs another version of `FactCode`.
package enum SkipReason: Sendable, Hashable, Codable {
    // MARK: The scan

    /// No vault stores such a thing.
    case special(SpecialFile)
    /// The name is longer than `Limits.name`.
    case nameTooLong
    /// The path is longer than `Limits.path`.
    case pathTooLong
    /// The folder cannot be listed.
    case folderUnreadable(SystemError)
    /// The `.cueignore` cannot be read.
    case rulesUnreadable(SystemError)

    // MARK: A backup

    /// The document, or a file of it, cannot be read.
    case unreadable(SystemError)
    /// The list of the document's files and their pieces is longer than a record can be.
    case listTooLong

    // MARK: A restore, and the writing part of a sync

    /// The vault does not give the content.
    case damaged(VaultError)
    /// The version was given up since, so its content may be gone.
    case givenUp(VersionID)
    /// A part of the history is not there.
    case gap(HistoryGap)
    /// A part of the content is not in the vault yet.
    case contentAwaited(VaultPart)
    /// A part of the content has arrived up to this size.
    case contentCut(VaultPart, size: Int, wanted: Int)
    /// The folder cannot be made.
    case folderNotMade(SystemError)
    /// The folder of a bundle cannot be made.
    case bundleNotMade(SystemError)
    /// The folder above cannot be opened.
    case folderNotOpened(SystemError)
    /// The file or link cannot be written.
    case notWritten(SystemError)
    /// It is written, and cannot get its name.
    case notPlaced(SystemError)
    /// It is there, without the extended attribute of this name.
    case attributeNotSet([UInt8], SystemError)
    /// The folder is there, without its mode and time.
    case modeNotSet(SystemError)
    /// It stays as it is, and what a person wrote meanwhile lies beside it under these names.
    case keptBeside([[UInt8]], SystemError)
    /// It is there; what it replaced was changed meanwhile, and lies beside it under this name.
    case replacedChanged(keptAs: [UInt8])
    /// It is there; what it replaced cannot be removed, and lies beside it under this name.
    case replacedStays(as: [UInt8], SystemError?)

    // MARK: A sync

    /// Another device writes to the vault as fast as this one.
    case vaultInUse
    /// The run has written as many lists of content as one run may.
    case leftForNextRun
    /// What a sync that was cut off left in the folder cannot be tidied up.
    case leftUntidy
    /// A part of the history of the document has not arrived.
    case historyAwaited
    /// A part of the history of the library folder has not arrived.
    case libraryHistoryAwaited
    /// A part of the vault has not arrived, or is damaged.
    case gapAwaited(HistoryGap)
    /// A folder that is gone elsewhere holds this ignored name, and so many others.
    case holdsIgnored([UInt8], more: Int)
    /// The document is open.
    case open(RemoteChange, by: DocumentHolder)
    /// The document is not as this device last stored it.
    case touched(RemoteChange)
    /// The document was touched during the sync, and what the sync began is taken back.
    case touchedMeanwhile(RemoteChange)
    /// The file system does not allow the change.
    case notAllowed(SystemError)
    /// The folder is gone elsewhere, and cannot be removed.
    case folderNotRemoved(SystemError)
    /// The vault has a document of another kind at the path.
    case otherKind
    /// Another name differs only in capital letters or accents, which the disk does not tell apart.
    case nameDiffersInCase
    /// Something else has the name.
    case nameTaken
    /// Something else has the new name of the document.
    case newNameTaken
    /// The vault has lost its content, and this device could not store it again.
    case lastCopy(RemoteChange)
    /// A document stands where another device has a folder.
    case documentAbove(RelativePath)
}

/// The ways in which another device changed a document.
package enum RemoteChange: String, Sendable, Hashable, Codable {
    case deleted, renamed, changed
}
