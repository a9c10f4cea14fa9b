import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueSystem
import Foundation

/// The result of `cue status` in JSON (docs/json.md).
struct StatusResult: Encodable {
    let library, vault, device: String
    let below: String?
    let vaultReachable: Bool
    let vaultFoundAt: String?
    let vaultOnSameDisk: Bool
    /// The further places of the vault.
    let places: [PlaceStateRow]
    let snapshot: String?
    let lastBackup: Date?
    let documents, onlyInVault, eventsWaiting, settingsWaiting: Int
    let settingsDisputes: [SettingsDisputeRow]
    let new, changed, gone, conflicts, pending: [String]
    let renamed: [Renaming]
    let needsSync: Bool
    let lastSyncedAt: Date?
    let headline: String
    let states: [Document]
    let heldBack, draftsRemoved: [String]
    let removalsHeldBack: Int
    let watcher: Watcher?
    let verified: Date?
    let neverVerified: Int
    let vaultProblem: String?
    /// The state word: all that this device has seen of the vault.
    let state: String?
    /// Devices that joined, and devices that were shut out, of which no person was told yet.
    let joined: [JoinedRow]
    let shutOut: [ShutOutRow]

    /// A document that is not synced, or any with `--all`.
    struct Document: Encodable {
        let path, state: String
        let change, reason: String?
        let lastSynced, lastSyncedAt: Date?
        let needsSync: Bool

        init(_ document: DocumentStatus, _ message: String?) {
            (lastSynced, lastSyncedAt) = (document.synced?.date, document.synced?.date)
            needsSync = document.state != .synced
            (path, state) = (document.path, document.state.rawValue)
            (change, reason) = (document.change?.rawValue, document.reason?.words(message))
        }
    }

    /// A document with another name than the vault has.
    struct Renaming: Encodable {
        let from, to: String
    }

    /// The watcher's own report.
    struct Watcher: Encodable {
        let process: Int32
        let phase: String
        let message: String?
        let since: Date
        let lastSync, nextTry: Date?
        let waiting: [String]
        let hints: [String]?
        let limitation, rescan: String?

        init(_ state: WatchState) {
            let failure = state.failure?.words
            (process, phase, since) = (state.process, state.phase.rawValue, state.phaseSince)
            (message, hints) = (failure?.problem, failure?.hints)
            (lastSync, nextTry, waiting) = (state.lastSync, state.nextTry, state.waiting)
            (limitation, rescan) = (state.limitation?.words, state.rescan?.words)
        }
    }

    init(_ library: OpenLibrary, _ status: LibraryStatus, _ found: FoundVault?, _ devices: DeviceNews) {
        self.library = library.path.description
        below = status.below.map { Display.text($0) }
        vaultFoundAt = found?.place.description
        // An empty mount point lies on the disk around it.
        vaultOnSameDisk =
            status.isVaultThere && library.vaultPlace.sharesDisk(with: library.path)
        vault = library.marker.vault
        (device, vaultReachable) = (status.device, status.isVaultThere)
        (snapshot, lastBackup) = (status.snapshot?.description, status.lastBackup?.date)
        (documents, onlyInVault) = (status.documents, status.onlyInVault)
        (eventsWaiting, settingsWaiting) = (status.eventsWaiting, status.settingsWaiting)
        settingsDisputes = status.settingsDisputes.map { SettingsDisputeRow($0) }
        new = status.new.map { Display.text($0) }
        changed = status.changed.map { Display.text($0) }
        gone = status.gone.map { Display.text($0) }
        renamed = status.renamed.map { Renaming(from: Display.text($0.from), to: Display.text($0.to)) }
        let line = StatusLine(status)
        places = status.places.map { PlaceStateRow($0) }
        (needsSync, lastSyncedAt) = (line.needsSync, line.lastSaved?.date)
        (conflicts, pending) = (status.conflicts, status.left.pending.map(\.words))
        headline = line.sentence
        states = status.states.map { Document($0, status.watcher?.failure?.words.problem) }
        (heldBack, removalsHeldBack) = (status.heldBack.map { Display.text($0) }, status.left.removals)
        draftsRemoved = status.drafts.map { Display.text($0) }
        watcher = status.watcher.map { Watcher($0) }
        state = status.state?.text
        (joined, shutOut) = (devices.joined.map { JoinedRow($0) }, devices.shutOut.map { ShutOutRow($0) })
        verified = status.verified?.date
        (neverVerified, vaultProblem) = (status.neverVerified, status.vaultProblem?.sentence)
    }
}
