package import CueBase
package import CueCrypto
package import CueLibrary

extension StateFolder {
    /// What this device remembers of a vault's keys; nil if there is nothing that this version reads.
    package func keyRing(of vault: VaultID) throws -> KeyRing? {
        try key(of: vault).flatMap { KeyRing($0, vault: vault) }
    }

    /// Remembers the keys of a vault, and keeps those that it knew before: what they sealed stays readable here.
    ///
    /// `acceptOlder`: goes on with the ring's current epoch, even if this device knew one that the ring does not have.
    package func remember(_ ring: KeyRing, acceptOlder: Bool = false) throws {
        let old = try keyRing(of: ring.key.vault)
        var ring = ring
        if let old {
            let isOlder = ring.key[old.key.current.id] == nil && !acceptOlder
            ring.key = ring.key.adding(old.key.all, current: isOlder ? old.key.current.id : nil)
        }
        let bytes = ring.encoded()
        // Each backup comes here: write only what changed.
        if let old, old.encoded() == bytes { return }
        try remember(bytes, of: ring.key.vault)
    }
}
