import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The folder that a restore writes to, and what may be replaced in it.
struct RestoreTarget {
    let root: Folder
    let madeRoot: Bool
    private let proof: ContentProof
    private let backedUp: BackedUp
    private let overwrite: Bool

    init(root: Folder, madeRoot: Bool, proof: ContentProof, backedUp: BackedUp, overwrite: Bool) {
        (self.root, self.madeRoot, self.proof) = (root, madeRoot, proof)
        (self.backedUp, self.overwrite) = (backedUp, overwrite)
    }

    /// Compares the plan with what is there: what is the same stays; what is in the vault may be replaced; for anything else the
    /// whole restore stops before it has written a byte.
    func check(_ plan: inout RestorePlan) throws {
        var blocked: [String] = []
        var kept: Set<Int> = []
        var keptBundles: Set<Int> = []
        var path = FolderPath(root)
        for (number, bundle) in plan.bundles.enumerated() {
            guard let info = try standing(at: bundle.path, &path) else { continue }
            if info.kind == .folder, matches(bundle, &path) {
                keptBundles.insert(number)
            } else if try overwrite || backedUp.holds(bundle.path, .bundle, info, &path) {
                let listing = info.kind == .folder ? try BundleListing(try path.open(bundle.path)) : nil
                plan.allowReplacing(bundle: number, standing: listing)
            } else {
                blocked.append(Display.text(bundle.path))
            }
        }
        for (number, item) in plan.items.enumerated() where item.bundle == nil {
            guard let info = try standing(at: item.path, &path) else { continue }
            if item.member.content == .folder {
                // Documents that stand where a folder should be are never moved aside for it.
                if info.kind != .folder { blocked.append(Display.text(item.path)) }
                continue
            }
            if try isSame(item.member, info, item.path, &path) {
                kept.insert(number)
            } else if info.kind != .folder,
                try overwrite || backedUp.holds(item.path, item.member.projectKind, info, &path)
            {
                plan.replaced[item.path] = StatKey(info)
            } else {
                blocked.append(Display.text(item.path))
            }
        }
        guard blocked.isEmpty else { throw EngineError.wouldOverwrite(blocked.sorted()) }
        plan.keep(items: kept, bundles: keptBundles)
    }

    private func standing(at path: RelativePath, _ folders: inout FolderPath) throws -> FileInfo? {
        if path.isRoot { return try root.info() }
        do {
            return try folders.openParent(of: path).info(of: path.name)
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }

    /// Size, time and mode to the nanosecond, and then the content itself: times can be made to agree.
    private func isSame(
        _ member: Member, _ info: FileInfo, _ path: RelativePath, _ folders: inout FolderPath
    ) throws -> Bool {
        switch member.content {
        case .file(let size, let chunks):
            try info.kind == .file && info.size == size && info.modified == member.modified && info.mode == member.mode
                && proof.holds(folders.openParent(of: path), path.name, chunks)
        case .symlink(let target):
            try info.kind == .symlink && info.modified == member.modified
                && folders.openParent(of: path).target(of: path.name) == target
        case .folder: info.kind == .folder
        }
    }

    private func matches(_ bundle: RestorePlan.Bundle, _ folders: inout FolderPath) -> Bool {
        guard let folder = try? folders.open(bundle.path), let listing = try? BundleListing(folder),
            listing.items.count == bundle.members.count
        else { return false }
        var inner = FolderPath(folder)
        return zip(listing.items, bundle.members.sorted { $0.path < $1.path }).allSatisfy { item, member in
            item.path == member.path
                && (item.path.isRoot || (try? isSame(member, item.info, item.path, &inner)) ?? false)
        }
    }
}

/// Compares a file on disk with the chunks that it should have.
struct ContentProof {
    private let vault: Vault
    private let index: ChunkIndex

    init(_ vault: Vault, _ index: ChunkIndex) { (self.vault, self.index) = (vault, index) }

