import CueBase
import CueLibrary
import CueSystem

/// Follows the journal of a run that was killed, or whose machine lost its power.
extension PlacingJournal {
    /// After an error in this run: follows its own journal, as the next run would.
    func recover() throws {
        guard let bytes = try folder.contents(of: name, upTo: 1 << 30) else { return }
        _ = try Self.follow(Self.notes(in: bytes), library, folder, name)
    }

    /// Takes over the work of a run that was cut off, and returns the drafts of it that were removed. Besides drafts,
    /// only replaced documents that are in the vault are removed; anything else gets its name back, or one beside it.
    @discardableResult
    static func recover(_ library: OpenLibrary) throws -> [RelativePath] {
        let folder = try Folder.open(library.state.library(library.marker.library))
        guard let bytes = try folder.contents(of: name, upTo: 1 << 30) else { return [] }
        try library.store.write { try $0.set(.wasCutOff, to: true) }
        return try follow(notes(in: bytes), library, folder, name)
    }

    /// Follows the notes. The journal goes only if everything could be tidied up.
    private static func follow(
        _ notes: [Note], _ library: OpenLibrary?, _ folder: Folder, _ name: [UInt8]
    ) throws -> [RelativePath] {
        var recovery = try library.map { try PlacingRecovery($0, notes) } ?? PlacingRecovery(folder, notes)
        // The next run tries the rest again; a backup continues without it.
        if try recovery.run() {
            do throws(SystemError) { try folder.remove(name) } catch {
                // Another restore to this folder may have tidied up as well.
                guard error.isNotFound else { throw error }
            }
        }
        return recovery.removed
    }

    /// The same for each restore to a folder that is no library, unless it still runs.
    static func recover(in root: Folder) throws -> [RelativePath] {
        var removed: [RelativePath] = []
        for name in try root.names() where TemporaryNames.isJournal(name) {
            guard let file = try? root.file(name), file.tryLock(), let info = try? file.info(),
                let bytes = try? file.contents(upTo: 1 << 30)
            else { continue }
            let notes = notes(in: bytes)
            guard !notes.isEmpty else {
                // Its run may be about to lock it and to write the first note.
                if FileTime.now.seconds.saturatingSubtracting(info.modified.seconds) > 60 { try? root.remove(name) }
                continue
            }
            guard case .machine(Environment.machine, _)? = notes.first else { continue }
            removed += try follow(notes, nil, root, name)
        }
        return removed
    }
}
