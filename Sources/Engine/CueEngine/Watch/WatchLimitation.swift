/// The reasons why a watcher does not hear of every change.
package enum WatchLimitation: String, Sendable, Codable {
    /// The system has no way to tell of changes.
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
    /// Folders came, with content that no event named.
    case newFolders
    /// The system dropped events.
    case lostEvents
    /// The machine slept.
    case slept
}
