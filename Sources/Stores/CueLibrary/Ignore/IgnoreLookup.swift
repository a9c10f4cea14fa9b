package import CueBase
package import CueSystem
import CueVault
import Synchronization

/// Answers for single paths whether a scan would skip them. Reads each `.cueignore` once.
package struct IgnoreLookup {
    private var folders: FolderPath
    private var stacks: [RelativePath: IgnoreStack] = [:]
    /// Whether a rule covers a folder, or one above it. A look at all folders above each path would cost squares in
    /// deep trees.
    private var covered: [RelativePath: Bool] = [:]

    /// `root` is the library's folder.
    package init(in root: Folder) { folders = FolderPath(root) }

    /// Whether a rule covers the path, or a folder above it.
    package mutating func ignores(_ path: RelativePath, isFolder: Bool) -> Bool {
        guard let parent = path.parent else { return false }
        return isCovered(parent) || rules(in: parent).ignores(path: path.bytes, isFolder: isFolder)
    }

    private mutating func isCovered(_ folder: RelativePath) -> Bool {
        if let known = covered[folder] { return known }
        let verdict = ignores(folder, isFolder: true)
        covered[folder] = verdict
        return verdict
    }

    private mutating func rules(in path: RelativePath) -> IgnoreStack {
        if let known = stacks[path] { return known }
        var stack = path.parent.map { rules(in: $0) } ?? IgnoreStack(defaults: Scanner.defaultRules)
        if let folder = try? folders.open(path),
            let text = (try? folder.contents(of: ".cueignore", upTo: 1 << 20)) ?? nil
        {
            stack = stack.adding(IgnoreRules(parsing: text, base: path.bytes))
        }
        stacks[path] = stack
        return stack
    }
}
