package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage
import Synchronization

/// The places of a vault's sealed bytes: its objects and its two logs.
package struct VaultStorage: Sendable {
    /// Key slots, epochs, packs, checkpoints and `vault.json`.
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

/// An open vault: its storage and its keys. Threads may share it.
package final class Vault: Sendable {
    /// The version of the format that this program reads and writes (docs/format.md).
    package static let format = 2

    /// The places of the sealed bytes.
    package let storage: VaultStorage
    /// The id that every seal of this vault binds.
    package let id: VaultID
    /// The most bytes of blocks that a commit takes itself (docs/format.md §9).
    let inlineRoom: Int
    /// The keys that are known now. Another device may change them at any time, and this one learns of it.
    private let ring: Mutex<KeyRing>
    /// The unknown epochs for which the epochs were listed anew already.
    let lookUps = Mutex<Set<EpochID>>([])
    /// The headers of sealed objects with blocks, where each read is a download. All readers share them.
    let headers = Mutex<[ObjectName: [UInt8]]>([:])
    /// The runs that were read.
    let openRuns = Mutex(OpenRuns())
    /// What the last look at the epochs found, with the listing and the keys that it stands on.
    let lastEpochs = Mutex<(entries: [ObjectEntry], key: VaultKey, epochs: Epochs)?>(nil)

    /// Takes keys without a check: wrong ones show when the first object is opened.
    package init(_ storage: VaultStorage, ring: KeyRing, inlineRoom: Int = Limits.inline) {
        (self.storage, self.inlineRoom, id) = (storage, inlineRoom, ring.key.vault)
        self.ring = Mutex(ring)
    }

    /// The same with keys that came without a slot. It learns no epoch that these keys do not open.
    package convenience init(_ storage: VaultStorage, key: VaultKey) {
        self.init(storage, ring: KeyRing(key: key, slot: nil))
    }

    /// The keys of all epochs that are known now.
    package var key: VaultKey { ring.withLock { $0.key } }
    /// The same with the slot that was opened: what a device may remember.
    package var keyRing: KeyRing { ring.withLock { $0 } }

    /// Changes what is known of the keys.
    func learn(_ change: (inout KeyRing) -> Void) { ring.withLock { change(&$0) } }

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
}
