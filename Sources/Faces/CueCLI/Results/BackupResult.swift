import CueBase
import CueEngine
import CueLibrary

/// The result of `cue backup` in JSON (docs/json.md).
struct BackupResult: Encodable {
    /// A path that was left out.
    struct Skipped: Encodable {
        let path: String
        let reason: String
    }

    let snapshot: String?
    let documents, new, changed, touched, renamed, removed, settingsStored: Int
    let readBytes: Int64
    let addedBytes: Int
    let seconds: Double
    let skipped: [Skipped]
    let unsettled, conflicting, heldBack, notArrived, damaged, draftsRemoved, storedAgain: [String]
    let newDevice: Bool
    let lostPacks: Int
    let falseClaims: [FalseClaimRow]
    let keySlots: [KeySlotTrouble]
    let events: EventCounts
    /// The further places of the vault.
    let places: [PlaceRow]
    /// nil where nothing was to be done.
    let locks: LockRow?

    init(_ summary: Backup.Summary, _ places: PlacesOfRun, _ seconds: Double) {
        (self.places, locks) = (places.rows, places.lockRow)
        snapshot = summary.snapshot?.description
        (documents, new, changed) = (summary.documents, summary.new, summary.changed)
        (touched, renamed, removed) = (summary.touched, summary.renamed, summary.removed)
        settingsStored = summary.settings
        (readBytes, addedBytes) = (summary.readBytes, summary.addedBytes)
        self.seconds = (seconds * 1000).rounded() / 1000
        skipped = summary.skipped.map { Skipped(path: $0.shownPath, reason: $0.reason.words) }
        unsettled = summary.unsettled.map { Display.text($0) }
        conflicting = summary.conflicting.map { Display.text($0) }
        heldBack = summary.heldBack.map { Display.text($0) }
        damaged = summary.damaged.map { Display.text($0) }
        storedAgain = summary.storedAgain.map { Display.text($0) }
        draftsRemoved = summary.drafts.map { Display.text($0) }
        (newDevice, lostPacks) = (summary.newDevice, summary.lostPacks)
        notArrived = summary.notArrived.map(\.waitingSentence)
        falseClaims = summary.falseClaims.map { FalseClaimRow($0) }
        keySlots = summary.keys.troubles.map { KeySlotTrouble($0) }
        events = EventCounts(summary.events)
    }
}
