import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The plan of a sync, made for the whole library before anything is written or moved.
struct SyncPlan {
    struct Take {
        let version: History.Version
        let members: [Member]
        let old: KnownProject?
        /// Whether the document here is damaged, so that it is no writer's work.
        var isDamaged = false

        var isRenamedFolder: Bool {
            version.header.kind == .folder && old.map { $0.path != version.header.path } ?? false
        }
    }

    /// Documents that stay because the vault has lost their content.
    private var kept: Set<ProjectID> = []
    /// Whether something is left out because a rule of this device covers it.
    private(set) var hasIgnored = false
    /// Whether the plan needs versions that a checkpoint leaves out: then all commits must be read.
    private(set) var needsPast = false
    private(set) var takes: [Take] = []
    /// Documents and folders that are removed from the disk because other devices deleted them.
    private(set) var removals: [KnownProject] = []
    /// Folders that would have gone before, and were not empty.
    let left: [KnownProject]
    /// Folders in which something stays that this device has, as far as a plan looks for them.
    private(set) var inUse: Set<RelativePath> = []
    private(set) var conflicts: [Conflict] = []
    private(set) var waiting: [SkippedPath] = []
    /// Projects that are neither on the disk nor in the vault any more.
    private(set) var forgotten: [KnownProject] = []
    /// Projects of the disk that the vault has under another id, with the same content.
    private(set) var agreed: [(old: KnownProject, version: History.Version)] = []
    /// Versions that must be written before the rest can be decided.
    private(set) var writes: SyncWrites

    private let history: History
    /// nil if the past is not known.
    private let forks: SyncForks?
    private let contents: VersionContents
    private let state: LibraryState
    private let vault: Vault
    private let here: LocalSide
    private var known: [ProjectID: KnownProject] { here.known }
    private let answers: SyncAnswers
    /// Projects of which the vault lacks a part of the history.
    private let incomplete: Set<ProjectID>
    /// Those that were needed to compare versions of several projects.
    private var fingerprints: [VersionID: UInt64] = [:]
    /// All names that are in use, here or in the vault.
    private let names: Set<RelativePath>
    /// Folders in which a document of the vault lies, at any depth.
    private let inhabited: Set<RelativePath>
    /// Projects that this device does not have, by name.
    private let heirs: [RelativePath: LibraryState.Project]

    /// `now`: the time by which commits that are named and missing count as late or lost.
    init(
        _ history: History, _ vault: Vault, _ here: LocalSide, answers: SyncAnswers = SyncAnswers(), at now: Timestamp
    ) throws {
        (self.history, self.vault, self.here, self.answers) = (history, vault, here, answers)
        forks = FullHistory(history).map(SyncForks.init)
        contents = forks?.contents ?? VersionContents(history)
        state = history.state()
        writes = SyncWrites(listed: here.listed)
        let known = here.known
        left = known.values.filter(\.entry.isLeft)
        let live = state.live
        names = Set(live.map(\.shown.header.path)).union(known.values.map(\.path))
        inhabited = Self.folders(above: live.lazy.filter { $0.shown.header.kind != .folder }.map(\.shown.header.path))
        heirs = Dictionary(
            live.filter { known[$0.id] == nil }.map { ($0.shown.header.path, $0) }, uniquingKeysWith: { one, _ in one })
        incomplete = history.incompleteProjects
        for project in state.projects.values.sorted(by: { $0.id < $1.id }) {
            try orWait(project) { try $0.decide(project) }
        }
        // Missing commits may delete or rename one of two projects of a name: until they arrive, the two are not
        // united.
        if writes.isEmpty, !history.isAwaiting(at: now) { try separateNames() }
    }

    /// Runs `body` for a project. One that cannot be read, or whose list cannot be written, waits; others go on.
    private mutating func orWait(_ project: LibraryState.Project, _ body: (inout SyncPlan) throws -> Void) throws {
        let path = project.shown.header.path.isRoot ? nil : project.shown.header.path
        do { try body(&self) } catch VaultError.missing {
            waiting.append(Self.notArrived(project))
        } catch let error as SyncWrites.NoRoom {
            waiting.append(SkippedPath(path: path, reason: error == .inRun ? .leftForNextRun : .listTooLong))
        } catch let error as VaultError {
            waiting.append(SkippedPath(path: path, reason: .damaged(error)))
        }
    }

