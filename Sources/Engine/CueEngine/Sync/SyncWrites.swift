import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Versions that a sync writes without new content: joins of heads, answers to conflicts, and names that were given
/// twice.
struct SyncWrites {
    private let commit = Vault.newCommitID()
    private var drafts: [VersionDraft] = []
    private var relinks: [Relink] = []
    /// The number of differences that lead to each of these versions.
    private var depths: [VersionID: UInt8] = [:]
    /// The bytes of the whole lists of members, those of earlier commits of this run included.
    private(set) var listed: Int
    /// The limit of `listed`, which a single document may exceed. A small version of another device may have a long
    /// list.
    private static let mostListed = 32 << 20
    /// Names that these versions take.
    private(set) var paths: Set<RelativePath> = []
    private(set) var resolved: [ResolvedConflict] = []

    /// The content on the disk becomes this version of that project.
    private struct Relink {
        let old: KnownProject
        let project: ProjectID
        let base: VersionID
    }

    /// `listed`: the bytes of the lists that this run wrote before.
    init(listed: Int = 0) { self.listed = listed }

    /// Whether nothing is to be written.
    var isEmpty: Bool { drafts.isEmpty }

    /// The id that the next version gets.
    var nextID: VersionID { VersionID(commit: commit, number: UInt32(drafts.count)) }
    var firstID: VersionID { VersionID(commit: commit, number: 0) }

    /// Thrown if lists cannot be written: no record can hold them, or this run has written so many that they have to
    /// wait for the next. Nothing of the document was written then.
    enum NoRoom: Error { case inRecord, inRun }

    /// Takes so many bytes of lists, all of one document, and ids of parents.
    private mutating func admit(_ lists: Int, _ parents: [VersionID] = []) throws(NoRoom) {
        let bytes = lists + parents.count * 16
        guard bytes <= VersionDraft.longest else { throw .inRecord }
        guard lists == 0 || listed == 0 || listed + bytes <= Self.mostListed else { throw .inRun }
        listed += bytes
    }

    private mutating func append(
        _ version: History.Version, _ project: ProjectID?, at path: RelativePath, _ parents: [VersionID],
        _ body: VersionDraft.Body, depth: UInt8 = 0
    ) {
        paths.insert(path)
        depths[nextID] = depth
        drafts.append(
            VersionDraft(
                project: project, parents: parents, path: path, kind: version.header.kind,
                edited: version.header.edited, isUnsettled: version.header.isUnsettled, body: body))
    }

    /// The depth of an empty difference to a version; nil if its whole list has to be written.
    private func depth(on version: History.Version, _ parents: [VersionID], _ history: History) throws -> UInt8? {
        guard parents.first == version.id, let depth = history.deltas(to: version.id) else { return nil }
        if depth < DeltaRules.depth { return UInt8(depth + 1) }
        // Beyond the length that writers make a chain, a difference only stands for a list that no record can hold.
        guard depth < Limits.deltas, try history.members(of: version.id).listedBytes > VersionDraft.longest else {
            return nil
        }
        return UInt8(depth + 1)
    }

    /// Writes the content of a version once more, as a child of `parents`. If the version is the first of them, no list
    /// is needed. Throws `NoRoom`.
    @discardableResult
    mutating func write(
        _ version: History.Version, of project: ProjectID, at path: RelativePath, parents: [VersionID],
        _ history: History, _ vault: Vault, _ old: KnownProject?
    ) throws -> VersionID {
        let depth = try depth(on: version, parents, history)
        let members = try history.members(of: version.id)
        try admit(depth == nil ? members.listedBytes : 0, parents)
        return write(version, members, depth, of: project, at: path, parents: parents, vault, old)
    }

    /// The same for a list that was admitted, or with the depth of a difference.
    @discardableResult
    private mutating func write(
        _ version: History.Version, _ members: [Member], _ depth: UInt8?, of project: ProjectID, at path: RelativePath,
        parents: [VersionID], _ vault: Vault, _ old: KnownProject?
    ) -> VersionID {
        let id = nextID
        append(
            version, project, at: path, parents, depth == nil ? .full(members) : .delta(removed: [], put: []),
            depth: depth ?? 0)
        // If the disk has this content already, it has the new version.
        if let old, old.path == path, old.entry.fingerprint == vault.fingerprint(of: members) {
            relink(old, to: project, id)
        }
        return id
    }

