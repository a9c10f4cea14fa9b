import CueStorage
import CueVault

/// Reads the history of a library's vault for one run. Once all commits were read, only those that came since are read.
struct HistoryLoader {
    private let library: OpenLibrary
    private let vault: Vault
    private var full: FullHistory?

    init(_ context: EngineContext) { (library, vault) = (context.library, context.vault) }

    /// The newest state, with the past where that is known already. Throws `StorageError`.
    mutating func newest() throws -> History {
        if var known = full {
            // Let go of it, so that it is extended in place.
            full = nil
            if try known.follow(try vault.commits(), of: vault) {
                full = known
                return known.history
            }
        }
        let newest = try library.newest(of: vault)
        full = FullHistory(newest)
        return newest
    }

    /// The history with its past, as of the last `newest()`, or as of now. Throws `StorageError`.
    mutating func past() throws -> FullHistory {
        if let full { return full }
        let past = try FullHistory.load(vault)
        full = past
        return past
    }
}
