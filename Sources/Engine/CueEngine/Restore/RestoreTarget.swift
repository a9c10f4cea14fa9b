import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The folder to which a restore writes, and the rules for replacing documents in it.
struct RestoreTarget {
    let root: Folder
    /// Whether the restore made the folder.
    let madeRoot: Bool
    private let proof: ContentProof
    private let backedUp: StoredEntries
    private let overwrite: Bool
    private var lastCopies: LastCopies?
    /// Documents at the places of the plan that this device has stored, and that the vault has lost since.
    private(set) var endangered: [KnownProject] = []
    /// Packs that `check` found damaged.
    var brokenPacks: Set<PackID> { lastCopies?.foundBroken ?? [] }

    init(
        root: Folder, madeRoot: Bool, _ context: VaultContext, _ history: History, backedUp: StoredEntries,
        lastCopies: LastCopies? = nil, overwrite: Bool
    ) {
        let (vault, cancellation) = (context.vault, context.surroundings.cancellation)
        (self.root, self.madeRoot, proof) = (root, madeRoot, ContentProof(vault, history.index, cancellation))
        (self.backedUp, self.overwrite) = (backedUp, overwrite)
        self.lastCopies = lastCopies
    }

    /// Compares the plan with the folder, and takes out of it what is there already. Documents that the vault holds may
    /// be replaced. Throws `EngineError.wouldOverwrite` for anything else: then nothing is written at all.
    mutating func check(_ plan: inout RestorePlan) throws {
        var blocked: [String] = []
        var kept: Set<Int> = []
        var keptBundles: Set<Int> = []
        var path = FolderPath(root)
        for (number, bundle) in plan.bundles.enumerated() {
            guard let info = try standing(at: bundle.path, &path) else { continue }
            if info.kind == .folder, matches(bundle, &path) {
                keptBundles.insert(number)
            } else if try mayReplace(bundle.path, .bundle, info, &path) {
                let listing = info.kind == .folder ? try BundleListing(try path.open(bundle.path)) : nil
                plan.allowReplacing(bundle: number, standing: listing)
            } else {
                blocked.append(Display.text(bundle.path))
            }
        }
        for (number, item) in plan.items.enumerated() where item.bundle == nil {
            guard let info = try standing(at: item.path, &path) else { continue }
            if item.member.content == .folder {
                // A document in the place of a folder is never moved aside.
                if info.kind != .folder { blocked.append(Display.text(item.path)) }
                continue
            }
            if try isSame(item.member, info, item.path, &path) {
                kept.insert(number)
            } else if info.kind != .folder, try mayReplace(item.path, item.member.projectKind, info, &path) {
                plan.replaced[item.path] = StatKey(info)
            } else {
                blocked.append(Display.text(item.path))
            }
        }
        guard blocked.isEmpty else { throw EngineError.wouldOverwrite(blocked.sorted()) }
        plan.keep(items: kept, bundles: keptBundles)
    }

    /// Whether the document at a path may be replaced: the vault holds it, or the request allows it.
    private mutating func mayReplace(
        _ path: RelativePath, _ kind: ProjectKind, _ info: FileInfo, _ folders: inout FolderPath
    ) throws -> Bool {
        if overwrite { return true }
        guard let entry = try backedUp.entry(at: path), entry.kind == kind,
            try backedUp.holds(entry, path, info, &folders)
        else { return false }
        // A file that is damaged here is no copy.
        let isCopy = kind == .bundle || !entry.stat.isDamaged(StatKey(info))
        guard isCopy, try lastCopies?.isLast(entry) ?? false else { return true }
        endangered.append((path, entry))
        return false
    }

    /// The file or folder at a path; nil if there is none.
    private func standing(at path: RelativePath, _ folders: inout FolderPath) throws -> FileInfo? {
        if path.isRoot { return try root.info() }
        do {
            return try folders.openParent(of: path).info(of: path.name)
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }

    /// Whether kind, size, time (to the nanosecond) and mode agree, and then the content: times can be made to agree.
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

    /// Whether the bundle is there, with these members and no others.
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

extension Member {
    /// The kind of project that the member would be on its own.
    var projectKind: ProjectKind {
        switch content {
        case .file: .file
        case .folder: .folder
        case .symlink: .symlink
        }
    }
}
