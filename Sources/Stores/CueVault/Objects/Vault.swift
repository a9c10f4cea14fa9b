package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage

/// The places of a vault's sealed bytes: its objects and its two logs.
package struct VaultStorage: Sendable {
    /// Key slots, packs, checkpoints and `vault.json`.
    package let objects: any ObjectStore
    /// The commits, with the versions of documents.
    package let log: any RecordLog
    /// The batches of events.
    package let eventLog: any RecordLog

    /// Storage whose logs may lie elsewhere than the objects.
    package init(objects: any ObjectStore, log: any RecordLog, eventLog: any RecordLog) {
        (self.objects, self.log, self.eventLog) = (objects, log, eventLog)
    }

    /// One store for everything: each record is an object of it.
    package init(_ objects: any ObjectStore) {
        self.init(
            objects: objects, log: ObjectRecordLog(on: objects), eventLog: ObjectRecordLog(on: objects, of: .events))
    }
}

/// An open vault: its storage and its key. Threads may share it.
package final class Vault: Sendable {
    /// The version of the format that this program reads and writes (docs/format.md).
    package static let format = 1

    /// The places of the sealed bytes.
    package let storage: VaultStorage
    /// The vault key with its subkeys.
    package let key: VaultKey
    /// The id that every seal of this vault binds.
    package var id: VaultID { key.vault }
    /// The key slots that this process made, or opened with a secret, by name. These bytes are known to be whole.
    package let opened: [ObjectName: [UInt8]]
    /// The most bytes of blocks that a commit takes itself (docs/format.md §9).
    let inlineRoom: Int

    /// Takes a key without a check: a wrong one shows when the first object is opened.
    package init(
        _ storage: VaultStorage, key: VaultKey, opened: [ObjectName: [UInt8]] = [:], inlineRoom: Int = Limits.inline
    ) {
        (self.storage, self.key, self.opened, self.inlineRoom) = (storage, key, opened, inlineRoom)
    }

    /// The store of `storage`.
    package var objects: any ObjectStore { storage.objects }
    /// The log of commits of `storage`.
    package var log: any RecordLog { storage.log }
    /// The log of events of `storage`.
    package var eventLog: any RecordLog { storage.eventLog }

    /// A new random pack id, and the name of its object.
    func newPack() -> (PackID, ObjectName) {
        var generator = SodiumGenerator()
        let id = PackID.random(using: &generator)
        return (id, PackRecord.name(of: id))
    }

    /// Makes a random id for a commit or a batch of events; never `CommitID.none`.
    package static func newCommitID() -> CommitID {
        var generator = SodiumGenerator()
        return CommitID(max(1, generator.next()))
    }

    /// Lists the packs and the commits; `known` are the commits if they were listed a moment ago. Throws `StorageError`.
    package func presentPacks(_ known: [LogEntry]? = nil) throws -> PresentPacks {
        PresentPacks(
            sizes: Dictionary(
                try objects.list("packs").compactMap { entry in
                    PackRecord.id(of: entry.name).map { ($0, entry.size) }
                },
                uniquingKeysWith: { size, _ in size }), commits: try known ?? log.all())
    }
}
