package import CueSodium
package import CueSystem
package import CueVault

/// What work on a library and its vault is done with.
package struct EngineContext: Sendable {
    /// The folder, and what this device remembers of it.
    package let library: OpenLibrary
    /// The vault of the library, or a copy of it.
    package let vault: Vault
    /// Hears how far the work is.
    package let reporter: any Reporter

    /// Takes clock, random numbers and cancellation from the library.
    package init(_ library: OpenLibrary, _ vault: Vault, reporter: any Reporter = SilentReporter()) {
        (self.library, self.vault, self.reporter) = (library, vault, reporter)
    }

    /// The time by which the work goes.
    package var clock: Clock { library.surroundings.clock }
    /// Makes ids and temporary names.
    package var randomness: RandomSource { library.surroundings.randomness }
    /// Stops the work before its end.
    package var cancellation: Cancellation { library.surroundings.cancellation }
    /// The same for work that needs the vault alone.
    package var ofVault: VaultContext {
        VaultContext(vault, reporter: reporter, surroundings: library.surroundings)
    }
}

/// What work on a vault is done with that any device may do: one without a library, or beside it.
package struct VaultContext: Sendable {
    /// The vault, or a copy of it.
    package let vault: Vault
    /// Hears how far the work is.
    package let reporter: any Reporter
    /// Time, random numbers and cancellation.
    package let surroundings: Surroundings

    /// Memberwise.
    package init(_ vault: Vault, reporter: any Reporter = SilentReporter(), surroundings: Surroundings = .system) {
        (self.vault, self.reporter, self.surroundings) = (vault, reporter, surroundings)
    }
}
