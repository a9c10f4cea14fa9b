package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage

/// An open vault: its store and its key.
package final class Vault: Sendable {
    package static let format = 1

    package let store: any ObjectStore
    package let key: VaultKey
    package var id: VaultID { key.vault }
    /// The key slots that this process made, or opened with what a person gave: these bytes are known to be whole.
    package let opened: [ObjectName: [UInt8]]

    package init(store: any ObjectStore, key: VaultKey, opened: [ObjectName: [UInt8]] = [:]) {
        (self.store, self.key, self.opened) = (store, key, opened)
    }

    package var log: ObjectRecordLog { ObjectRecordLog(on: store) }

    func context(_ kind: SealContext.Kind, _ name: ObjectName) -> SealContext {
        SealContext(vault: id, kind: kind, name: Array(name.text.utf8))
    }

    func newPack() -> (PackID, ObjectName) {
        var generator = SodiumGenerator()
        let id = PackID.random(using: &generator)
        return (id, PackRecord.name(of: id))
    }

    /// A random id for a commit; zero stands for "none" and is never one.
    package static func newCommitID() -> CommitID {
        var generator = SodiumGenerator()
        return CommitID(max(1, generator.next()))
    }

    /// The packs that are there, with their sizes in bytes.
    package func packSizes() throws -> [PackID: Int] {
        Dictionary(
            try store.list("packs").compactMap { entry in PackRecord.id(of: entry.name).map { ($0, entry.size) } },
            uniquingKeysWith: { size, _ in size })
    }
}