    private mutating func decide(_ project: LibraryState.Project) throws {
        let old = known[project.id]
        if !project.isConflict, let old, project.shown.id == old.entry.base {
            if here.damaged.contains(project.id) { try take(project.shown.id, old) }
            return
        }
        // The disk's version must be an ancestor of a head: else commits between them have not arrived.
        if let base = old?.entry.base, let past = forks?.past, !project.isAfter(base, in: past) {
            return waiting.append(Self.notArrived(project))
        }
        if project.isConflict, forks == nil { return needsPast = true }
        let contents = project.isConflict ? try contents.of(project.heads) : [:]
        var view = SyncView(
            base: old?.entry.base, local: here.gone.contains(project.id) ? .gone : old == nil ? .absent : .same,
            heads: project.heads.map { SyncView.Head($0, contents) },
            origins: project.isConflict ? try forks?.origins(of: project.heads) ?? [:] : [:],
            isComplete: !incomplete.contains(project.id))
        if project.isConflict, let past = forks?.past { view.revived = past.revived(project.heads) }
        view.isInUse =
            !project.isConflict || project.shown.header.kind != .folder
            || inhabited.contains(project.shown.header.path)
        switch view.decision {
        case .settled, .store: break
        case .agree:
            // Deleted here and elsewhere: the one that is in the vault counts for both.
            if project.isDeleted, let old { forgotten.append(old) }
        case .wait: waiting.append(Self.notArrived(project))
        case .take(let id): try take(id, old)
        case .remove: remove(project, old)
        // The new version also has the equal heads as parents: one that stayed a head would be compared with it in the
        // next round.
        case .join(let content, let path, let parents):
            try join(project, content, path, parents + project.equalHeads, old)
        case .bury(let parents): writes.addTombstone(project.id, project.shown, parents: parents + project.equalHeads)
        case .conflict:
            guard let past = forks?.past else { return needsPast = true }
            let base = answers.forced[project.id] ?? old?.entry.base
            let ours = try base.flatMap { history.versions[$0] }.map { try self.contents.of([$0]) }?.values.first
            let conflict = Conflict(project, past, contents: contents, base: base, here: ours, device: here.device)
            if let keep = answers[conflict] {
                do { try writes.resolve(conflict, keep, history, vault, old, isTaken: isTaken) } catch {
                    // It is still open then.
                    conflicts.append(conflict)
                    throw error
                }
            } else {
                conflicts.append(conflict)
                if let id = answers.forced[project.id] { try take(id, old) }
            }
        }
    }

    /// All folders on the way to these paths.
    private static func folders(above paths: some Sequence<RelativePath>) -> Set<RelativePath> {
        var folders: Set<RelativePath> = []
        for path in paths {
            var next = path.parent
            while let folder = next, folders.insert(folder).inserted { next = folder.parent }
        }
        return folders
    }

    private static func notArrived(_ project: LibraryState.Project) -> SkippedPath {
        let path = project.shown.header.path
        return path.isRoot
            ? SkippedPath(path: nil, reason: .libraryHistoryAwaited) : SkippedPath(path: path, reason: .historyAwaited)
    }

    // MARK: One project

    private mutating func take(_ id: VersionID, _ old: KnownProject?) throws {
        guard let version = history.versions[id] else { return }
        takes.append(
            Take(
                version: version, members: try history.members(of: id), old: old,
                isDamaged: here.damaged.contains(version.header.project)))
    }

    private mutating func remove(_ project: LibraryState.Project, _ old: KnownProject?) {
        guard let old else { return }
        // It went on as another project of the same name (`separateNames` on another device): the disk has that content
        // already.
        if let heir = heirs[old.path]?.heads.first(where: { known[$0.header.project] == nil && holdsSame($0, old) }) {
            return agreed.append((old, heir))
        }
        removals.append(old)
    }

    private mutating func join(
        _ project: LibraryState.Project, _ content: VersionID, _ path: RelativePath, _ parents: [VersionID],
        _ old: KnownProject?
    ) throws {
        guard let chosen = history.versions[content] else { return }
        try writes.write(
            chosen, of: project.id, at: path, parents: [content] + parents.filter { $0 != content }, history, vault, old
        )
    }

