import CueBase
import CueEvents
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Turns the results of a round into versions, commits them, and then notes them in the local store.
struct RoundWriter {
    private let context: EngineContext
    private var library: OpenLibrary { context.library }
    private var vault: Vault { context.vault }
    /// The result of the backup so far, including this round.
    private(set) var summary: BackupSummary
    private(set) var device: OpenLibrary.Device
    private var edits: FolderEdits
    private let past: Past
    private var writer: CommitWriter
    private var bundles: [ProjectID: [MemberEntry]] = [:]
    private var removedBundles: [ProjectID] = []
    /// Paths whose content another device had stored already.
    private var linked: [RelativePath] = []
    /// Paths of deleted documents that were restored, and are stored again.
    private var revived: [RelativePath] = []
    /// All projects that this device has; read when it is first needed.
    private var here: Set<ProjectID>?

    /// Changes of settings, and a plan, that the commit takes along.
    private var notes = WaitingNotes()
    private let proof: Claims.Proof
    private let deltas: [FileKey: FileDeltas]

    /// State of the local store from before the first round.
    struct Past {
        /// Deleted documents that a restore has put into the folder again.
        var revived: [RelativePath: RevivedProject] = [:]
        /// Folders that other devices deleted, and in which something new stands.
        var usedAgain: Set<RelativePath> = []
        /// Whether a run was cut off while it put documents into the folder, and no sync has ended since.
        var wasCutOff = false
    }

    init(
        _ context: EngineContext, as device: OpenLibrary.Device, _ summary: BackupSummary, _ edits: FolderEdits,
        _ past: Past, content: PackingWorkers.Output, proof: Claims.Proof
    ) {
        (self.context, self.device, self.summary) = (context, device, summary)
        (self.edits, self.past, self.proof, deltas) = (edits, past, proof, content.deltas)
        writer = CommitWriter(
            context: context, id: Vault.newCommitID(), packs: content.packs, inline: content.inline)
    }

    // MARK: Decide

    /// Takes the result of a candidate: makes a version if it changed.
    mutating func take(_ result: FinishedDocument, unlinked: inout [RelativePath: UnlinkedProject]) throws {
        switch result.outcome {
        case .vanished, .segment: break
        case .unreadable(let error):
            // A folder that the scan could not list is named once.
            let isFolder = result.candidate.kind == .folder
            guard !isFolder || !summary.skipped.contains(where: { $0.path == result.candidate.path }) else {
                break
            }
            summary.skipped.append(SkippedPath(path: result.candidate.path, reason: .unreadable(error)))
        case .moved: try move(result)
        case .stored(let members, let isUnsettled):
            try store(result, members, isUnsettled: isUnsettled, &unlinked)
        }
    }

    /// Takes a project under a new name, with nothing else changed.
    private mutating func move(_ result: FinishedDocument) throws {
        guard let move = result.move else { return }
        var entry = move.entry
        entry.name = result.candidate.path.name
        entry.stat = result.candidate.stat
        try renamed(result.candidate.path, from: move, &entry)
    }

    /// Writes a version of an old project under a new name, with the members of its base.
    private mutating func renamed(
        _ path: RelativePath, from move: (path: RelativePath, entry: ScanEntry), _ entry: inout ScanEntry
    ) throws {
        let id = writer.nextID
        writer.versions.append(
            VersionDraft(
                project: entry.project, parents: [entry.base], path: path, kind: entry.kind,
                edited: entry.stat.modified.timestamp, isUnsettled: false, body: .delta(removed: [], put: [])))
        entry.base = id
        entry.depth += 1
        if entry.kind.isDocument {
            summary.renamed += 1
            summary.documents += 1
            summary.news.append(DocumentNews(kind: .renamed, path: path, before: move.path))
        }
        try edits.forget(entry.project, at: move.path)
        try edits.put(entry, at: path)
    }

