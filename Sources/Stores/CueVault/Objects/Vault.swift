package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage

/// Where the sealed bytes of a vault are kept: its objects, and its two logs.
package struct VaultStorage: Sendable {
    package let objects: any ObjectStore
    /// Versions of documents.
    package let log: any RecordLog
    package let eventLog: any RecordLog

    package init(objects: any ObjectStore, log: any RecordLog, eventLog: any RecordLog) {
        (self.objects, self.log, self.eventLog) = (objects, log, eventLog)
    }

    /// One place for all: a record is an object too.
    package init(_ objects: any ObjectStore) {
        self.init(
            objects: objects, log: ObjectRecordLog(on: objects), eventLog: ObjectRecordLog(on: objects, of: .events))
    }
}

/// An open vault: where it is kept, and its key.
package final class Vault: Sendable {
    package static let format = 1

    package let storage: VaultStorage
    package let key: VaultKey
    package var id: VaultID { key.vault }
    /// The key slots that this process made, or opened with what a person gave: these bytes are known to be whole.
    package let opened: [ObjectName: [UInt8]]

    package init(_ storage: VaultStorage, key: VaultKey, opened: [ObjectName: [UInt8]] = [:]) {
        (self.storage, self.key, self.opened) = (storage, key, opened)
    }

    package var objects: any ObjectStore { storage.objects }
    package var log: any RecordLog { storage.log }
    package var eventLog: any RecordLog { storage.eventLog }

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
            try objects.list("packs").compactMap { entry in PackRecord.id(of: entry.name).map { ($0, entry.size) } },
            uniquingKeysWith: { size, _ in size })
    }
}
