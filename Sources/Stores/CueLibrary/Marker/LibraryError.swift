public import CueEntitlements
public import CueSystem

/// An error of a library's marker, local store, state folder or plan folder.
public enum LibraryError: Error, Sendable, Equatable, Codable {
    /// The folder at this path has no marker.
    case notALibrary(String)
    /// No folder exists at this path.
    case folderMissing(String)
    /// A file stands at this path, where a folder is needed.
    case notAFolder(String)
    /// The folder at this path cannot be written, so it cannot get a marker.
    case folderNotWritable(String, SystemError)
    /// `.cue/library.toml` cannot be read, does not parse, or has a value that is not allowed.
    case markerInvalid(MarkerFlaw)
    /// `.cue` exists and is not a folder, or is a link.
    case markerBlocked
    /// The folder at this path has a marker, but this device has no local store for it.
    case noState(String)
    /// The marker is a copy: the library's own folder still stands at this path.
    case copyOf(String)
    /// The state folder or the local store cannot be used.
    case stateUnusable(StateFlaw)
    /// The state folder, or a folder in it, belongs to another user or is writable for others. Its content is not
    /// trusted.
    case stateOfOthers(String, StateOfOthers)
    /// What is stored of the plan does not parse.
    case planDamaged(PlanFlaw)
    /// A later cue stored the plan, in this format.
    case planNewer(Int64)
    /// The plan cannot be read or stored.
    case planUnusable(PlanTrouble)
    /// Another process works on the library, or kept its local store locked for ten seconds.
    case busy
}

/// Why a folder of cue's state is not this user's alone.
public enum StateOfOthers: Sendable, Equatable, Codable {
    /// Another user owns the folder.
    case owner
    /// Group or others may write to it; with its permission bits.
    case mode(UInt16)
    /// It is a symbolic link, or no folder.
    case link
}

/// The reasons why the state folder or a local store cannot be used.
public enum StateFlaw: Sendable, Equatable, Codable {
    /// No variable of the environment names a place for it.
    case noPlace
    /// The local store does not have the id of this device.
    case noDevice
    /// A later cue has changed the local store.
    case newer
    /// The local store holds what cue never writes, or is no database.
    case damaged
    /// An error of SQLite, with its code and text.
    case sqlite(Int32, String?)
}

/// The reasons why the plan cannot be read or stored.
public enum PlanTrouble: Sendable, Equatable, Codable {
    /// It is not there.
    case missing
    /// Another process kept it locked for ten seconds.
    case locked
    /// The file system refuses.
    case system(SystemError)
    /// Its local store cannot be used.
    case store(StateFlaw)
}