    /// Takes a document that was read: makes a version, or links it to the one that the vault has.
    private mutating func store(
        _ result: FinishedDocument, _ members: [MemberEntry], isUnsettled: Bool,
        _ unlinked: inout [RelativePath: UnlinkedProject]
    ) throws {
        let (path, kind) = (result.candidate.path, result.candidate.kind)
        guard let own = members.first(where: { $0.member.path.isRoot }) else { return }
        let fingerprint = Fingerprints(members.map(\.member), vault)
        if isUnsettled { summary.unsettled.append(path) }
        var old = result.candidate.old ?? result.move?.entry
        if var entry = old, entry.isLeft {
            // It is no edit that the folder is empty now, or that an ignored file came or went.
            guard past.usedAgain.contains(path) else {
                entry.stat = own.stat
                return try edits.put(entry, at: path)
            }
            old = nil
        }
        if var entry = old, entry.fingerprint == fingerprint.whole, !isUnsettled,
            result.move == nil || entry.depth < DeltaRules.depth
        {
            (entry.name, entry.stat, entry.content) = (path.name, own.stat, fingerprint.content)
            if kind == .bundle { bundles[entry.project] = members }
            if let move = result.move { return try renamed(path, from: move, &entry) }
            if kind.isDocument { summary.documents += 1 }
            return try edits.put(entry, at: path)
        }
        if let there = unlinked[path], there.kind == kind,
            try old == nil ? !isHere(there.project) : old?.project == there.project
        {
            // The run that was cut off may have made this folder, and not yet taken from it the right to write. It is
            // no edit: the next sync gives the folder the mode that it has in the vault.
            if past.wasCutOff, old == nil, kind == .folder, !path.isRoot, there.fingerprint != fingerprint.whole {
                return
            }
            unlinked[path] = nil
            linked.append(path)
            // The folder has the other device's content too, by a restore or a copy: that version becomes the base.
            if there.fingerprint == fingerprint.whole {
                return try link(path, kind, own.stat, there.project, there.version, fingerprint, members)
            }
            if there.content == fingerprint.content {
                // New times and modes of a copy are no news for other devices.
                if old == nil, kind != .folder {
                    return try link(path, kind, own.stat, there.project, there.version, fingerprint, members)
                }
                return try write(
                    result, members, own, fingerprint, project: there.project, parents: [there.version], isUnsettled)
            }
            if let old {
                return try write(
                    result, members, own, fingerprint, project: old.project, parents: [old.base], isUnsettled)
            }
            // Two devices have different content under one name, and neither came from the other: both are kept.
            if kind.isDocument { summary.conflicting.append(path) }
            return try write(result, members, own, fingerprint, project: there.project, parents: [], isUnsettled)
        }
        if let there = past.revived[path] {
            revived.append(path)
            if old == nil, there.kind == kind, try !isHere(there.project) {
                // It continues its history, and on other devices it is the document that they have, or had.
                return try write(
                    result, members, own, fingerprint, project: there.project, parents: [there.deletion], isUnsettled)
            }
        }
        try write(
            result, members, own, fingerprint, project: old?.project, parents: old.map { [$0.base] } ?? [], isUnsettled)
    }

    /// Whether this device has the project, under any name.
    private mutating func isHere(_ project: ProjectID) throws -> Bool {
        let known = try here ?? library.store.read { try $0.projects() }
        here = known
        return known.contains(project)
    }

    /// Makes an existing version of the vault the base of what stands at the path.
    private mutating func link(
        _ path: RelativePath, _ kind: ProjectKind, _ stat: StatKey, _ project: ProjectID, _ version: VersionID,
        _ fingerprint: Fingerprints, _ members: [MemberEntry]
    ) throws {
        if kind == .bundle { bundles[project] = members }
        if kind.isDocument { summary.documents += 1 }
        try edits.put(
            ScanEntry(
                name: path.name, kind: kind, stat: stat, project: project, base: version,
                fingerprint: fingerprint.whole, content: fingerprint.content,
                // The number of differences behind another device's version is unknown: the next version is a whole
                // list.
                depth: DeltaRules.unknown),
            at: path)
    }

    /// The keyed hashes of a document's members.
    private struct Fingerprints {
        /// Of all that is stored of them (`Vault.fingerprint`).
        let whole: UInt64
        /// Without times, modes and attributes (`Vault.contentFingerprint`).
        let content: UInt64

        init(_ members: [Member], _ vault: Vault) {
            (whole, content) = (vault.fingerprint(of: members), vault.contentFingerprint(of: members))
        }
    }

