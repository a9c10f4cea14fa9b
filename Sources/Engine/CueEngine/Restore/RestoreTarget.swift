import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The folder to which a restore writes, and the rules for replacing documents in it.
struct RestoreTarget {
    /// How a document may be replaced that no version holds.
    enum Rule {
        /// Not at all.
        case keep
        /// Not at all, but a document that is stored may be of another kind than the new one.
        case keepUnstored
        /// It gets a name beside the new one.
        case aside
    }

    /// What stands in the way of a plan, sorted by path.
    struct Obstacles {
        /// Documents that are in no version as they are; for a file of a bundle, the bundle.
        var strangers: Set<RelativePath> = []
        /// Folders in the places of documents, and documents in the places of folders: they are never moved.
        var immovable: Set<RelativePath> = []
        /// How they are shown, each file by its own path.
        var names: Set<RelativePath> = []

        var isEmpty: Bool { names.isEmpty }
    }

    let root: Folder
    /// Whether the restore made the folder.
    let madeRoot: Bool
    private let context: VaultContext
    private let proof: ContentProof
    private let backedUp: StoredEntries
    private let rule: Rule
    private var lastCopies: LastCopies?
    /// Read when they are first needed.
    private var past: VersionsByPath?
    /// The versions of what the plan replaces, by the path at which the new one appears.
    private(set) var standing: [RelativePath: VersionID] = [:]
    /// The folders of the plan that are there.
    private(set) var folders: Set<RelativePath> = []
    /// Documents at the places of the plan that this device has stored, and that the vault has lost since.
    private(set) var endangered: [KnownProject] = []
    /// Packs that `check` found damaged.
    var brokenPacks: Set<PackID> { lastCopies?.foundBroken ?? [] }

    /// `history`: that of the plan.
    init(
        root: Folder, madeRoot: Bool, _ context: VaultContext, _ history: History, backedUp: StoredEntries,
        lastCopies: LastCopies? = nil, _ rule: Rule
    ) {
        (self.root, self.madeRoot, self.context) = (root, madeRoot, context)
        proof = ContentProof(context.vault, history.index, context.surroundings.cancellation)
        (self.backedUp, self.rule) = (backedUp, rule)
        self.lastCopies = lastCopies
    }

    /// Compares the plan with the folder, and takes out of it what is there already. Documents that the vault holds may
    /// be replaced. Returns everything else that is in the way: then nothing may be written at all.
    mutating func check(_ plan: inout RestorePlan) throws -> Obstacles {
        var found = Obstacles()
        var kept: Set<Int> = []
        var keptBundles: Set<Int> = []
        var path = FolderPath(root)
        for (number, bundle) in plan.bundles.enumerated() {
            guard let info = try standing(at: bundle.path, &path) else { continue }
            // Before it is held against the vault: what is written later is in no version.
            let occupant =
                info.kind == .folder
                ? PathOccupant.folder(try BundleListing(try path.open(bundle.path))) : .single(StatKey(info))
            if info.kind == .folder, try matches(bundle.path, bundle.members, proof, &path) {
                keptBundles.insert(number)
            } else if try mayReplace(bundle.path, .bundle, info, &plan, &path)
                || isOtherFolder && info.kind == .folder
                    && matches(bundle.path, bundle.members, inTimes: false, proof, &path)
            {
                plan.allowReplacing(bundle: number, standing: occupant)
            } else {
                found.names.insert(bundle.path)
                found.strangers.insert(bundle.path)
            }
        }
        for (number, item) in plan.items.enumerated() where item.bundle == nil {
            guard let info = try standing(at: item.path, &path) else { continue }
            if item.member.content == .folder {
                if info.kind == .folder {
                    folders.insert(item.path)
                } else {
                    found.names.insert(item.path)
                    found.immovable.insert(item.path)
                }
                continue
            }
            if try isSame(item.member, info, item.path, proof, &path) {
                kept.insert(number)
            } else if info.kind == .folder {
                found.names.insert(item.path)
                found.immovable.insert(item.path)
            } else if try mayReplace(item.path, item.member.projectKind, info, &plan, &path)
                || isOtherFolder && isSame(item.member, info, item.path, inTimes: false, proof, &path)
            {
                plan.replaced[item.path] = StatKey(info)
            } else {
                found.names.insert(item.path)
                found.strangers.insert(plan.partial.first { item.path.isInside($0) } ?? item.path)
            }
        }
        plan.keep(items: kept, bundles: keptBundles)
        return found
    }

    /// Whether the document at a path may be replaced: the vault holds it, or it gets a name beside the new one.
    private mutating func mayReplace(
        _ path: RelativePath, _ kind: ProjectKind, _ info: FileInfo, _ plan: inout RestorePlan,
        _ folders: inout FolderPath
    ) throws -> Bool {
        if let version = try stored(path, kind, info, plan, &folders) ?? versioned(path, kind, info, &folders) {
            standing[path] = version
            return true
        }
        guard rule == .aside else { return false }
        plan.aside.insert(path)
        return true
    }

