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

    /// Forgets what is open: after something was moved.
    package mutating func reset() { open = [] }
}
