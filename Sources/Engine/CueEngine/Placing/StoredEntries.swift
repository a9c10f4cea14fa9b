import CueBase
import CueLibrary
import CueSystem
import CueVault
import Synchronization

/// A project's path and entry in the local store.
typealias KnownProject = (path: RelativePath, entry: ScanEntry)

/// The entries of the local store, as proof of what is in the vault. A copy of the moment it was made.
struct StoredEntries: Sendable {
    private let folders: [RelativePath?: [UInt8]]
    private let store: LocalStore?
    private let lastFolder = LastFolder()

    /// The folder that was decoded last: a folder of thousands is asked for each of its documents.
    private final class LastFolder: Sendable {
        private let state = Mutex<(path: RelativePath?, entries: [[UInt8]: ScanEntry])?>(nil)

        func entry(at path: RelativePath, _ encoded: [UInt8]) throws -> ScanEntry? {
            try state.withLock { state in
                if let state, state.path == path.parent { return state.entries[path.name] }
                let entries = Dictionary(
                    try encoded.entries().map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
                state = (path.parent, entries)
                return entries[path.name]
            }
        }
    }

    /// For a library: everything that its local store remembers.
    init(_ library: OpenLibrary) throws {
        folders = try library.store.read { try $0.folders() }
        store = library.store
    }

    /// For any other folder: empty.
    init() { (folders, store) = ([:], nil) }

    /// Whether the file is as it was when its version was stored, or is damaged by no program (`StatKey.isUntouched`).
    func holds(_ path: RelativePath, _ kind: ProjectKind, _ info: FileInfo, _ opened: inout FolderPath) throws -> Bool {
        guard let entry = try entry(at: path), entry.kind == kind else { return false }
        return try holds(entry, path, info, &opened)
    }

    /// The same with a known entry.
    func holds(_ entry: ScanEntry, _ path: RelativePath, _ info: FileInfo, _ opened: inout FolderPath) throws -> Bool {
        guard entry.stat.isUntouched(StatKey(info)) else { return false }
        return try entry.kind != .bundle || holdsMembers(of: entry, try opened.open(path))
    }

    /// The entry of a bundle that holds this file as it was when it was stored; nil if it does not.
    func bundle(_ bundle: RelativePath, holding path: RelativePath, _ info: FileInfo) throws -> ScanEntry? {
        guard let entry = try entry(at: bundle), entry.kind == .bundle,
            let members = try store?.read({ try $0.members(of: entry.project) }),
            let member = members.first(where: { bundle.appending($0.member.path) == path })
        else { return nil }
        return member.stat == StatKey(info) ? entry : nil
    }

    /// Whether the file that is now called `name` is as it was when it was stored under another name.
    func heldBeforeRename(_ entry: ScanEntry?, _ name: [UInt8], in folder: Folder) throws -> Bool {
        guard let entry, let info = try folder.info(of: name),
            entry.stat.isSameContent(as: StatKey(info))
        else { return false }
        switch (entry.kind, info.kind) {
        case (.file, .file), (.symlink, .symlink): return true
        case (.bundle, .folder): return try holdsMembers(of: entry, try folder.folder(name))
        default: return false
        }
    }

    /// The entry at a path; nil if there is none.
    func entry(at path: RelativePath) throws -> ScanEntry? {
        try folders[path.parent].flatMap { try lastFolder.entry(at: path, $0) }
    }

    /// Whether a bundle has exactly its stored members, none of them touched.
    private func holdsMembers(of entry: ScanEntry, _ folder: Folder) throws -> Bool {
        guard let members = try store?.read({ try $0.members(of: entry.project) }) else { return false }
        let expected = Dictionary(members.map { ($0.member.path, $0.stat) }, uniquingKeysWith: { $1 })
        let listing = try BundleListing(folder)
        return listing.items.count == expected.count
            && listing.items.allSatisfy { item in
                item.path.isRoot || expected[item.path]?.isUntouched(StatKey(item.info)) ?? false
            }
    }

    /// All projects with their paths and entries. Decodes every folder.
    func everything() throws -> [ProjectID: (path: RelativePath, entry: ScanEntry)] {
        var all: [ProjectID: (path: RelativePath, entry: ScanEntry)] = [:]
        for (folder, encoded) in folders {
            for entry in try encoded.entries() {
                // The library's own folder is in no folder.
                all[entry.project] = (folder?.appending(entry.name) ?? .root, entry)
            }
        }
        return all
    }
}