    func holds(_ folder: Folder, _ name: [UInt8], _ chunks: [ChunkID]) throws -> Bool {
        let file = try folder.fileWithoutAccessTime(name)
        for chunk in chunks {
            try Interruption.throwIfRequested()
            guard try isNext(chunk, in: file) else { return false }
        }
        return true
    }

    /// Whether the file goes on with this chunk. Where its places differ in how long it is, the shortest is tried first.
    private func isNext(_ chunk: ChunkID, in file: borrowing File) throws -> Bool {
        var bytes: [UInt8] = []
        for length in Set(index.allLocations(of: chunk).map { Int($0.length) }).sorted().prefix(16) {
            var more = [UInt8](repeating: 0, count: length - bytes.count)
            var span = more.mutableSpan
            guard try file.read(into: &span) == more.count else { return false }
            bytes = bytes.isEmpty ? more : bytes + more
            if vault.chunkID(of: bytes.span) == chunk { return true }
        }
        return false
    }
}

/// What of a folder is in the vault, as far as this device knows.
struct BackedUp {
    private let folders: [RelativePath?: [UInt8]]
    private let store: LocalStore?

    /// For a library: what its local store remembers.
    init(_ library: OpenLibrary) throws {
        folders = try library.store.read { try $0.folders() }
        store = library.store
    }

    /// For any other folder: nothing.
    init() { (folders, store) = ([:], nil) }

    /// Whether the file is as it was when its version was stored, or is less than that by no writer's hand.
    func holds(_ path: RelativePath, _ kind: ProjectKind, _ info: FileInfo, _ opened: inout FolderPath) throws -> Bool {
        guard let entry = try entry(at: path), entry.kind == kind else { return false }
        return try holds(entry, path, info, &opened)
    }

    /// The same where what is remembered is known: to look it up costs a folder's entries.
    func holds(_ entry: Entry, _ path: RelativePath, _ info: FileInfo, _ opened: inout FolderPath) throws -> Bool {
        guard entry.stat.isUntouched(StatKey(info)) else { return false }
        return try entry.kind != .bundle || holdsMembers(of: entry, try opened.open(path))
    }

    /// Whether what has the name `name` now is as it was when it was stored under another.
    func heldBeforeRename(_ entry: Entry?, _ name: [UInt8], in folder: Folder) throws -> Bool {
        guard let entry, let info = try folder.info(of: name),
            entry.stat.isSameContent(as: StatKey(info))
        else { return false }
        switch (entry.kind, info.kind) {
        case (.file, .file), (.symlink, .symlink): return true
        case (.bundle, .folder): return try holdsMembers(of: entry, try folder.folder(name))
        default: return false
        }
    }

    func entry(at path: RelativePath) throws -> Entry? {
        try folders[path.parent]?.entries().first { $0.name == path.name }
    }

    private func holdsMembers(of entry: Entry, _ folder: Folder) throws -> Bool {
        guard let members = try store?.read({ try $0.members(of: entry.project) }) else { return false }
        let expected = Dictionary(members.map { ($0.member.path, $0.stat) }, uniquingKeysWith: { $1 })
        let listing = try BundleListing(folder)
        return listing.items.count == expected.count
            && listing.items.allSatisfy { item in
                item.path.isRoot || expected[item.path]?.isUntouched(StatKey(item.info)) ?? false
            }
    }

    /// Every project with its place and what is remembered of it.
    func everything() throws -> [ProjectID: (path: RelativePath, entry: Entry)] {
        var all: [ProjectID: (path: RelativePath, entry: Entry)] = [:]
        for (folder, encoded) in folders {
            for entry in try encoded.entries() {
                // The library's own folder stands in no folder.
                all[entry.project] = (folder?.appending(entry.name) ?? .root, entry)
            }
        }
        return all
    }
}

extension Member {
    var projectKind: ProjectKind {
        switch content {
        case .file: .file
        case .folder: .folder
        case .symlink: .symlink
        }
    }
}
