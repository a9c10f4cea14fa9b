import CueLibrary
package import CueVault

/// What this device remembers of a vault that went back in time, and that may be whole again.
package enum OlderVault {
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
        guard try Check.commitsLost(by: vault, since: library) == 0 else { return }
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
