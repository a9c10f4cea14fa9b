import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Writes one commit of this device and makes it durable. The local store is changed only after it, never before.
struct CommitWriter {
    let context: EngineContext
    /// The id that the commit will have.
    let id: CommitID
    /// The packs that the commit names for the first time.
    var packs: [PackRecord] = []
    /// The blocks that the commit holds itself.
    var inline = InlineBlocks()
    /// The new versions.
    var versions: [VersionDraft] = []
    /// What it says of other records and of projects.
    var notes: [Note.Content] = []
    /// Whether the commit completes a snapshot.
    var isSnapshot = true
    /// Whether the backup left something out.
    var isPartial = false
    /// The place of the commit in the log.
    private(set) var position = LogPosition(device: ID16(high: 0, low: 0), generation: 0, commit: .none)
    /// Whether the versions were read from this disk. A sync also writes versions that the disk does not have yet.
    var isOfDisk = true

    /// The id of the next version that is added.
    var nextID: VersionID { VersionID(commit: id, number: UInt32(versions.count)) }

    /// The records of `packs`, and of the inline blocks. These have their right place only once the commit is written.
    var content: [PackRecord] {
        inline.isEmpty ? packs : packs + [PackRecord(inlineIn: position, blocks: inline.blocks)]
    }

    /// Writes the commit as the next one of `device`, and returns its size in bytes.
    mutating func write(as device: inout OpenLibrary.Device) throws -> Int {
        let (library, now) = (context.library, context.clock.now)
        var next = device
        next.generation += 1
        let isFirst = next.generation == 1
        let tips = try library.store.read { try $0.tips() }
        var draft = CommitDraft(
            CommitRecord(
                previous: isFirst ? .none : device.commit, previousDigest: isFirst ? nil : device.digest, time: now,
                isSnapshot: isSnapshot, isPartial: isPartial, seen: tips.filter { $0.position.device != device.id }))
        if isFirst { draft.devices = [DeviceRecord(id: device.id, name: device.name, made: now)] }
        (draft.packs, draft.inline, draft.versions, draft.notes) = (packs, inline, versions, notes)
        let retirements: [NoteID] = try library.store.read { try $0.value(.toAcknowledge)?.value() } ?? []
        if !retirements.isEmpty { draft.notes.append(.acknowledged(retirements)) }
        next.commit = id
        position = next.position
        // If this process is killed before it notes the commit, the next run recognizes it as its own by this id.
        try library.store.write { transaction in
            try transaction.set(.intent, to: id)
            try transaction.set(.intentIsOfDisk, to: isOfDisk)
        }
        let written = try context.vault.append(draft, at: next.position, by: device.key)
        next.digest = written.digest
        device = next
        return written.size
    }
}

extension LocalStore.Transaction {
    /// Notes that the device's newest commit is in the vault.
    func note(commitOf device: OpenLibrary.Device, at now: Timestamp) throws {
        try set(device)
        try addSeen([device.mark], at: now)
        try set(.toAcknowledge, to: nil)
    }
}