    /// Adds a version with these members. `project`: nil for a new one.
    private mutating func write(
        _ result: FinishedDocument, _ members: [MemberEntry], _ own: MemberEntry, _ fingerprint: Fingerprints,
        project: ProjectID?, parents: [VersionID], _ isUnsettled: Bool
    ) throws {
        let (path, kind) = (result.candidate.path, result.candidate.kind)
        let id = writer.nextID
        var draft = VersionDraft(
            project: project, parents: parents, path: path, kind: kind, edited: members.lastEdited,
            isUnsettled: isUnsettled, body: .full(members.map(\.member)))
        var depth: UInt8 = 0
        if let delta = delta(members, result, parents), delta.isShort || !draft.fits(beside: writer.content) {
            (draft.body, depth) = (delta.body, delta.depth)
        }
        let chunks = members.reduce(0) { $0 + $1.member.chunks.count }
        guard chunks <= Limits.chunks, draft.fits(beside: writer.content) else {
            // The next run tries again, with what ties the document to the vault.
            linked.removeAll { $0 == path }
            revived.removeAll { $0 == path }
            summary.conflicting.removeAll { $0 == path }
            return summary.skipped.append(SkippedPath(path: path, reason: .listTooLong))
        }
        writer.versions.append(draft)
        if kind.isDocument {
            summary.documents += 1
            let known = result.candidate.old ?? result.move?.entry
            let isSame = known?.base == parents.first && known?.content == fingerprint.content && !isUnsettled
            note(path, isNew: project == nil, isSame: project != nil && isSame, before: result.move?.path)
        }
        if kind.isDocument, let project, let parent = parents.first {
            summary.stored.append(
                StoredDocument(
                    project: project, version: id, parent: parent, path: path, edited: members.lastEdited,
                    content: fingerprint.content))
        }
        if kind == .bundle { bundles[project ?? id] = members }
        if let move = result.move { try edits.forget(move.entry.project, at: move.path) }
        try edits.put(
            ScanEntry(
                name: path.name, kind: kind, stat: own.stat, project: project ?? id, base: id,
                fingerprint: fingerprint.whole, content: fingerprint.content, depth: depth),
            at: path)
    }

    /// Counts a document of which a version was made. `isSame`: whether its content is that of the version before.
    private mutating func note(_ path: RelativePath, isNew: Bool, isSame: Bool, before: RelativePath?) {
        switch (isNew, isSame) {
        case (true, _): summary.new += 1
        case (false, false): summary.changed += 1
        case (false, true) where before == nil: return summary.touched += 1
        case (false, true): summary.renamed += 1
        }
        let kind: DocumentNews.Kind = isNew ? .new : isSame ? .renamed : .changed
        summary.news.append(DocumentNews(kind: kind, path: path, before: before))
    }

    /// The difference to the members of the parent. nil if it has no such list, or too many differences lead to it.
    ///
    /// `isShort`: whether it is less than half as long as the whole list, and the chain is no longer than writers make
    /// it. Otherwise the difference is used only if no record can hold the whole list.
    private func delta(
        _ members: [MemberEntry], _ result: FinishedDocument, _ parents: [VersionID]
    ) -> (body: VersionDraft.Body, depth: UInt8, isShort: Bool)? {
        guard let old = result.candidate.old ?? result.move?.entry, result.candidate.kind == .bundle,
            parents.first == old.base, old.depth < Limits.deltas - 1, let before = result.oldMembers
        else { return nil }
        let all = members.map(\.member)
        let known = Dictionary(before.map { ($0.member.path, $0.member) }, uniquingKeysWith: { $1 })
        let put = all.filter { known[$0.path] != $0 }
        let now = Set(all.map(\.path))
        let removed = before.map(\.member.path).filter { !now.contains($0) }
        let isShort = old.depth < DeltaRules.depth && (put.count + removed.count) * 2 < all.count
        return (.delta(removed: removed.sorted(), put: put), old.depth + 1, isShort)
    }

    /// Adds a tombstone for a project that is gone.
    mutating func addTombstone(_ lost: (path: RelativePath, entry: ScanEntry)) throws {
        let entry = lost.entry
        writer.versions.append(
            VersionDraft(
                project: entry.project, parents: [entry.base], path: lost.path, kind: entry.kind,
                edited: context.clock.now, isUnsettled: false, body: .tombstone))
        if entry.kind.isDocument {
            summary.removed += 1
            summary.news.append(DocumentNews(kind: .deleted, path: lost.path))
        }
        if entry.kind == .bundle { removedBundles.append(entry.project) }
        try edits.forget(entry.project, at: lost.path)
    }

