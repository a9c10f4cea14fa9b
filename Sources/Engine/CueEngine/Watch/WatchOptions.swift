package struct WatchOptions: Sendable {
    /// Seconds that a document must be left alone.
    package var debounce = 30.0
    /// Seconds that it waits at most while a person goes on writing.
    package var limit = 300.0
    /// Seconds between two looks at what other devices stored.
    package var poll = 60.0
    /// Seconds between two looks at everything.
    package var rescan = 600.0
    /// In how many days all of the vault is read back; 0: never.
    package var verifyDays = 30
    /// Seconds that the last save may take after a signal.
    package var flush = 20.0

    package init() {}
}