    // MARK: What it comes to

    /// Leaves out documents that a rule of this device's `.cueignore` covers.
    mutating func leaveOutIgnored(in root: Folder) {
        let all = takes.count + removals.count
        defer { hasIgnored = takes.count + removals.count < all }
        var lookup = IgnoreLookup(in: root)
        takes = takes.filter { take in
            let header = take.version.header
            return !lookup.ignores(header.path, isFolder: header.kind == .folder || header.kind == .bundle)
        }
        removals = removals.filter { removal in
            let kind = removal.entry.kind
            return !lookup.ignores(removal.path, isFolder: kind == .folder || kind == .bundle)
        }
    }

    var hasWork: Bool { !takes.isEmpty || !removals.isEmpty || !agreed.isEmpty || !forgotten.isEmpty }

    /// How many files are written, moved or removed.
    var filesToTouch: Int { takes.reduce(removals.count) { $0 + $1.members.count } }

    var documentsHere: Int { known.values.count { $0.entry.kind.isDocument } }

    /// Lets folders go that are empty by now. All are tried where there is other work, which may empty them.
    mutating func takeUpLeft(in root: Folder) {
        if !left.isEmpty {
            var folders = LeftFolders(in: root)
            removals += hasWork ? left : folders.empty(of: left)
        }
        guard removals.contains(where: { $0.entry.kind == .folder }) || takes.contains(where: { $0.isRenamedFolder })
        else { return }
        // A document that waits for an answer, for an application or for the vault may go yet.
        var going = Set(removals.map(\.entry.project)).union(conflicts.map(\.project)).union(kept)
        going.formUnion(takes.lazy.filter { $0.old?.path != $0.version.header.path }.map(\.version.header.project))
        inUse = Self.folders(
            above: known.lazy.filter { $0.value.entry.kind != .folder && !going.contains($0.key) }.map(\.value.path))
    }

    /// Folders that another device removed or renamed: they go as soon as nothing is left in them.
    var goingFolders: [KnownProject] {
        removals.filter { $0.entry.kind == .folder } + takes.compactMap { $0.isRenamedFolder ? $0.old : nil }
    }

    /// The documents here that would be removed or written over, and of which the vault has lost content. Ignored
    /// documents are left out, as they stay.
    func endangered(_ lastCopies: inout LastCopies, in root: Folder) throws -> [KnownProject] {
        let replaced = takes.compactMap { take -> (old: KnownProject, new: RelativePath)? in
            // A document that only gets another name keeps its content. One of which the new version is incomplete in
            // the vault is not replaced.
            guard let old = take.old, vault.fingerprint(of: take.members) != old.entry.fingerprint,
                lastCopies.mayArrive(take.members, inPlaceOf: old.entry.base)
            else { return nil }
            return (old, take.version.header.path)
        }
        var lookup = IgnoreLookup(in: root)
        var endangered: [KnownProject] = []
        for (old, path) in removals.map({ (old: $0, new: $0.path) }) + replaced {
            // A file that is damaged here is no copy. A bundle may have other files that are whole.
            let isBundle = old.entry.kind == .bundle
            guard isBundle || !here.damaged.contains(old.entry.project), !lookup.ignores(path, isFolder: isBundle)
            else { continue }
            if try lastCopies.isLast(old.entry) { endangered.append(old) }
        }
        return endangered
    }

    /// Leaves last copies where they are, and lists them as waiting.
    mutating func leave(_ lastCopies: [KnownProject]) {
        guard !lastCopies.isEmpty else { return }
        kept = Set(lastCopies.map(\.entry.project))
        let removed = Set(removals.map(\.entry.project))
        removals.removeAll { kept.contains($0.entry.project) }
        takes.removeAll { $0.old.map { kept.contains($0.entry.project) } ?? false }
        waiting += lastCopies.map {
            SkippedPath(path: $0.path, reason: .lastCopy(removed.contains($0.entry.project) ? .deleted : .changed))
        }
    }

    /// Leaves out all removals.
    mutating func holdRemovals() { removals = [] }

