import CueBase
import CueLibrary
import CueSystem

/// Folders that other devices deleted or renamed while something was in them here (docs/sync.md §7).
///
/// They are not stored, and go with the first sync that finds them empty.
struct LeftFolders {
    private var folders: FolderPath
    private var ignored: IgnoreLookup

    /// For the folders of a library.
    init(in root: Folder) { (folders, ignored) = (FolderPath(root), IgnoreLookup(in: root)) }

    /// The folders that hold nothing but each other and the Finder's `.DS_Store`.
    mutating func empty(of left: [KnownProject]) -> [KnownProject] {
        var empty: Set<RelativePath> = []
        return left.sorted { $1.path < $0.path }.filter { known in
            guard let names = try? folders.open(known.path).names(),
                names.allSatisfy({ $0 == SystemLitter.finderFile || empty.contains(known.path.appending($0)) })
            else { return false }
            return empty.insert(known.path).inserted
        }
    }

    /// The folders that stay because of ignored files, with the first of these: no sync ever removes such files, which
    /// are the writer's own.
    mutating func kept(of left: [RelativePath]) -> [SkippedPath] {
        left.sorted().compactMap { path in
            guard let folder = try? folders.open(path), let names = try? folder.names().sorted(by: { $0.precedes($1) }),
                let first = names.first,
                names.allSatisfy({ name in
                    let info = (try? folder.info(of: name)) ?? nil
                    return ignored.ignores(path.appending(name), isFolder: info?.kind == .folder)
                })
            else { return nil }
            return SkippedPath(path: path, reason: .holdsIgnored(first, more: names.count - 1))
        }
    }
}
