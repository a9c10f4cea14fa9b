import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault
import Foundation

/// The plan of a restore, made before anything is written.
struct RestorePlan {
    /// One file, folder or symlink to make.
    struct Item {
        /// Below the target folder.
        let path: RelativePath
        let member: Member
        /// The bundle it belongs to, as a number into `bundles`.
        let bundle: Int?
    }

    /// A document that is built beside its place and put there in one step.
    struct Bundle {
        let path: RelativePath
        let members: [Member]
        /// The document there that may be replaced, as it was when that was decided; nil if nothing may be replaced.
        var standing: PathOccupant?
    }

    /// A version that gets a place in the folder.
    struct Placed {
        /// The document, also where only a file of it is to come.
        let path: RelativePath
        let kind: ProjectKind
        let project: ProjectID
        let version: VersionID
        /// The file of the bundle that is to come; nil for a whole document.
        var file: RelativePath?

        /// Whether it is a document, or a file of one.
        var isDocument: Bool { kind.isDocument || file != nil }
        /// The path at which something appears.
        var place: RelativePath { file.map(path.appending) ?? path }
    }

    /// Everything that is to stand in the folder afterwards, whether it does already or not.
    private(set) var placed: [Placed] = []
    private(set) var items: [Item] = []
    private(set) var bundles: [Bundle] = []
    /// Single files and links that may be replaced, as they were when that was decided.
    var replaced: [RelativePath: StatKey] = [:]
    /// Documents that are in no version: what stands there is not removed, but gets a name beside.
    var aside: Set<RelativePath> = []
    private(set) var documents = 0
    /// Documents and folders that are restored under another name than their own.
    private(set) var copies: [RestoredCopy] = []
    /// Versions that cannot be restored, and why.
    private(set) var failed: [SkippedPath] = []
    /// Bundles that stand there already as they should.
    private(set) var skippedBundles: Set<Int> = []
    /// Whole documents and folders under their own names, by path.
    private(set) var projects: [RelativePath: (id: ProjectID, kind: ProjectKind)] = [:]
    /// Bundles of which only a file is to come.
    private(set) var partial: [RelativePath] = []
    /// Deleted projects that were asked for by name, with the version before the deletion.
    private(set) var undeleted: [ProjectID: History.Version] = [:]
    /// Deleted documents in folders that were asked for, which do not come back with them.
    private(set) var leftDeleted: [RelativePath] = []
    /// The snapshot whose state was asked for; nil for the newest state, or a version.
    private(set) var snapshot: LogPosition?
    /// The modes of folders that are not restored themselves, but may have to be made for their content.
    private(set) var parentModes: [RelativePath: UInt16] = [:]
    /// The versions that were given up.
    private var retired: Set<VersionID> = []
    private var folders: [RelativePath] = []
    private var taken: [RelativePath: UInt8] = [:]

    // MARK: Choose

    /// Chooses the versions to restore. `now`: times such as "2 days ago" count from it. `texts`: reads the titles by
    /// which a file may be called; without it, a file is called by its path.
    static func make(
        _ request: RestoreRequest, _ history: History, at now: Timestamp, _ texts: Texts? = nil
    ) throws -> RestorePlan {
        var plan = RestorePlan()
        let file = request.file.map { WantedFile(name: $0, texts: texts) }
        let past = FullHistory(history)
        if let version = request.version {
            guard let past else { throw NeedsPast() }
            let named = try request.names.map { name in
                try Self.version(
                    version: version, of: try ProjectLookup.find(name, in: past.everything), name, in: past)
            }
            let chosen = try named.first ?? Self.version(version, in: past)
            try plan.add(chosen, at: chosen.header.path, history, file: file)
            return plan
        }
        let state =
            try request.at.map { at in
                guard let past else { throw NeedsPast() }
                let snapshot = try SnapshotSelector.find(at, in: past, at: now)
                plan.snapshot = snapshot
                return past.state(at: snapshot)
            } ?? history.state()
        var projects = state.live
        if !request.names.isEmpty {
            let named = try request.names.compactMap { try plan.choose($0, request, state, past) }
            projects = projects.filter { project in
                named.contains { named in
                    project.id == named.id
                        || named.shown.header.kind == .folder
                            && project.shown.header.path.isInside(named.shown.header.path)
                }
            }
        }
        // Only the past shows versions that were given up since.
        if request.at != nil || !plan.undeleted.isEmpty { plan.retired = past?.retiredVersions ?? [] }
        try plan.add(projects, history, past.map(SyncForks.init), file: file)
        for version in plan.undeleted.values.sorted(by: { ($0.header.path, $0.id) < ($1.header.path, $1.id) }) {
            try plan.orFail(version) {
                let path = $0.freePath(for: version, version.header.path, history)
                try $0.add(version, at: path, history, file: file)
            }
        }
        if request.at == nil, !request.names.isEmpty { plan.noteLeftDeleted(state) }
        if !request.names.isEmpty { plan.noteParents(state, history) }
        return plan
    }

