/// What can be wrong with a library or its state folder.
public enum LibraryError: Error, Sendable, Equatable {
    case notALibrary(String)
    case folderMissing(String)
    /// `.cue/library.toml` says something that is not understood; says where.
    case markerInvalid(String)
    /// Something that is no folder has the name `.cue`.
    case markerBlocked
    /// The folder is known as a library, but this device has no memory of it.
    case noState(String)
    /// The marker is a copy of that of another folder.
    case copyOf(String)
    case stateUnusable(String)
    /// Other users may write in the state folder, or in one of its folders, or it is theirs; what they put there is not trusted.
    case stateOfOthers(String, StateOfOthers)
    /// What the device keeps of its plan makes no sense; says why.
    case planDamaged(String)
    /// A later cue wrote it, in this format.
    case planNewer(Int64)
    /// It cannot be read or written; says why.
    case planUnusable(String)
    /// Another process works on the library.
    case busy
}

/// Why a folder with cue's memory is not this user's alone.
public enum StateOfOthers: Sendable, Equatable {
    case owner
    case mode(UInt16)
    case link
}
