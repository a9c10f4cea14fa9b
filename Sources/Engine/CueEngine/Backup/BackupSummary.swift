package import CueBase
package import CueEventLog
package import CueLibrary
package import CueVault

/// The result of a backup.
package struct BackupSummary: Sendable {
    /// The snapshot that the backup completed, or the newest one if nothing changed; nil if there is none.
    package var snapshot: CommitID?
    /// The number of documents in the folder that are in the vault.
    package var documents = 0
    /// The number of documents that were stored for the first time.
    package var new = 0
    /// The number of documents of which another version was stored.
    package var changed = 0
    /// The number of documents that got other times, rights or attributes, and have the same content.
    package var touched = 0
    /// The number of documents that were moved or renamed, with the same content.
    package var renamed = 0
    /// The number of documents whose deletion was recorded.
    package var removed = 0
    /// The number of projects of which changed settings were stored.
    package var settings = 0
    /// The number of projects of which another device's settings came.
    package var settingsReceived = 0
    /// Documents that kept changing while they were read.
    package var unsettled: [RelativePath] = []
    /// Paths that were left out, and why.
    package var skipped: [SkippedPath] = []
    /// Commits of other devices that do not open: they are damaged, or have not arrived whole.
    package var notArrived: [HistoryGap] = []
    /// The number of packs that this device knew and that are gone, cut or broken. Nothing that is stored now relies on
    /// them.
    package var lostPacks = 0
    /// Packs that do not match the commits of other devices. Their content was stored again, as far as it is here.
    package var falseClaims: [FalseClaim] = []
    /// Documents at whose path the vault has different content that this device never had. Both versions are kept, as a
    /// conflict.
    package var conflicting: [RelativePath] = []
    /// The bytes that were read from the disk.
    package var readBytes: Int64 = 0
    /// The bytes that were added to the vault, in packs and commits.
    package var addedBytes = 0
    /// Whether this device got a new id, as another one writes under its old id.
    package var newDevice = false
    /// Documents that are gone from the folder, too many to record their deletion without a person's consent.
    package var heldBack: [RelativePath] = []
    /// Documents that a power cut or a failing disk has cut short here. Their stored versions stay as they are.
    package var damaged: [RelativePath] = []
    /// Drafts of runs that were cut off. They were found and removed.
    package var drafts: [RelativePath] = []
    /// Documents that the vault had lost, and that were stored again.
    package var storedAgain: [RelativePath] = []
    /// The result of the exchange of events.
    package var events = EventExchange.Summary()
    /// The documents that were stored, in the order in which they were.
    package var news: [DocumentNews] = []
    /// Documents of which a version with a parent was stored.
    package var stored: [StoredDocument] = []
    /// The problems of the vault's key slots, and which of them were repaired.
    package var keys = KeyWatch.Report()

    /// Adds a later run of the same command, which started from what this one had stored. Counts and lists of events
    /// add up; lists of what is left undone are those of the later run.
    package mutating func merge(_ next: BackupSummary) {
        (snapshot, documents) = (next.snapshot, next.documents)
        new += next.new
        changed += next.changed
        touched += next.touched
        renamed += next.renamed
        removed += next.removed
        settings += next.settings
        settingsReceived += next.settingsReceived
        readBytes += next.readBytes
        addedBytes += next.addedBytes
        // Each path is named once, however many runs skip it.
        skipped += next.skipped.filter { !skipped.contains($0) }
        conflicting += next.conflicting
        stored += next.stored
        news += next.news
        drafts += next.drafts
        storedAgain += next.storedAgain
        lostPacks += next.lostPacks
        falseClaims += next.falseClaims
        newDevice = newDevice || next.newDevice
        events.merge(next.events)
        (unsettled, notArrived, heldBack) = (next.unsettled, next.notArrived, next.heldBack)
        damaged = next.damaged
        keys.merge(next.keys)
    }
}
