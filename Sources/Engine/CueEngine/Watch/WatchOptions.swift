/// The settings of a watcher.
package struct WatchOptions: Sendable {
    /// The seconds that a document must be left alone before it is saved.
    package var debounce = 30.0
    /// The seconds that a document waits at most while a person goes on writing.
    package var limit = 300.0
    /// The seconds between two looks at the vault.
    package var poll = 60.0
    /// The seconds between two looks at everything.
    package var rescan = 600.0
    /// The days within which all of the vault is read back; 0 for never.
    package var verifyDays = 30
    /// The seconds that the last save may take after a signal.
    package var flush = 20.0

    /// The settings of a library that sets none.
    package init() {}
}
