import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Writes one commit of this device, and makes it durable. What it says comes into the local store after it, never before.
struct CommitWriter {
    let context: EngineContext
    let id: CommitID
    var packs: [PackRecord] = []
    var versions: [VersionDraft] = []
    var isSnapshot = true
    var isPartial = false
    /// Whether the versions are what was read from this disk; a sync also writes what others have.
    var isOfDisk = true

    /// The id of the next version that is added.
    var nextID: VersionID { VersionID(commit: id, number: UInt32(versions.count)) }

    /// Returns the bytes that it took; `device` moves on.
    func write(as device: inout OpenLibrary.Device) throws -> Int {
        let (library, now) = (context.library, context.clock.now)
        var next = device
        next.generation += 1
        let isFirst = next.generation == 1
        let seen = try library.store.read { try $0.seen() }
        var draft = CommitDraft(
            CommitRecord(
                previous: isFirst ? .none : device.commit, time: now, isSnapshot: isSnapshot,
                isPartial: isPartial, seen: Self.tips(seen, but: device.id)))
        if isFirst { draft.devices = [DeviceRecord(id: device.id, name: device.name, made: now)] }
        (draft.packs, draft.versions) = (packs, versions)
        next.commit = id
        // If this process dies before the local store knows, the next run knows this commit as its own by this.
        try library.store.write { transaction in
            try transaction.set(.intent, to: id)
            try transaction.set(.intentIsOfDisk, to: isOfDisk)
        }
        let bytes = try context.vault.append(draft, at: next.position)
        device = next
        return bytes
    }

    /// The newest commit that was read of every branch but this device's own.
    private static func tips(_ seen: Set<LogPosition>, but own: DeviceID) -> [LogPosition] {
        var newest: [DeviceID: UInt64] = [:]
        for position in seen { newest[position.device] = max(newest[position.device] ?? 0, position.generation) }
        return seen.filter { $0.device != own && newest[$0.device] == $0.generation }.sorted()
    }
}
