package import CueStorage
package import CueVault

/// The reasons why an exchange of events is not complete.
package enum EventTrouble: Sendable, Hashable {
    /// A batch cannot be read. Each exchange tries it again.
    case batch(VaultError)
    /// The store refuses the whole exchange.
    case store(StorageError)
}
