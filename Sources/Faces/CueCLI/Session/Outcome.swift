/// The exit code of a command. The codes are a promise: docs/json.md and the manual list them.
enum Outcome: Int32 {
    /// Everything was done.
    case done = 0
    /// The command could not do its work.
    case failed = 1
    /// The command line is wrong.
    case usage = 2
    /// A part was not done; it is named.
    case incomplete = 3
    /// A conflict waits for a choice.
    case conflict = 4
    /// The passphrase or recovery code is wrong or missing.
    case wrongSecret = 5
    /// The vault is damaged.
    case damaged = 6
    /// The vault cannot be reached.
    case unreachable = 7
    /// Ended by Ctrl-C or SIGTERM.
    case interrupted = 130
}
