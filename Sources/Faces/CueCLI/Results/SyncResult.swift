import CueBase
import CueEngine
import CueLibrary
import CueVault

/// The result of `cue sync` in JSON (docs/json.md).
struct SyncResult: Encodable {
    /// A path that stays as it is until a later sync.
    struct Waiting: Encodable {
        let path: String
        let reason: String
    }

    /// A resolved conflict; `kept` is a version.
    struct Answered: Encodable {
        let path, kept: String
        let copies: [String]
    }

    let snapshot: String?
    let stored, touched, removedFromVault, foldersReceived, addedBytes, lostPacks: Int
    let received, renamed, removed, heldBack, damaged, storedAgain, draftsRemoved: [String]
    let waiting: [Waiting]
    let conflicts: [ConflictRow]
    let resolved: [Answered]
    let settingsStored, settingsReceived: Int
    let settingsDisputes: [SettingsDisputeRow]
    let falseClaims: [FalseClaimRow]
    let keySlots: [KeySlotTrouble]
    let events: EventCounts
    /// Devices that joined, and devices that were shut out, of which no person was told yet.
    let joined: [JoinedRow]
    let shutOut: [ShutOutRow]
    /// The further places of the vault.
    let places: [PlaceRow]
    /// nil where nothing was to be done.
    let locks: LockRow?
    let seconds: Double

    init(
        _ summary: Sync.Summary, _ seconds: Double, _ disputes: [SettingsDispute], _ devices: DeviceNews,
        _ places: PlacesOfRun?
    ) {
        (self.places, locks) = (places?.rows ?? [], places?.lockRow)
        let backup = summary.backup
        snapshot = backup.snapshot?.description
        settingsReceived = backup.settingsReceived
        (settingsStored, settingsDisputes) = (backup.settings, disputes.map { SettingsDisputeRow($0) })
        stored = backup.new + backup.changed + backup.renamed
        (touched, removedFromVault) = (backup.touched, backup.removed)
        (foldersReceived, addedBytes, lostPacks) = (summary.folders, backup.addedBytes, backup.lostPacks)
        received = summary.received.map { Display.text($0) }
        renamed = summary.renamed.map { Display.text($0) }
        removed = summary.removed.map { Display.text($0) }
        damaged = backup.damaged.map { Display.text($0) }
        storedAgain = summary.allStoredAgain.map { Display.text($0) }
        draftsRemoved = backup.drafts.map { Display.text($0) }
        heldBack = (summary.backup.heldBack + summary.removalsHeldBack).map { Display.text($0) }
        waiting = (backup.skipped + summary.waiting).map { Waiting(path: $0.shownPath, reason: $0.reason.words) }
        conflicts = summary.conflicts.map { ConflictRow($0) }
        resolved = summary.resolved.map {
            Answered(
                path: Display.text($0.conflict.path), kept: $0.kept.version.id.description,
                copies: $0.copies.map { Display.text($0) })
        }
        falseClaims = backup.falseClaims.map { FalseClaimRow($0) }
        keySlots = backup.keys.troubles.map { KeySlotTrouble($0) }
        events = EventCounts(backup.events)
        (joined, shutOut) = (devices.joined.map { JoinedRow($0) }, devices.shutOut.map { ShutOutRow($0) })
        self.seconds = (seconds * 1000).rounded() / 1000
    }
}
