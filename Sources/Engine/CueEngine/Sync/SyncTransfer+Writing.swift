import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The part that writes new and changed documents, and the times of folders.
extension SyncTransfer {
    /// Writes new and changed documents, and then the times of folders.
    mutating func place(_ placings: [Placing], _ newFolders: [SyncPlan.Take]) throws {
        var plan = RestorePlan()
        var entries: [RelativePath: ScanEntry] = [:]
        defer { clearFolders = [] }
        for placing in placings {
            let path = placing.take.version.header.path
            if placing.standing == nil, let obstacle = try obstacle(at: path) {
                wait(path, obstacle)
                continue
            }
            // No version of cue writes this: a document that changes its kind is a new project.
            if let standing = placing.standing, standing.isBundle != (placing.take.version.header.kind == .bundle) {
                wait(path, .otherKind)
                continue
            }
            plan.place(placing.take.version, placing.take.members, replacing: placing.standing)
            entries[path] = entry(of: placing.take)
        }
        for take in newFolders where !take.version.header.path.isRoot {
            if let obstacle = documentAbove(take.version.header.path, orAt: true) {
                wait(take.version.header.path, obstacle)
            } else {
                plan.place(take.version, take.members, replacing: nil)
            }
        }
        let (journal, expected) = (journal, entries)
        let summary = try Restore.place(
            plan, context, history, packs, names, durability,
            RestoreBuilder.Hooks(
                willPlace: { [self] path, info, temporary in
                    guard let entry = expected[path] else { return }
                    try journal.note(.place(placing(entry, at: path, info, temporary: temporary)))
                },
                willDiscard: { path, temporary in try journal.note(.discard(path, temporary: temporary)) },
                isKept: { path, temporary in try journal.note(.aside(path, temporary: temporary)) },
                synchronize: { try journal.synchronize() }))
        // A person waits for a document, and not for each of its files.
        let documents = Set(placings.lazy.map(\.take.version.header.path))
        var named: Set<RelativePath> = []
        for failed in summary.failed {
            var above = failed.path
            while let path = above, !documents.contains(path) { above = path.parent }
            let path = above ?? failed.path
            if path.map({ named.insert($0).inserted }) ?? true {
                waiting.append(SkippedPath(path: path, reason: failed.reason))
            }
        }
        isDamaged = summary.isDamaged
        isTidy = isTidy && summary.isTidy
        folders.reset()
        for placing in placings {
            if let entry = entries[placing.take.version.header.path] { try remember(placing.take, entry) }
        }
        try calmFolders(but: Set(newFolders.map(\.version.header.path)))
        for take in newFolders { try rememberFolder(take) }
    }

    /// The entry of a version, without its key on the disk.
    private func entry(of take: SyncPlan.Take) -> ScanEntry {
        let version = take.version
        return ScanEntry(
            name: version.header.path.name, kind: version.header.kind, stat: .none, project: version.header.project,
            base: version.id, fingerprint: vault.fingerprint(of: take.members),
            content: vault.contentFingerprint(of: take.members), depth: depth(of: version.id))
    }

    /// The number of differences behind a version; `DeltaRules.unknown` if the past was not read.
    func depth(of version: VersionID) -> UInt8 {
        history.deltas(to: version).map { UInt8($0) } ?? DeltaRules.unknown
    }

    /// Why nothing new can appear at a path; nil if the place is free.
    private mutating func obstacle(at path: RelativePath) throws -> SkipReason? {
        if let above = documentAbove(path) { return above }
        guard let folder = try? folders.openParent(of: path), try folder.info(of: path.name) != nil else { return nil }
        guard try folder.names().contains(path.name) else {
            return .nameDiffersInCase
        }
        return .nameTaken
    }

    /// Why nothing can be put into a folder: a document, or a link, stands at the name of one here.
    private mutating func documentAbove(_ path: RelativePath, orAt: Bool = false) -> SkipReason? {
        var next = orAt ? path : path.parent
        var passed: [RelativePath] = []
        while let folder = next, !folder.isRoot, !clearFolders.contains(folder) {
            passed.append(folder)
            if let parent = try? folders.openParent(of: folder) {
                guard let kind = (try? parent.info(of: folder.name))??.kind, kind != .folder else { break }
                return .documentAbove(folder)
            }
            next = folder.parent
        }
        clearFolders.formUnion(passed)
        return nil
    }

    private mutating func remember(_ take: SyncPlan.Take, _ entry: ScanEntry) throws {
        let path = take.version.header.path
        // A document whose placing failed is reported already, and the old one is there, or another. A move is noted
        // too: then the document is here under its new name and still has its old content.
        guard let placed = journal.placed(at: path), placed.base == entry.base,
            let folder = try? folders.openParent(of: path), let info = try folder.info(of: path.name),
            info.inode == placed.inode
        else { return }
        var entry = entry
        if entry.kind == .bundle {
            let listing = try BundleListing(folder.folder(path.name))
            if let members = listing.entries(placedAs: take.members) {
                bundles[entry.project] = members
            } else {
                removedBundles.append(entry.project)
            }
            entry.stat = StatKey(info)
        } else {
            // To the nanosecond: a program may have written in it since it had its place.
            let isOurs = info.kind == .symlink || info.size == placed.size && info.modified == placed.modified
            entry.stat = isOurs ? StatKey(info) : StatKey(info).doubted
        }
        try edits.put(entry, at: path)
        guard entry.kind.isDocument else { return }
        received.append(path)
        news.append(DocumentNews(kind: .received, path: path, device: writer(of: take.version)))
    }

    // MARK: Folders

    private mutating func rememberFolder(_ take: SyncPlan.Take) throws {
        let path = take.version.header.path
        guard let info = try? folders.open(path).info() else { return }
        var entry = entry(of: take)
        entry.stat = StatKey(info)
        if let old = take.old, old.path != path { try edits.forget(entry.project, at: old.path) }
        try edits.put(entry, at: path)
        // A folder that only got another time is not counted.
        if take.old?.path != path || take.old?.entry.stat.mode != entry.stat.mode { receivedFolders += 1 }
    }

    /// Gives folders in which we worked their times back: a sync is no edit.
    private mutating func calmFolders(but others: Set<RelativePath>) throws {
        for (path, before) in touched where !others.contains(path) && !leftFolders.contains(path) {
            guard let folder = try? folders.open(path), var entry = try backedUp.entry(at: path), entry.kind == .folder,
                entry.stat.doubted == StatKey(before).doubted
            else { continue }
            try? folder.setModified(before.modified)
            durability.touch(path)
            entry.stat = StatKey(try folder.info())
            try edits.put(entry, at: path)
        }
    }
}
