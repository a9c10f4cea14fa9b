import CueBase
import CueLibrary
import CueSystem
import Synchronization

/// Makes what a sync or a restore does to a folder outlast a power cut (docs/decisions/0015-durable-placing.md).
///
/// Many files cost one call for the whole file system. Few files, and file systems of which that call is not known to reach the disk,
/// cost a call for each file and for each folder that was touched: another program's copy of a film then holds up no saved page.
final class Durability: Sendable {
    /// Up to so many files each gets its own call.
    private static let few = 64

    /// Whether each file is made durable by itself, before it gets its name.
    let isEach: Bool
    private let root: Folder
    /// Folders in which names changed, or whose own modes and times did.
    private let touched = Mutex<Set<RelativePath>>([])

    init(of root: Folder, files: Int) {
        self.root = root
        isEach = files <= Self.few || !root.synchronizesWhole
    }

    func touch(_ folder: RelativePath) { touched.withLock { _ = $0.insert(folder) } }

    /// With the folders above it, which may be new too.
    func touchAll(to folder: RelativePath) {
        var next: RelativePath? = folder
        touched.withLock { touched in
            while let path = next {
                touched.insert(path)
                next = path.parent
            }
        }
    }

    /// Waits until all that was done is durable. Never tried again after a failure: the second answer would be "done", and the bytes
    /// gone all the same.
    func settle() throws {
        let folders = touched.withLock { $0 }.sorted()
        do throws(SystemError) {
            if isEach { try settleEach(folders) } else { try settleWhole(folders) }
        } catch {
            throw EngineError.notDurable(error.reason)
        }
        if isEach { touched.withLock { $0.subtract(folders) } }
    }

    private func settleEach(_ folders: [RelativePath]) throws(SystemError) {
        var path = FolderPath(root)
        for name in folders {
            let folder: Folder
            do { folder = try path.open(name) } catch {
                // One that went, or moved, is a change of the folder above it.
                if error.isNotFound { continue }
                try root.synchronizeFileSystem()
                continue
            }
            try folder.synchronize()
        }
    }

    /// Other disks may be mounted inside of a library.
    private func settleWhole(_ folders: [RelativePath]) throws(SystemError) {
        try root.synchronizeFileSystem()
        var done: Set<UInt64> = [try root.info().device]
        var path = FolderPath(root)
        for name in folders {
            guard let folder = try? path.open(name), let device = try? folder.info().device else { continue }
            if done.insert(device).inserted { try folder.synchronizeFileSystem() }
        }
    }
}
