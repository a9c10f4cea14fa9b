/// What can be wrong with a library or its state folder.
public enum LibraryError: Error, Sendable, Equatable {
    case notALibrary(String)
    case folderMissing(String)
    /// `.cue/library.toml` says something that is not understood; says where.
    case markerInvalid(String)
    /// The folder is known as a library, but this device has no memory of it.
    case noState(String)
    /// The marker is a copy of that of another folder.
    case copyOf(String)
    case stateUnusable(String)
    /// Another process works on the library.
    case busy
}
