package import CueBase
package import CueEventLog
package import CueLibrary
package import CueVault

/// What a backup did.
package struct BackupSummary: Sendable {
    package var snapshot: CommitID?
    package var documents = 0
    package var new = 0
    package var changed = 0
    package var renamed = 0
    package var removed = 0
    package var unsettled: [RelativePath] = []
    package var skipped: [SkippedPath] = []
    /// Commits of other devices that do not open: damaged, or on their way.
    package var notArrived: [HistoryGap] = []
    /// Packs that this device knew of, and that are gone or cut: nothing that is stored now stands on them.
    package var lostPacks = 0
    /// Packs that do not hold what others' commits say: what this device has of that was stored anew.
    package var falseClaims: [FalseClaim] = []
    /// Documents at whose path the vault has different content that this device never had: both versions are kept, as a conflict.
    package var conflicting: [RelativePath] = []
    package var readBytes: Int64 = 0
    package var addedBytes = 0
    package var newDevice = false
    /// Documents that are gone from the folder, too many for an unasked deletion: it is not recorded.
    package var heldBack: [RelativePath] = []
    /// Documents that a power cut or a failing disk has cut short here: what is stored of them stays as it was.
    package var damaged: [RelativePath] = []
    /// Drafts of runs that were cut off, which were found and removed.
    package var drafts: [RelativePath] = []
    /// What became of the events that waited.
    package var events = EventExchange.Summary()
    /// Documents of which a version was stored that came from another one.
    package var stored: [StoredDocument] = []
    /// What is wrong with the vault's key slots, and what of it was put right.
    package var keys = KeyWatch.Report()

    /// Adds a later run of the same command, which found what this one had stored. What happened, happened in both, and
    /// so does what was skipped; what is left is what the later one left.
    package mutating func merge(_ next: BackupSummary) {
        (snapshot, documents) = (next.snapshot, next.documents)
        new += next.new
        changed += next.changed
        renamed += next.renamed
        removed += next.removed
        readBytes += next.readBytes
        addedBytes += next.addedBytes
        // Each path is named once, however many runs skip it.
        skipped += next.skipped.filter { !skipped.contains($0) }
        conflicting += next.conflicting
        stored += next.stored
        drafts += next.drafts
        lostPacks += next.lostPacks
        falseClaims += next.falseClaims
        newDevice = newDevice || next.newDevice
        events.merge(next.events)
        (unsettled, notArrived, heldBack) = (next.unsettled, next.notArrived, next.heldBack)
        damaged = next.damaged
        keys.merge(next.keys)
    }
}