    /// Notes the modes of the folders above the requested documents.
    private mutating func noteParents(_ state: LibraryState, _ history: History) {
        var above: Set<RelativePath> = []
        for item in items {
            var next = item.path.parent
            while let folder = next, above.insert(folder).inserted { next = folder.parent }
        }
        for project in state.live
        where project.shown.header.kind == .folder && above.contains(project.shown.header.path) {
            parentModes[project.shown.header.path] = (try? history.members(of: project.shown.id))?.first?.mode
        }
    }

    /// The existing project of that name; nil if there is none. A deleted one is noted; it is chosen too if it alone
    /// has exactly this path.
    private mutating func choose(
        _ name: String, _ request: RestoreRequest, _ state: LibraryState, _ past: FullHistory?
    ) throws -> LibraryState.Project? {
        let found: LibraryState.Project?
        var deleted = request.at == nil ? ProjectLookup.deleted(exactly: name, in: state) : nil
        do { found = try ProjectLookup.find(name, in: state) } catch EngineError.deletedName where request.at == nil {
            found = nil
            deleted = try ProjectLookup.find(name, in: state.includingDeleted)
        }
        if let found, found.shown.header.kind == .folder { folders.append(found.shown.header.path) }
        guard let deleted else { return found }
        // The version before the deletion is only in the commits.
        guard let past else { throw NeedsPast() }
        try undelete(deleted, state, past)
        return found
    }

    /// Thrown where a history that a checkpoint sums up does not say enough.
    struct NeedsPast: Error {}

    /// Notes deleted documents in the named folders. They are not restored with the folder.
    private mutating func noteLeftDeleted(_ state: LibraryState) {
        let taken = Set(state.live.map(\.shown.header.path)).union(projects.keys)
        let left = state.includingDeleted.live.filter { project in
            let path = project.shown.header.path
            return project.isDeleted && project.shown.header.kind.isDocument && !taken.contains(path)
                && undeleted[project.id] == nil
                && folders.contains { path.isInside($0) }
        }
        leftDeleted = Set(left.map(\.shown.header.path)).sorted()
    }

    /// Notes damage in the vault as a failure, so that everything else is restored.
    private mutating func orFail(_ version: History.Version, _ add: (inout Self) throws -> Void) throws {
        guard !retired.contains(version.id) else {
            return failed.append(SkippedPath(path: version.header.path, reason: .givenUp(version.id)))
        }
        do { try add(&self) } catch let error as VaultError {
            failed.append(SkippedPath(path: version.header.path, reason: .damaged(error)))
        }
    }

    /// Chooses the version before a deletion; for a folder also of what was deleted with it.
    private mutating func undelete(
        _ project: LibraryState.Project, _ state: LibraryState, _ past: FullHistory
    ) throws {
        let everything = state.includingDeleted.live
        let (path, time) = (project.shown.header.path, project.shown.time)
        var chosen = [path: project]
        if project.shown.header.kind == .folder {
            folders.append(path)
            // The deletion of a folder may take more than one commit. Of several projects at one path, the one that was
            // deleted last.
            let taken = Set(state.live.map(\.shown.header.path))
            for inside in everything where inside.isDeleted && inside.shown.header.path.isInside(path) {
                let (place, shown) = (inside.shown.header.path, inside.shown)
                guard abs(shown.time.milliseconds - time.milliseconds) <= 3_600_000, !taken.contains(place),
                    chosen[place].map({ ($0.shown.time, $0.shown.id) < (shown.time, shown.id) }) ?? true
                else { continue }
                chosen[place] = inside
            }
        }
        for project in chosen.values { undeleted[project.id] = past.beforeDeletion(of: project) }
        guard undeleted[project.id] != nil else {
            throw VaultError.missing(.beforeDeletion(path))
        }
    }