    // MARK: Do

    /// Makes the round durable: the packs are already, then the commit, then the local store.
    mutating func commit(_ round: Round) throws {
        var hasContent = !writer.versions.isEmpty || !writer.content.isEmpty
        if hasContent || round.isLast { notes = try WaitingNotes(context) }
        writer.notes = notes.contents
        hasContent = hasContent || !writer.notes.isEmpty
        // A snapshot without news is not written, unless it completes a backup of several rounds, or one that was
        // interrupted.
        let isOpen = try library.store.read { try $0.value(.isSnapshotOpen) } ?? false
        if hasContent || round.isLast && isOpen { try write(round) } else { try remember(nil, isOpen: !round.isLast) }
    }

    /// Writes the commit.
    private mutating func write(_ round: Round) throws {
        (writer.isSnapshot, writer.isPartial) = (round.isLast, !summary.skipped.isEmpty)
        let size = try writer.write(as: &device)
        summary.addedBytes += size
        if round.isLast { summary.snapshot = writer.id }
        summary.settings += notes.settings.count
        try remember(device, isOpen: !round.isLast, size: size)
    }

    /// What the edited files may be stored against from now on. `size`: that of the commit, in bytes.
    private func bases(_ packs: [PackRecord], size: Int) -> [FileKey: FileBases] {
        let wanted = Set(deltas.values.flatMap(\.whole))
        let places = packs.flatMap { BaseChunk.all(of: $0, size: $0.commit == nil ? $0.size : size, wanted) }
        let byID = Dictionary(places.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return deltas.mapValues { $0.bases(byID) }
    }

    /// Notes the round in the local store, in one transaction. `device`: nil if no commit was written. `size`: that of
    /// the commit, in bytes.
    private mutating func remember(_ device: OpenLibrary.Device?, isOpen: Bool, size: Int = 0) throws {
        let packs = writer.content
        let bases = device == nil ? [:] : bases(packs, size: size)
        let (bundles, removedBundles) = (bundles, removedBundles)
        let (linked, revived, proof, notes, commit) = (linked, revived, proof, notes, writer.id)
        let (summary, edits, now) = (summary, edits, context.clock.now)
        try library.store.write { transaction in
            try edits.save(transaction)
            for (project, members) in bundles { try transaction.setMembers(members, of: project) }
            for project in removedBundles { try transaction.removeMembers(of: project) }
            for path in linked { try transaction.removeUnlinked(path) }
            if !isOpen {
                try transaction.setLeftUndone(heldBack: summary.heldBack, unsettled: summary.unsettled)
            }
            try transaction.addPacks(packs.lazy.map { ($0.id, $0.commit == nil ? $0.size : size) })
            for path in revived { try transaction.removeRevived(path) }
            try transaction.removeLeftPacks(packs.map(\.id))
            try transaction.removeClaims(proof.packs)
            try transaction.setBases(bases)
            try transaction.addChunks(proof.chunks + packs.flatMap { $0.blocks.flatMap { $0.chunks.map(\.id) } })
            guard let device else {
                // Without a commit this is still a backup: everything is in the vault as of now.
                if !isOpen, summary.skipped.isEmpty { try transaction.set(.lastBackup, to: now) }
                return
            }
            try notes.save(as: commit, of: device, transaction)
            if !isOpen { try transaction.set(.lastBackup, to: now) }
            try transaction.set(.isSnapshotOpen, to: isOpen)
            try transaction.note(commitOf: device, at: now)
            try transaction.addNeverVerified(packs.count { $0.commit == nil })
            if let snapshot = summary.snapshot { try transaction.set(.snapshot, to: snapshot) }
            if !isOpen { try Events.note(summary, at: now, transaction) }
        }
    }
}

extension [MemberEntry] {
    /// When a writer last changed it: the newest time of its files, or of the folder itself if it has none.
    fileprivate var lastEdited: Timestamp {
        let files = filter { if case .file = $0.member.content { true } else { false } }
        return ((files.isEmpty ? self : files).map(\.member.modified).max() ?? FileTime(seconds: 0, nanoseconds: 0))
            .timestamp
    }
}