    /// The version that holds the document as this device last stored it; nil if the document was changed since, or the
    /// vault has lost the version.
    private mutating func stored(
        _ path: RelativePath, _ kind: ProjectKind, _ info: FileInfo, _ plan: RestorePlan, _ folders: inout FolderPath
    ) throws -> VersionID? {
        if let bundle = plan.partial.first(where: { path.isInside($0) }) {
            guard let entry = try backedUp.bundle(bundle, holding: path, info) else { return nil }
            return try isSafe(entry, bundle) ? entry.base : nil
        }
        guard let entry = try backedUp.entry(at: path), entry.kind != .folder,
            entry.kind == kind || rule == .keepUnstored && (entry.kind == .bundle) == (info.kind == .folder),
            try backedUp.holds(entry, path, info, &folders)
        else { return nil }
        // A file that is damaged here is no copy.
        let isCopy = entry.kind == .bundle || !entry.stat.isDamaged(StatKey(info))
        return try !isCopy || isSafe(entry, path) ? entry.base : nil
    }

    private mutating func isSafe(_ entry: ScanEntry, _ path: RelativePath) throws -> Bool {
        guard try lastCopies?.isLast(entry) ?? false else { return true }
        endangered.append((path, entry))
        return false
    }

    /// The version of the vault that has the path and is the same as what stands there, but perhaps for its times, such
    /// as one that a restore has just brought; nil if there is none, or a rule needs none.
    private mutating func versioned(
        _ path: RelativePath, _ kind: ProjectKind, _ info: FileInfo, _ folders: inout FolderPath
    ) throws -> VersionID? {
        guard lastCopies != nil || rule == .aside else { return nil }
        let past = try past ?? VersionsByPath(of: context.vault)
        self.past = past
        let proof = ContentProof(context.vault, past.history.index, context.surroundings.cancellation)
        // One that has the times too comes first. Where times alone differ, no work can be lost.
        for inTimes in [true, false] {
            for version in past.all(at: path)
            where (version.kind == .bundle) == (info.kind == .folder) && (version.kind == kind || rule != .keep) {
                let isHere =
                    if version.kind == .bundle {
                        try matches(path, version.members, inTimes: inTimes, proof, &folders)
                    } else if let member = version.members.first {
                        try isSame(member, info, path, inTimes: inTimes, proof, &folders)
                    } else { false }
                if isHere, try !(lastCopies?.isLost(version.id) ?? false) { return version.id }
            }
        }
        return nil
    }

    /// Whether the folder is no library, and nothing is replaced in it but for its times.
    private var isOtherFolder: Bool { if case .keep = rule { lastCopies == nil } else { false } }

    /// What stands at a path, if it is this version, whole or one file of it; nil if it is something else, or nothing.
    mutating func occupant(
        _ path: RelativePath, as version: VersionID, file: RelativePath?, in history: History
    ) throws -> PathOccupant? {
        var folders = FolderPath(root)
        guard let members = try? history.members(of: version), let info = try? standing(at: path, &folders),
            let own = members.first(where: { $0.path == file ?? .root })
        else { return nil }
        let standing = try PathOccupant(path.name, in: try folders.openParent(of: path))
        let isHere =
            if file == nil, own.content == .folder {
                try info.kind == .folder && matches(path, members, proof, &folders)
            } else {
                try isSame(own, info, path, proof, &folders)
            }
        return isHere ? standing : nil
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

    /// Whether kind, size, time (to the nanosecond; not without `inTimes`) and mode agree, and then the content: times
    /// can be made to agree.
    private func isSame(
        _ member: Member, _ info: FileInfo, _ path: RelativePath, inTimes: Bool = true, _ proof: ContentProof,
        _ folders: inout FolderPath
    ) throws -> Bool {
        if inTimes, member.content != .folder, info.modified != member.modified { return false }
        return switch member.content {
        case .file(let size, let chunks):
            try info.kind == .file && info.size == size && info.mode == member.mode
                && proof.holds(folders.openParent(of: path), path.name, chunks)
        case .symlink(let target):
            try info.kind == .symlink
                && folders.openParent(of: path).target(of: path.name) == target
        case .folder: info.kind == .folder
        }
    }

    /// Whether a bundle is there, with these members and no others; without `inTimes` their times may differ.
    private func matches(
        _ path: RelativePath, _ members: [Member], inTimes: Bool = true, _ proof: ContentProof,
        _ folders: inout FolderPath
    ) throws -> Bool {
        guard let folder = try? folders.open(path), let listing = try? BundleListing(folder),
            listing.items.count == members.count
        else { return false }
        var inner = FolderPath(folder)
        do {
            return try zip(listing.items, members.sorted { $0.path < $1.path }).allSatisfy { item, member in
                try item.path == member.path
                    && (item.path.isRoot || isSame(member, item.info, item.path, inTimes: inTimes, proof, &inner))
            }
        } catch let error as Interrupted { throw error } catch { return false }
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