    /// The version that `--version` names: by its id, or as `latest~1` among those of the document.
    static func version(
        version text: String, of project: LibraryState.Project, _ name: String, in past: FullHistory
    ) throws -> History.Version {
        guard let back = SnapshotSelector.stepsBack(text.lowercased()) else {
            return try version(text, of: project, name, in: past)
        }
        return try DocumentLog.version(back, before: project, past.history, without: past.retiredVersions)
    }

    /// A version of the document that the request calls `name`, or of a deleted one that had its name before.
    static func version(
        _ text: String, of project: LibraryState.Project, _ name: String, in past: FullHistory
    ) throws -> History.Version {
        let found = try version(text, in: past)
        guard past.everything.lives(of: project).contains(where: { $0.id == found.header.project }) else {
            throw EngineError.notAVersion(text, of: name)
        }
        return found
    }

    /// Reads `7f3a91c2-14` or the whole id.
    static func version(_ text: String, in past: FullHistory) throws -> History.Version {
        let halves = text.lowercased().split(separator: "-")
        guard halves.count == 2, halves[0].count >= 4, let number = UInt32(halves[1]) else {
            throw EngineError.unknownVersion(text)
        }
        let found = past.versions.values.filter {
            $0.id.number == number && $0.id.commit.description.hasPrefix(halves[0])
        }
        guard found.count == 1 else { throw EngineError.unknownVersion(text) }
        guard !past.retiredVersions.contains(found[0].id) else { throw EngineError.versionGivenUp(text) }
        return found[0]
    }

    /// Adds everything under its own name first, and then the copies beside it: a copy takes no name that another
    /// needs.
    private mutating func add(
        _ projects: [LibraryState.Project], _ history: History, _ forks: SyncForks?, file: WantedFile?
    ) throws {
        if forks == nil, projects.contains(where: { $0.isConflict && $0.shown.header.kind != .folder }) {
            throw NeedsPast()
        }
        let shown = projects.map { SyncForks.Shown($0, forks) }.sorted { $0.takesItsName(before: $1) }
        for one in shown {
            try orFail(one.version) {
                try $0.add(one.version, at: $0.freePath(for: one.version, one.path, history), history, file: file)
            }
        }
        for other in shown.flatMap(\.others) {
            try orFail(other) {
                let path = $0.copyPath(for: other, other.header.path, history, .conflict)
                try $0.add(other, at: path, history, file: file)
            }
        }
    }

    private mutating func add(_ version: History.Version, at path: RelativePath, _ history: History, file: WantedFile?)
        throws
    {
        guard !version.header.isTombstone else {
            throw EngineError.deletedName(Display.text(version.header.path), at: version.time)
        }
        let members = try history.members(of: version.id)
        if let file { return try add(file, of: version, members, at: path) }
        add(version, members, at: path)
    }

    private mutating func add(_ version: History.Version, _ members: [Member], at path: RelativePath) {
        switch version.header.kind {
        case .bundle:
            bundles.append(Bundle(path: path, members: members))
            for member in members where !member.path.isRoot {
                items.append(Item(path: path.appending(member.path), member: member, bundle: bundles.count - 1))
            }
        case .file, .folder, .symlink:
            for member in members { items.append(Item(path: path, member: member, bundle: nil)) }
        }
        placed.append(
            Placed(path: path, kind: version.header.kind, project: version.header.project, version: version.id))
        take(path, version.header.kind)
        if path == version.header.path { projects[path] = (version.header.project, version.header.kind) }
        if version.header.kind.isDocument { documents += 1 }
    }

    /// A file of a bundle by the name that was typed.
    private struct WantedFile {
        let name: String
        let texts: Texts?
    }

    /// One file out of a bundle, put where it stands in it.
    private mutating func add(
        _ file: WantedFile, of version: History.Version, _ members: [Member], at path: RelativePath
    ) throws {
        let found = file.texts.map { $0.member(called: file.name, of: version, members) } ?? members.called(file.name)
        guard let member = found else { throw EngineError.noSuchMember(file.name, of: Display.text(path)) }
        add(member, of: version, at: path)
    }

