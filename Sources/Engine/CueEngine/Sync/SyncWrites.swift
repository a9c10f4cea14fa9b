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
    /// The number of chunks in the whole lists of members, those of earlier commits of this run included.
    private(set) var listed: Int
    /// The limit of `listed`, which the last list may exceed. Each chunk takes 32 bytes, and a small version of another
    /// device may have a list of any length.
    private static let mostListed = 1 << 20
    /// Names that these versions take.
    private(set) var paths: Set<RelativePath> = []
    private(set) var resolved: [ResolvedConflict] = []

    /// The content on the disk becomes this version of that project.
    private struct Relink {
        let old: KnownProject
        let project: ProjectID
        let base: VersionID
    }

    /// `listed`: the number of chunks in the lists that this run wrote before.
    init(listed: Int = 0) { self.listed = listed }

    /// Whether nothing is to be written.
    var isEmpty: Bool { drafts.isEmpty }
    /// Whether this run may write one more list.
    var hasRoom: Bool { listed < Self.mostListed }

    /// The id that the next version gets.
    var nextID: VersionID { VersionID(commit: commit, number: UInt32(drafts.count)) }
    var firstID: VersionID { VersionID(commit: commit, number: 0) }

    /// Thrown if no record can hold the list of members. Nothing of the document was written then.
    struct ListTooLong: Error {}

    private mutating func append(
        _ version: History.Version, _ project: ProjectID?, at path: RelativePath, _ parents: [VersionID],
        _ body: VersionDraft.Body, depth: UInt8 = 0
    ) throws {
        let draft = VersionDraft(
            project: project, parents: parents, path: path, kind: version.header.kind,
            edited: version.header.edited, isUnsettled: version.header.isUnsettled, body: body)
        guard draft.fits(beside: []) else { throw ListTooLong() }
        paths.insert(path)
        depths[nextID] = depth
        if case .full(let members) = body { listed += members.reduce(0) { $0 + $1.chunks.count } }
        drafts.append(draft)
    }

    /// Writes the content of a version once more, as a child of `parents`. If the version is the first of them, no list
    /// is needed.
    @discardableResult
    mutating func write(
        _ version: History.Version, of project: ProjectID, at path: RelativePath, parents: [VersionID],
        _ history: History, _ vault: Vault, _ old: KnownProject?
    ) throws -> VersionID {
        let (id, members) = (nextID, try history.members(of: version.id))
        if parents.first == version.id, let depth = try history.deltas(to: version.id), depth < DeltaRules.depth {
            try append(version, project, at: path, parents, .delta(removed: [], put: []), depth: UInt8(depth) + 1)
        } else {
            try append(version, project, at: path, parents, .full(members))
        }
        // If the disk has this content already, it has the new version.
        if let old, old.path == path, old.entry.fingerprint == vault.fingerprint(of: members) {
            relink(old, to: project, id)
        }
        return id
    }

    /// Adds the content of another project's version as a head of this one.
    mutating func add(_ version: History.Version, to project: ProjectID, _ history: History) throws -> VersionID {
        let (id, members) = (nextID, try history.members(of: version.id))
        try append(version, project, at: version.header.path, [], .full(members))
        return id
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
    /// their own.
    mutating func resolve(
        _ conflict: Conflict, _ keep: Keep, _ history: History, _ vault: Vault, _ old: KnownProject?,
        isTaken: (RelativePath) -> Bool
    ) throws {
        let before = (drafts.count, relinks.count)
        do { try write(answer: keep, to: conflict, history, vault, old, isTaken: isTaken) } catch {
            drafts.removeLast(drafts.count - before.0)
            relinks.removeLast(relinks.count - before.1)
            throw error
        }
    }

    private mutating func write(
        answer keep: Keep, to conflict: Conflict, _ history: History, _ vault: Vault, _ old: KnownProject?,
        isTaken: (RelativePath) -> Bool
    ) throws {
        let kept = try conflict.side(keep)
        let parents = [kept.version.id] + conflict.heads.sorted().filter { $0 != kept.version.id }
        let path = kept.version.header.path
        if kept.isDeletion {
            addTombstone(conflict.project, kept.version, parents: parents)
        } else {
            try write(kept.version, of: conflict.project, at: path, parents: parents, history, vault, old)
        }
        var copies: [RelativePath] = []
        if keep == .both {
            for side in conflict.sides where !side.isDeletion && side.version.id != kept.version.id {
                let copy = CopyName.sibling(for: side.version, history, beside: path) {
                    isTaken($0) || paths.contains($0)
                }
                try append(side.version, nil, at: copy, [], .full(try history.members(of: side.version.id)))
                copies.append(copy)
            }
        }
        resolved.append(ResolvedConflict(conflict: conflict, kept: kept, copies: copies))
    }

    // MARK: Do

    /// Commits all of it, and then brings the local store up to date.
    func commit(_ context: EngineContext, as device: inout OpenLibrary.Device) throws {
        let (library, now) = (context.library, context.clock.now)
        let writer = CommitWriter(context: context, id: commit, versions: drafts, isOfDisk: false)
        _ = try writer.write(as: &device)
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
        let (written, position) = (edits, device.position)
        try library.store.write { [device] transaction in
            try written.save(transaction)
            // A change no longer goes on from what the vault had at this name before.
            for relink in relinks { try transaction.removeUnlinked(relink.old.path) }
            for relink in relinks where relink.old.entry.project != relink.project {
                guard let members = try transaction.members(of: relink.old.entry.project) else { continue }
                try transaction.setMembers(members, of: relink.project)
                try transaction.removeMembers(of: relink.old.entry.project)
            }
            try transaction.set(device)
            try transaction.addSeen([position], at: now)
            try transaction.set(.isSnapshotOpen, to: false)
            try transaction.set(.snapshot, to: commit)
        }
    }
}