    /// Adds the content of another project's versions as heads of this one. Returns the last. Throws `NoRoom`.
    mutating func add(_ versions: [History.Version], to project: ProjectID, _ history: History) throws -> VersionID? {
        var bytes = 0
        // Too many are noticed before all of them are read.
        for version in versions where bytes <= VersionDraft.longest {
            bytes += try history.members(of: version.id).listedBytes
        }
        try admit(bytes)
        var last: VersionID?
        for version in versions {
            last = nextID
            append(version, project, at: version.header.path, [], .full(try history.members(of: version.id)))
        }
        return last
    }

    /// Writes a tombstone of the project.
    mutating func addTombstone(_ project: ProjectID, _ version: History.Version, parents: [VersionID]) {
        drafts.append(
            VersionDraft(
                project: project, parents: parents, path: version.header.path, kind: version.header.kind,
                edited: version.header.edited, isUnsettled: false, body: .tombstone))
    }

    /// Makes a version the base of what is on the disk.
    mutating func relink(_ old: KnownProject, to project: ProjectID, _ base: VersionID) {
        relinks.append(Relink(old: old, project: project, base: base))
    }

    // MARK: Conflicts

    /// Writes an answer: one version that has all heads as parents. For `both`, the other sides become documents of
    /// their own. Throws `NoRoom`.
    mutating func resolve(
        _ conflict: Conflict, _ keep: Keep, _ history: History, _ vault: Vault, _ old: KnownProject?,
        isTaken: (RelativePath) -> Bool
    ) throws {
        let kept = try conflict.side(keep)
        let parents = [kept.version.id] + conflict.heads.sorted().filter { $0 != kept.version.id }
        let path = kept.version.header.path
        let others = keep != .both ? [] : conflict.sides.filter { !$0.isDeletion && $0.version.id != kept.version.id }
        // All lists are admitted first, so that an answer is written whole or not at all.
        let members = try history.members(of: kept.version.id)
        let depth = try kept.isDeletion ? 0 : depth(on: kept.version, parents, history)
        let copied = try others.reduce(0) { $0 + (try history.members(of: $1.version.id).listedBytes) }
        try admit(copied + (depth == nil ? members.listedBytes : 0), parents)
        if kept.isDeletion {
            addTombstone(conflict.project, kept.version, parents: parents)
        } else {
            write(
                kept.version, members, depth, of: conflict.project, at: path, parents: parents, vault, old)
        }
        var copies: [RelativePath] = []
        for side in others {
            let copy = CopyName.sibling(for: side.version, history, beside: path) { isTaken($0) || paths.contains($0) }
            append(side.version, nil, at: copy, [], .full(try history.members(of: side.version.id)))
            copies.append(copy)
        }
        resolved.append(ResolvedConflict(conflict: conflict, kept: kept, copies: copies))
    }

    // MARK: Do

    /// Commits all of it, and then brings the local store up to date. Returns the size of the commit in bytes.
    func commit(_ context: EngineContext, as device: inout OpenLibrary.Device) throws -> Int {
        let (library, now) = (context.library, context.clock.now)
        var writer = CommitWriter(context: context, id: commit, versions: drafts, isOfDisk: false)
        let size = try writer.write(as: &device)
        var edits = FolderEdits(library.store)
        for relink in relinks {
            var entry = relink.old.entry
            // The number of differences behind a version of another commit is unknown: the next version is a whole
            // list.
            let depth = depths[relink.base] ?? DeltaRules.unknown
            (entry.project, entry.base, entry.depth) = (relink.project, relink.base, depth)
            try edits.forget(relink.old.entry.project, at: relink.old.path)
            try edits.put(entry, at: relink.old.path)
        }
        let written = edits
        try library.store.write { [device] transaction in
            try written.save(transaction)
            // A change no longer goes on from what the vault had at this name before.
            for relink in relinks { try transaction.removeUnlinked(relink.old.path) }
            for relink in relinks where relink.old.entry.project != relink.project {
                guard let members = try transaction.members(of: relink.old.entry.project) else { continue }
                try transaction.setMembers(members, of: relink.project)
                try transaction.removeMembers(of: relink.old.entry.project)
            }
            try transaction.note(commitOf: device, at: now)
            try transaction.set(.isSnapshotOpen, to: false)
            try transaction.set(.snapshot, to: commit)
        }
        return size
    }
}