    private mutating func add(_ member: Member, of version: History.Version, at path: RelativePath) {
        var single = member
        single.path = .root
        items.append(Item(path: path.appending(member.path), member: single, bundle: nil))
        if !member.path.isRoot { partial.append(path) }
        let file = member.path.isRoot ? nil : member.path
        placed.append(
            Placed(
                path: path, kind: version.header.kind, project: version.header.project, version: version.id, file: file)
        )
        documents += 1
    }

    // MARK: Undo

    /// Brings back the versions that stood in the folder before a restore.
    static func make(undoing steps: [RestoreStep], _ history: History) throws -> RestorePlan {
        var plan = RestorePlan()
        for step in steps.sorted(by: { $0.place < $1.place }) {
            guard let before = step.before else { continue }
            guard let version = history.versions[before] else { throw VaultError.missing(.version(before)) }
            try plan.orFail(version) { plan in
                let members = try history.members(of: before)
                guard let file = step.file else { return plan.add(version, members, at: step.path) }
                guard let member = members.first(where: { $0.path == file }) else { return }
                plan.add(member, of: version, at: step.path)
            }
        }
        return plan
    }

    // MARK: Names

    private mutating func take(_ path: RelativePath, _ kind: ProjectKind) {
        taken[path] = kind.rawValue
        // It lies in folders, of which the vault may say nothing.
        var up = path.parent
        while let folder = up, taken[folder] == nil {
            taken[folder] = ProjectKind.folder.rawValue
            up = folder.parent
        }
    }

    /// Its own path, unless another project has that name already (folders share it) or something above is no folder.
    private mutating func freePath(
        for version: History.Version, _ path: RelativePath, _ history: History
    ) -> RelativePath {
        let isFree = taken[path].map { $0 == ProjectKind.folder.rawValue && version.header.kind == .folder } ?? true
        return isFree && folder(for: path) == path.parent ? path : copyPath(for: version, path, history, .nameTaken)
    }

    /// The folder in which the path can be: its own, or the one beside a document that stands in the place of a folder
    /// above.
    private func folder(for path: RelativePath) -> RelativePath? {
        var free = path.parent
        var up = free
        while let folder = up {
            // Above a folder of the plan are only folders; asking for all of them again takes seconds in a deep tree.
            if taken[folder] == ProjectKind.folder.rawValue { break }
            if taken[folder] != nil { free = folder.parent }
            up = folder.parent
        }
        return free
    }

    private mutating func copyPath(
        for version: History.Version, _ path: RelativePath, _ history: History, _ reason: RestoredCopy.Reason
    ) -> RelativePath {
        let copy = CopyName.path(for: version, history, in: folder(for: path) ?? .root) { taken[$0] != nil }
        copies.append(RestoredCopy(path: copy, original: path, reason: reason))
        return copy
    }
}

extension SyncForks.Shown {
    /// Folders keep their names, so that their content stays where it was. Of documents the newest one keeps it
    /// (docs/format.md §7).
    fileprivate func takesItsName(before other: Self) -> Bool {
        let (isFolder, isOtherFolder) = (version.header.kind == .folder, other.version.header.kind == .folder)
        if path != other.path { return path < other.path }
        if isFolder != isOtherFolder { return isFolder }
        return (version.time, version.id) > (other.version.time, other.version.id)
    }
}

extension RestorePlan {
    /// Adds a chosen version at its own path. `standing`: the document there, which may be replaced.
    mutating func place(_ version: History.Version, _ members: [Member], replacing standing: PathOccupant?) {
        add(version, members, at: version.header.path)
        switch standing {
        case .single(let stat)?: replaced[version.header.path] = stat
        case .folder?: bundles[bundles.count - 1].standing = standing
        case nil: break
        }
    }

    /// Lets a bundle replace what stands in its place.
    mutating func allowReplacing(bundle number: Int, standing: PathOccupant) { bundles[number].standing = standing }

    /// Leaves out items and bundles that are there already.
    mutating func keep(items kept: Set<Int>, bundles keptBundles: Set<Int>) {
        items = items.enumerated().filter { number, item in
            !kept.contains(number) && !(item.bundle.map(keptBundles.contains) ?? false)
        }.map(\.element)
        skippedBundles = keptBundles
    }
}
