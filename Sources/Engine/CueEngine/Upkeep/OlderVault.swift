package import CueLibrary
import CueStorage
package import CueVault

/// A vault that lacks commits which this device has seen, and what the device remembers of that: it may be whole again.
package enum OlderVault {
    /// The number of commits that the library's device has seen and the vault does not have.
    package static func commitsLost(by vault: Vault, since library: OpenLibrary) throws -> Int {
        try library.store.read { try $0.seen() }.subtracting(try vault.commits().map(\.position)).count
    }

    /// The same for a vault of which only the place was named: what any library of this device with that vault has seen.
    package static func commitsLost(by vault: Vault, knownIn state: StateFolder) throws -> Int {
        let stores = state.libraryFolders().compactMap { try? LocalStore(in: $0) }
        let seen = stores.compactMap { store in
            try? store.read { try $0.value(.vault) == vault.id ? $0.seen() : [] }
        }.reduce(into: Set<LogPosition>()) { $0.formUnion($1) }
        return seen.isEmpty ? 0 : seen.subtracting(try vault.commits().map(\.position)).count
    }

    /// Whether the last run that read the vault, or the last check, found it older than what this device has seen.
    package static func isKnown(of library: OpenLibrary) -> Bool {
        (try? library.store.read { transaction in
            try [transaction.problem(.historyProblem), transaction.problem(.checkProblem)].contains {
                $0?.isOlder ?? false
            }
        }) ?? false
    }

    /// Forgets that if the vault has every commit and every key again that this device has seen. Throws `StorageError`,
    /// and `VaultError` where it is still older.
    package static func forget(ifCurrent vault: Vault, in library: OpenLibrary) throws {
        try vault.proveNewest(vault.readEpochs())
        guard try commitsLost(by: vault, since: library) == 0 else { return }
        try library.store.write { transaction in
            for fact in [Fact<FactCode>.historyProblem, .checkProblem]
            where try transaction.problem(fact)?.isOlder ?? false {
                try transaction.set(nil, as: fact)
            }
        }
    }
}

extension VaultProblem {
    /// Whether the vault lacks what this device has seen, and may have it again at any time.
    var isOlder: Bool {
        switch self {
        case .commitsGone, .damage(.keysWentBack): true
        default: false
        }
    }

    /// Whether another device shut out this one. No check of the vault ends that.
    var isDeviceShutOut: Bool { if case .damage(.deviceShutOut) = self { true } else { false } }
}
