package import CueBase
package import CueCrypto
import CueEvents
package import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// The state of a library, found without opening its vault.
package struct LibraryStatus: Sendable {
    /// The name of this device for people.
    package let device: String
    /// The newest snapshot that this device knows; nil before the first.
    package let snapshot: CommitID?
    /// When everything in the folder was last stored; nil before the first time.
    package let lastBackup: Timestamp?
    /// Whether the vault's folder can be reached and has a `vault.json`. A service is not asked, and counts as there.
    package let isVaultThere: Bool
    /// The states of the further places of the vault (`LibraryPlaces.states`).
    package let places: [PlaceState]
    /// The folder or document of which the status is; nil for the whole library.
    package internal(set) var below: RelativePath?
    /// The number of documents in the folder.
    package var documents = 0
    /// Documents in the folder that this device has never stored.
    package var new: [RelativePath] = []
    /// Documents that may have changed since they were stored. None is opened to make sure.
    package var changed: [RelativePath] = []
    /// Documents that were stored, and are gone from the folder.
    package var gone: [RelativePath] = []
    /// Those of `gone` that are in the folder under another name, which is one of `new`.
    package var renamed: [(from: RelativePath, to: RelativePath)] = []
    /// The number of documents that the vault has and this folder does not.
    package var onlyInVault = 0
    /// Paths that a backup leaves out, and why.
    package var skipped: [SkippedPath] = []
    /// Documents that a power cut or a failing disk has cut short.
    package var damaged: [RelativePath] = []
    /// Drafts of runs that were cut off. They were found and removed now.
    package var drafts: [RelativePath] = []
    /// The number of events that wait to be brought to the vault, without those that cue notes at each save.
    package var eventsWaiting = 0
    /// The number of projects whose settings changed on this device, and are not in the vault yet.
    package var settingsWaiting = 0
    /// Settings that several devices made at the same time.
    package var settingsDisputes: [SettingsDispute] = []
    /// The work that this device's last sync left undone.
    package var left = LeftUndone()
    /// Documents that were in conflict when this device last synced.
    package var conflicts: [String] { left.conflicts }
    /// The state of the library's watcher; nil if none runs.
    package var watcher: WatchState?
    /// When the pack that was read back longest ago was read; nil if none ever was.
    package var verified: Timestamp?
    /// The number of packs that were read back and found right.
    package var verifiedPacks = 0
    /// The number of packs that were never read back.
    package var neverVerified = 0
    /// The words that stand for all that this device has seen of the vault; nil before it has seen anything.
    package var state: StateWords?
    /// The first problem of the vault that is known: from a run that read it, a check, or a reading of packs. nil if
    /// there is none.
    package var vaultProblem: VaultProblem?
    /// The documents of which this device and the vault have the same version, by shown path, with the time since when;
    /// the time is nil if it is unknown.
    package internal(set) var synced: [ShownPath: Timestamp?] = [:]
    /// Whether `states` includes the documents that are synced.
    package let isOfAll: Bool

    /// Scans the folder and reads the local store; also tidies up after runs that were cut off. `all`: includes the
    /// documents that are synced. `below`: only what concerns this folder or document; nil for the whole library.
    package static func of(
        _ library: OpenLibrary, all: Bool = false, below: RelativePath? = nil
    ) throws -> LibraryStatus {
        let watcher = WatchState.of(library)
        // A process that holds the lock tidies up by itself.
        let lock = library.lockIfFree()
        let drafts = withExtendedLifetime(lock) { lock == nil ? [] : (try? PlacingJournal.recover(library)) ?? [] }
        let place = library.vaultPlace.folder
        let there = (try? place?.appending("vault.json").info()) ?? nil
        let scan = try library.scan()
        let renamed = renames(scan, library)
        let places = try LibraryPlaces.states(of: library)
        let disputes = try SettingsDispute.all(in: library).filter { $0.project.path.concerns(below) }
        return try library.store.read { transaction in
            var status = LibraryStatus(
                device: try transaction.value(.deviceName) ?? "",
                snapshot: try transaction.value(.snapshot),
                lastBackup: try transaction.value(.lastBackup),
                isVaultThere: place == nil || there != nil, places: places, isOfAll: all)
            status.take(scan)
            status.renamed = renamed
            status.drafts = drafts
            status.watcher = watcher
            status.verifiedPacks = try transaction.packsFoundRight()
            status.neverVerified = try transaction.neverVerified()
            status.vaultProblem = try transaction.vaultProblem()
            status.verified = try transaction.value(.verified)
            status.left = try transaction.leftUndone()
            if let vault = try transaction.value(.vault) {
                status.state = StateWords(try transaction.tips(), of: vault)
            }
            status.settingsWaiting = try transaction.waitingSettings().count
            status.settingsDisputes = disputes
            status.eventsWaiting = try transaction.countOfWaitingEvents(otherThan: OwnEvent.typesOfSaves)
            let unlinked = try transaction.unlinked()
            if !unlinked.isEmpty {
                let here = try transaction.projects().union(
                    scan.candidates.compactMap { unlinked[$0.path]?.project })
                // A sync does not bring what waits for a person's choice.
                let open = Set(status.conflicts.map { ShownPath($0) })
                status.onlyInVault = unlinked.count { path, project in
                    project.kind.isDocument && !here.contains(project.project) && path.concerns(below)
                        && !open.contains(ShownPath(path))
                }
            }
            if let below { status.keep(below, of: try transaction.localProjects()) }
            if all || !status.unsynced.isEmpty { status.synced = try transaction.synced() }
            return status
        }
    }

    /// The documents that a backup would find renamed. None is opened.
    private static func renames(_ scan: Scan, _ library: OpenLibrary) -> [(from: RelativePath, to: RelativePath)] {
        var (missing, folders) = (scan.missing, FolderPath(library.root))
        let moves = RenameDetection.match(scan.candidates, &missing) { path in
            try? folders.openParent(of: path).birth(of: path.name)
        }
        return moves.entries.filter { $0.value.entry.kind.isDocument }.map { number, old in
            (old.path, scan.candidates[number].path)
        }.sorted { $0.to < $1.to }
    }

    /// Takes over the counts and paths of a scan.
    private mutating func take(_ scan: Scan) {
        let documents = scan.candidates.filter(\.kind.isDocument)
        new = documents.filter { $0.old == nil }.map(\.path)
        changed = documents.filter { $0.old != nil }.map(\.path)
        gone = scan.missing.filter(\.entry.kind.isDocument).map(\.path)
        skipped = scan.skipped
        damaged = scan.damaged.map(\.path)
        self.documents = scan.unchangedDocuments + damaged.count + documents.count
    }
}

extension LocalStore.Transaction {
    /// The documents of which this device and the vault have the same version, and since when.
    fileprivate func synced() throws -> [ShownPath: Timestamp?] {
        let times = try timesSeen()
        var synced: [ShownPath: Timestamp?] = [:]
        for (folder, encoded) in try folders() {
            for entry in try encoded.entries() where entry.kind.isDocument {
                let path = folder?.appending(entry.name) ?? .root
                synced[ShownPath(path)] = .some(times[entry.base.commit])
            }
        }
        return synced
    }
}
