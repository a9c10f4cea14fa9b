package import CueBase
package import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// What `cue status` knows without opening the vault.
package struct LibraryStatus: Sendable {
    package let device: String
    package let snapshot: CommitID?
    package let lastBackup: Timestamp?
    package let isVaultThere: Bool
    package var documents = 0
    package var new: [RelativePath] = []
    package var changed: [RelativePath] = []
    package var gone: [RelativePath] = []
    package var onlyInVault = 0
    package var skipped: [SkippedPath] = []
    /// Documents that a power cut or a failing disk has cut short.
    package var damaged: [RelativePath] = []
    /// Drafts of runs that were cut off, which were found and removed.
    package var drafts: [RelativePath] = []
    /// What this device's last sync left undone.
    package var left = LeftUndone()
    /// Documents that were in conflict when this device last synced.
    package var conflicts: [String] { left.conflicts }
    /// What the watcher of this library does; nil if none runs.
    package var watcher: WatchState?
    /// When the part of the vault that was read back longest ago was; nil if none ever was.
    package var verified: Timestamp?
    /// How many packs were read back and found right, and how many never.
    package var verifiedPacks = 0
    package var neverVerified = 0
    /// What was wrong with the vault when a part of it was last read back, or when it was last checked.
    package var vaultProblem: VaultProblem?
    /// The documents that both this device and the vault have, as they are shown, and since when; nil where nobody knows.
    package private(set) var synced: [ShownPath: Timestamp?] = [:]
    /// Whether the documents that are synced are told too.
    package let isOfAll: Bool

    /// `all`: with the documents that are synced.
    package static func of(_ library: OpenLibrary, all: Bool = false) throws -> LibraryStatus {
        let watcher = WatchState.of(library)
        // One that works on the library tidies up by itself.
        let lock = library.lockIfFree()
        let drafts = withExtendedLifetime(lock) { lock == nil ? [] : (try? PlacingJournal.recover(library)) ?? [] }
        let place = VaultLocation(stored: library.marker.vault).folder
        let there = (try? place?.appending("vault.json").info()) ?? nil
        let scan = try library.scan()
        return try library.store.read { transaction in
            var status = LibraryStatus(
                device: try transaction.value(.deviceName) ?? "",
                snapshot: try transaction.value(.snapshot),
                lastBackup: try transaction.value(.lastBackup),
                isVaultThere: there != nil, isOfAll: all)
            status.take(scan)
            status.drafts = drafts
            status.watcher = watcher
            status.verifiedPacks = try transaction.foundRight().count
            status.neverVerified = try transaction.neverVerified()
            status.vaultProblem = try transaction.vaultProblem()
            status.verified = try transaction.value(.verified)
            status.left = try transaction.leftUndone()
            let unlinked = try transaction.unlinked()
            if !unlinked.isEmpty {
                let here = try transaction.projects().union(
                    scan.candidates.compactMap { unlinked[$0.path]?.project })
                status.onlyInVault = unlinked.values.count { $0.kind.isDocument && !here.contains($0.project) }
            }
            if all || !status.unsynced.isEmpty { status.synced = try transaction.synced() }
            return status
        }
    }

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
    /// The documents that both this device and the vault have, and when that came to be.
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
