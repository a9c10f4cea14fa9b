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
    package var skipped: [Scan.Skipped] = []
    /// Documents that were in conflict when this device last synced.
    package var conflicts: [String] = []
    /// What the watcher of this library does; nil if none runs.
    package var watcher: WatchState?
    /// When the part of the vault that was read back longest ago was; nil if none ever was.
    package var verified: Timestamp?
    /// How many packs were never read back.
    package var neverVerified = 0
    /// What was wrong with the vault when a part of it was last read back.
    package var vaultProblem: String?

    package static func of(_ library: OpenLibrary) throws -> LibraryStatus {
        let watcher = WatchState.of(library)
        let there = (try? VaultLocation(stored: library.marker.vault).path.appending("vault.json").info()) ?? nil
        return try library.store.read { transaction in
            var scanner = try Scanner(
                bundles: library.bundles, transaction: transaction,
                checkInterruption: { try Interruption.throwIfRequested() })
            let scan = try scanner.run(library.root)
            var status = LibraryStatus(
                device: try transaction.text("device name") ?? "",
                snapshot: try transaction.text("snapshot").flatMap { CommitID($0) },
                lastBackup: try transaction.text("last backup").flatMap { Int64($0) }.map(
                    Timestamp.init(milliseconds:)),
                isVaultThere: there != nil)
            status.take(scan)
            status.watcher = watcher
            status.neverVerified = try transaction.text("never verified").flatMap { Int($0) } ?? 0
            status.vaultProblem = try transaction.text("vault problem").flatMap { $0.isEmpty ? nil : $0 }
            status.verified = try transaction.text("verified").flatMap { Int64($0) }.map(Timestamp.init(milliseconds:))
            status.conflicts = try transaction.text("conflicts")?.split(separator: "\n").map(String.init) ?? []
            let unlinked = try transaction.unlinked()
            if !unlinked.isEmpty {
                let here = try transaction.projects().union(
                    scan.candidates.compactMap { unlinked[$0.path]?.project })
                status.onlyInVault = unlinked.values.count { $0.kind.isDocument && !here.contains($0.project) }
            }
            return status
        }
    }

    private mutating func take(_ scan: Scan) {
        let documents = scan.candidates.filter(\.kind.isDocument)
        new = documents.filter { $0.old == nil }.map(\.path)
        changed = documents.filter { $0.old != nil }.map(\.path)
        gone = scan.missing.filter(\.entry.kind.isDocument).map(\.path)
        skipped = scan.skipped
        self.documents = scan.unchangedDocuments + documents.count
    }
}
