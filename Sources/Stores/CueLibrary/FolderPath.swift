package import CueBase
package import CueSystem

/// Opens folders below a root one component at a time, never through a link, and keeps the last ones open.
package struct FolderPath {
    private let root: Folder
    private var open: [(name: ArraySlice<UInt8>, folder: Folder)] = []

    package init(_ root: Folder) { self.root = root }

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

    package mutating func openParent(of path: RelativePath) throws(SystemError) -> Folder {
        try open(path.parent ?? .root)
    }

    /// As `openParent`, making folders that are missing.
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

    /// Forgets what is open: after something was moved.
    package mutating func reset() { open = [] }
}
