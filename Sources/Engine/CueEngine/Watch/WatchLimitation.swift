/// The reasons why a watcher is not told of every change.
package enum WatchLimitation: String, Sendable, Codable {
    /// The system does not report changes.
    case noEvents
    /// The system watches no more folders.
    case noMoreFolders
}

/// The reasons why a watcher looks at everything.
package enum RescanReason: String, Sendable, Codable {
    /// The library's folder was moved or replaced.
    case folderReplaced
    /// `.cue/library.toml` changed.
    case settingsChanged
    /// There are new folders, with content of which no event came.
    case newFolders
    /// The system dropped events.
    case lostEvents
    /// The machine slept.
    case slept
}