    // MARK: Names

    private func holdsSame(_ head: History.Version, _ old: KnownProject) -> Bool {
        guard !head.header.isTombstone, let members = try? history.members(of: head.id) else { return false }
        return vault.fingerprint(of: members) == old.entry.fingerprint
    }

    private func isTaken(_ path: RelativePath) -> Bool {
        names.contains(path) || writes.paths.contains(path)
    }

    /// Resolves names that two devices gave without knowing of each other. Equal content becomes one project; two
    /// documents become one with a conflict. A document in the place of a folder, or of another kind, gets a name
    /// beside it.
    private mutating func separateNames() throws {
        let live = state.live.filter { !incomplete.contains($0.id) }
        // The parent of any project is a folder, even if the folder itself was renamed meanwhile.
        let folders = Self.folders(above: live.map(\.shown.header.path))
            .union(live.lazy.filter { $0.shown.header.kind == .folder }.map(\.shown.header.path))
        for (path, group) in Dictionary(grouping: live, by: \.shown.header.path)
        where group.count > 1 || folders.contains(path) && group[0].shown.header.kind != .folder {
            if forks == nil { return needsPast = true }
            let documents = group.filter { $0.shown.header.kind != .folder }.sorted { $0.id < $1.id }
            if folders.contains(path) {
                for document in documents { try orWait(document) { try $0.moveAside(document) } }
                let same = group.filter { $0.shown.header.kind == .folder }.sorted { $0.id < $1.id }
                for other in same.dropFirst() { try orWait(other) { try $0.unite(other, with: same[0]) } }
            } else if let first = documents.first {
                for other in documents.dropFirst() {
                    let isOne = other.shown.header.kind == first.shown.header.kind
                    let isBorn = isBorn(first, at: path) && isBorn(other, at: path)
                    try orWait(other) { try isOne && isBorn ? $0.unite(other, with: first) : $0.moveAside(other) }
                }
            }
        }
    }

    /// Whether a project had this name from its first version. Two that were made under one name are meant to be one
    /// document; one that was renamed to it is another document.
    private func isBorn(_ project: LibraryState.Project, at path: RelativePath) -> Bool {
        history.versions[project.id]?.header.path == path
    }

    private mutating func moveAside(_ project: LibraryState.Project) throws {
        guard !project.isConflict, let parent = project.shown.header.path.parent else { return }
        let path = CopyName.path(for: project.shown, history, in: parent, isTaken: isTaken)
        try writes.write(
            project.shown, of: project.id, at: path, parents: [project.shown.id] + project.equalHeads, history, vault,
            known[project.id])
    }

    /// Unites a project with another of the same name. Each of its heads becomes a head of that one, unless that one
    /// has an equal head. Times and modes count too: a device with a difference on its disk would otherwise never learn
    /// of it.
    private mutating func unite(_ project: LibraryState.Project, with first: LibraryState.Project) throws {
        var home: VersionID?
        var missing: [History.Version] = []
        for head in project.heads where !head.header.isTombstone {
            if let same = try first.heads.first(where: { try isSame($0, head) }) {
                home = same.id
            } else {
                missing.append(head)
            }
        }
        // All of them or none: a sync may join some heads before the others come, and would look for them in vain.
        home = try writes.add(missing, to: first.id, history) ?? home
        writes.addTombstone(project.id, project.shown, parents: project.heads.map(\.id) + project.equalHeads)
        guard let old = known[project.id], let home, known[first.id] == nil else { return }
        writes.relink(old, to: first.id, home)
    }

    /// Whether two versions have equal members. Lists may be long: only two whose fingerprints agree are compared.
    private mutating func isSame(_ one: History.Version, _ other: History.Version) throws -> Bool {
        guard !one.header.isTombstone, try fingerprint(of: one) == fingerprint(of: other) else { return false }
        return try history.members(of: one.id) == history.members(of: other.id)
    }

    private mutating func fingerprint(of version: History.Version) throws -> UInt64 {
        if let known = fingerprints[version.id] { return known }
        let fingerprint = vault.fingerprint(of: try history.members(of: version.id))
        fingerprints[version.id] = fingerprint
        return fingerprint
    }
}
