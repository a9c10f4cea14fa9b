import CueBase
import CueLibrary
import CueVault

/// Which packs were read back, with what result.
extension LocalStore.Transaction {
    /// The number of packs that were never read back, as last noted. `cue status` needs no vault for it.
    func neverVerified() throws -> Int { try value(.neverVerified) ?? 0 }
    func setNeverVerified(_ count: Int) throws { try set(.neverVerified, to: count) }

    /// Adds packs that were just stored.
    func addNeverVerified(_ count: Int) throws { if count > 0 { try setNeverVerified(neverVerified() + count) } }

    /// Counts the packs of the vault that were never read back.
    func setNeverVerified(of packs: Set<PackID>) throws {
        let known = try foundRight()
        try setNeverVerified(packs.count { known[$0] == nil })
    }

    /// Notes packs as broken, by a reading in 1970: they come first in the next part, so that it does not report a
    /// whole vault because it read other packs.
    func addBroken(_ packs: [PackID]) throws { try addVerified(packs, at: 0) }

    /// The packs that were found broken, and not found right since.
    func brokenPacks() throws -> Set<PackID> { Set(try verified().lazy.filter { $0.value == 0 }.map(\.key)) }

    /// When each pack was last read back and found right, in Unix milliseconds.
    func foundRight() throws -> [PackID: Int64] { try verified().filter { $0.value > 0 } }

    /// The number of packs in `foundRight` that are objects. Inline blocks do not count as packs in what people see.
    func packsFoundRight() throws -> Int { try foundRight().keys.count { !$0.isInline } }

    /// The first problem of the vault that this device knows; nil if there is none.
    func vaultProblem() throws -> VaultProblem? {
        try problem(.historyProblem) ?? problem(.checkProblem) ?? problem(.vaultProblem) ?? problem(.keyProblem)
    }
}
