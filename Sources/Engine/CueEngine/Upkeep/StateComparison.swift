package import CueBase
import CueCrypto
import CueVault

/// How the state that a person gave compares with that of a vault.
package enum StateComparison: Sendable, Equatable {
    /// Both are the same.
    case same
    /// A device had seen just this at one of its commits, at this time; the vault has so many commits more.
    case earlier(Timestamp, later: Int)
    /// No device showed it when it stored something.
    case never

    init(_ words: StateWords, with now: StateWords?, _ history: FullHistory, _ vault: VaultID) {
        if words == now {
            self = .same
        } else if let past = history.past(showing: words, of: vault) {
            self = .earlier(past.commit.record.time, later: past.later)
        } else {
            self = .never
        }
    }
}
