package import CueSodium
package import CueSystem
package import CueVault

/// Everything that work on a library and its vault needs.
package struct EngineContext: Sendable {
    /// The folder, and what this device remembers of it.
    package let library: OpenLibrary
    /// The vault of the library, or a copy of it.
    package let vault: Vault
    /// Receives the progress of the work.
    package let reporter: any Reporter

    /// Takes clock, random numbers and cancellation from the library.
    package init(_ library: OpenLibrary, _ vault: Vault, reporter: any Reporter = SilentReporter()) {
        (self.library, self.vault, self.reporter) = (library, vault, reporter)
    }

    /// Gives the time of the work.
    package var clock: Clock { library.surroundings.clock }
    /// Makes ids and temporary names.
    package var randomness: RandomSource { library.surroundings.randomness }
    /// Stops the work before its end.
    package var cancellation: Cancellation { library.surroundings.cancellation }
    /// The context for work that needs only the vault.
    package var ofVault: VaultContext {
        VaultContext(vault, reporter: reporter, surroundings: library.surroundings)
    }
}

/// Everything that work on a vault needs where no library is involved.
package struct VaultContext: Sendable {
    /// The vault, or a copy of it.
    package let vault: Vault
    /// Receives the progress of the work.
    package let reporter: any Reporter
    /// Time, random numbers and cancellation.
    package let surroundings: Surroundings

    /// Memberwise.
    package init(_ vault: Vault, reporter: any Reporter = SilentReporter(), surroundings: Surroundings = .system) {
        (self.vault, self.reporter, self.surroundings) = (vault, reporter, surroundings)
    }
}
