package import CueBase
package import CueSystem

/// Opens folders below a root one component at a time and never through a link. Keeps the last path open, so that the
/// next one near it costs little.
package struct FolderPath {
    private let root: Folder
    private var open: [(name: ArraySlice<UInt8>, folder: Folder)] = []

    /// Paths are relative to `root`.
    package init(_ root: Folder) { self.root = root }

    /// Opens a folder. Throws if a component is missing, a link or no folder.
    package mutating func open(_ path: RelativePath) throws(SystemError) -> Folder {
        let components = path.components
        var shared = 0
        while shared < min(open.count, components.count) && open[shared].name == components[shared] { shared += 1 }
        open.removeSubrange(shared...)
        for component in components[shared...] {
            let folder = try (open.last?.folder ?? root).folder(Array(component))
            open.append((component, folder))
        }
        return open.last?.folder ?? root
    }

    /// Opens the folder in which `path` stands; the root for the root.
    package mutating func openParent(of path: RelativePath) throws(SystemError) -> Folder {
        try open(path.parent ?? .root)
    }

    /// Like `openParent`, but makes missing folders, with mode 0755.
    package mutating func openOrMakeParent(of path: RelativePath) throws(SystemError) -> Folder {
        let parent = path.parent ?? .root
        do { return try open(parent) } catch {
            guard error.isNotFound, !parent.isRoot else { throw error }
        }
        let folder = try openOrMakeParent(of: parent)
        do { try folder.makeFolder(parent.name, mode: 0o755) } catch {
            guard error.isAlreadyThere else { throw error }
        }
        return try open(parent)
    }

    /// Closes the folders that are kept open. Call it after a folder was moved.
    package mutating func reset() { open = [] }
}
