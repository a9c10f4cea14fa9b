import CueBase
import CueLibrary
import CueSystem
import Synchronization

/// Makes the changes of a sync or restore to a folder survive a power cut (docs/decisions/0015-durable-placing.md).
///
/// Many files cost one call for the whole file system. A few files cost a call for each file and each touched folder,
/// so that saving a page does not wait for another program's copy of a film. Any number of files cost a call each if it
/// is unknown whether the call for the whole file system reaches the disk.
final class Durability: Sendable {
    /// Up to this many files get a call each.
    private static let few = 64

    /// Whether each file is made durable by itself, before it gets its name.
    let isEach: Bool
    private let root: Folder
    private let state = Mutex(State())

    private struct State {
        /// Folders whose content, names, modes or times changed since the last `settle`.
        var touched: Set<RelativePath> = []
        /// One folder of each other file system that is mounted inside the library, by device number.
        var mounted: [UInt64: RelativePath] = [:]
    }

    /// `files`: how many files will be written.
    init(of root: Folder, files: Int) {
        self.root = root
        isEach = files <= Self.few || !root.synchronizesWhole
    }

    /// Notes a folder whose content changed.
    func touch(_ folder: RelativePath) { state.withLock { _ = $0.touched.insert(folder) } }

    /// Notes a folder and all those above it, which may be new too.
    func touchAll(to folder: RelativePath) {
        var next: RelativePath? = folder
        state.withLock { state in
            while let path = next {
                state.touched.insert(path)
                next = path.parent
            }
        }
    }

    /// Waits until every noted change is durable. Throws `EngineError.notDurable`. Never retried after a failure: the
    /// second answer would be "done" although the bytes are gone.
    func settle() throws {
        let folders = state.withLock { $0.touched }.sorted()
        do throws(SystemError) {
            if isEach { try settleEach(folders) } else { try settleWhole(folders) }
        } catch {
            throw EngineError.notDurable(error)
        }
        state.withLock { $0.touched.subtract(folders) }
    }

    private func settleEach(_ folders: [RelativePath]) throws(SystemError) {
        var path = FolderPath(root)
        for name in folders {
            let folder: Folder
            do { folder = try path.open(name) } catch {
                // The folder went or was moved: that is a change of the folder above it.
                if error.isNotFound { continue }
                try root.synchronizeFileSystem()
                continue
            }
            try folder.synchronize()
        }
    }

    /// One call for the library's file system, and one for each that is mounted inside the library.
    private func settleWhole(_ folders: [RelativePath]) throws(SystemError) {
        try root.synchronizeFileSystem()
        let own = try root.info().device
        var path = FolderPath(root)
        var mounted = state.withLock { $0.mounted }
        for name in folders {
            guard let device = try? path.open(name).info().device, device != own else { continue }
            mounted[device] = name
        }
        // A file system that was found earlier may have new writes too.
        for name in mounted.values { try (try? path.open(name))?.synchronizeFileSystem() }
        state.withLock { [mounted] in $0.mounted = mounted }
    }
}
