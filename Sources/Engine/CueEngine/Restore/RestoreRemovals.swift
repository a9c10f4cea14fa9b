import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Takes away documents that a restore had brought, and that are unchanged since.
///
/// All get temporary names first, and are looked at once more. They are removed when these names are durable, as a
/// bundle is removed piece by piece.
struct RestoreRemovals {
    /// A document that goes.
    struct Leaving {
        let path: RelativePath
        /// As it was when it was allowed to go.
        let standing: PathOccupant
    }

    /// The documents that go.
    var leaving: [Leaving] = []
    /// Folders that go if they are empty by then.
    var folders: [RelativePath] = []
    /// Called with the documents or folders that are removed next. They must not be missed afterwards, so all that it
    /// does is durable on return. If it throws, they stay.
    var willRemove: ([RelativePath]) throws -> Void = { _ in }
    /// The documents that went.
    private(set) var removed: [RelativePath] = []
    /// The documents that were changed meanwhile, and stay.
    private(set) var stayed: [RelativePath] = []
    /// Whether nothing is left under a temporary name.
    private(set) var isTidy = true

    var isEmpty: Bool { leaving.isEmpty && folders.isEmpty }
    /// The folders in which something goes.
    var parents: [RelativePath] { leaving.map { $0.path.parent ?? .root } }

    /// Behind the numbers of a plan's drafts.
    private static let firstName = 1 << 40

    /// Removes everything. Each step is noted before it is done.
    mutating func run(
        in root: Folder, _ names: TemporaryNames, _ journal: PlacingJournal, _ durability: Durability,
        _ cancellation: Cancellation
    ) throws {
        var open = FolderPath(root)
        var aside: [(one: Leaving, name: [UInt8])] = []
        let all = leaving.enumerated().map { (one: $1, name: names.name(Self.firstName + $0)) }
        for (one, name) in all { try journal.note(.aside(one.path, temporary: name)) }
        try journal.synchronize()
        for (one, name) in all {
            do throws(SystemError) {
                let folder = try open.openParent(of: one.path)
                try folder.renameNew(one.path.name, to: folder, name)
                durability.touch(one.path.parent ?? .root)
                aside.append((one, name))
            } catch {
                guard !error.isNotFound else { continue }
                stayed.append(one.path)
            }
        }
        open.reset()
        try durability.settle()
        var going: [(one: Leaving, name: [UInt8], inode: UInt64)] = []
        for (one, name) in aside {
            try cancellation.throwIfRequested()
            let folder = try open.openParent(of: one.path)
            guard let now = try PathOccupant(name, in: folder) else { continue }
            guard now.isSame(as: one.standing), let info = try folder.info(of: name) else {
                try giveBack(one, name, in: folder)
                continue
            }
            going.append((one, name, info.inode))
        }
        try willRemove(going.map(\.one.path))
        try cancellation.throwIfRequested()
        // From here on the next run removes them, and nothing is brought back half.
        for (one, name, inode) in going { try journal.note(.put(one.path, inode: inode, temporary: name)) }
        try journal.synchronize()
        open.reset()
        for (one, name, _) in going {
            do throws(SystemError) { try open.openParent(of: one.path).removeAll(name) } catch { isTidy = false }
            removed.append(one.path)
        }
        open.reset()
        let emptied = emptied(in: root)
        if !emptied.isEmpty { try willRemove(emptied) }
        for path in emptied {
            open.reset()
            guard let parent = try? open.openParent(of: path), (try? parent.removeFolder(path.name)) != nil else {
                continue
            }
            durability.touch(path.parent ?? .root)
            removed.append(path)
        }
    }

    /// The folders that have nothing in them but each other, the deepest first.
    private func emptied(in root: Folder) -> [RelativePath] {
        var open = FolderPath(root)
        var emptied: Set<RelativePath> = []
        return folders.sorted(by: { $1 < $0 }).filter { path in
            open.reset()
            guard !path.isRoot, let names = try? open.open(path).names(),
                names.allSatisfy({ emptied.contains(path.appending($0)) })
            else { return false }
            return emptied.insert(path).inserted
        }
    }

    /// Gives a document that was changed meanwhile its name back, or one beside it.
    private mutating func giveBack(_ one: Leaving, _ name: [UInt8], in folder: Folder) throws {
        stayed.append(one.path)
        do throws(SystemError) { try folder.renameNew(name, to: folder, one.path.name) } catch {
            _ = try folder.keep(name, beside: one.path.name, by: "restore")
        }
    }
}
