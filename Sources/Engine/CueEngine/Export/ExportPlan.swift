import CueBase
import CueLibrary
import CueSystem
import CueText
import CueVault

/// The drafts that an export makes of each document, and how they are named.
struct ExportPlan {
    /// A document, or a version that stands beside it.
    struct Item {
        /// In the library.
        let document: RelativePath
        /// The folder of its drafts, below the target.
        let parent: RelativePath
        /// The name of its drafts, without a date and an ending.
        let stem: [UInt8]
        /// The versions that are wanted, each after those that it came from.
        let versions: [History.Version]
    }

    /// In the order of the documents.
    private(set) var items: [Item] = []
    /// Whether a person named one document.
    let isSingle: Bool

    private let request: ExportRequest
    private let history: History
    /// The versions that were given up since, which a state of the past shows.
    private(set) var givenUp: [(document: RelativePath, version: VersionID)] = []
    private let retired: Set<VersionID>
    /// All versions by document, in an export of all.
    private let versions: [ProjectID: [History.Version]]
    /// How many documents have a name, apart from its ending and the case of its letters.
    private var bearers: [RelativePath: Int] = [:]

    /// Chooses the documents and versions. Throws `EngineError` for the name.
    init(_ request: ExportRequest, _ state: LibraryState, _ history: History) throws {
        (self.request, self.history) = (request, history)
        let retired = FullHistory(history)?.retiredVersions ?? []
        self.retired = retired
        versions =
            request.allVersions ? Dictionary(grouping: history.versions.values, by: \.header.project) : [:]
        // Deleted documents have drafts too.
        let projects = (state.live + (request.allVersions ? state.gone : [])).filter(\.shown.header.kind.isDocument)
        let named = try request.name.map {
            try ProjectLookup.find($0, in: request.allVersions ? state.includingDeleted : state)
        }
        let forks = FullHistory(history).map(SyncForks.init)
        guard let named, named.shown.header.kind != .folder else {
            isSingle = false
            let folder = named?.shown.header.path
            let wanted = projects.map { ($0, SyncForks.Shown($0, forks)) }.filter { _, shown in
                folder.map { shown.path.isInside($0) } ?? true
            }
            add(wanted, below: folder?.parent ?? .root, state)
            return
        }
        isSingle = true
        let shown = SyncForks.Shown(named, forks)
        add([(named, shown)], below: shown.path.parent ?? .root, state)
    }

    private mutating func add(
        _ projects: [(LibraryState.Project, SyncForks.Shown)], below base: RelativePath, _ state: LibraryState
    ) {
        for (_, shown) in projects where Self.mayHaveText(shown) { bearers[Self.key(shown.path), default: 0] += 1 }
        for (project, shown) in projects.sorted(by: { $0.1.path < $1.1.path }) {
            let parent = RelativePath(
                trusted: Array((shown.path.parent ?? .root).bytes.dropFirst(base.isRoot ? 0 : base.bytes.count + 1)))
            func item(_ name: [UInt8], _ versions: [History.Version]) -> Item {
                Item(
                    document: shown.path, parent: parent, stem: name,
                    versions: versions.filter { !retired.contains($0.id) })
            }
            if !request.allVersions {
                let wanted = [shown.version] + shown.others
                givenUp += wanted.filter { retired.contains($0.id) }.map { (shown.path, $0.id) }
            }
            if request.allVersions {
                items.append(item(stem(of: shown), all(of: project, in: state)))
                continue
            }
            items.append(item(stem(of: shown), [shown.version]))
            for other in shown.others {
                let copy = CopyName.path(for: other, history, in: .root) { _ in false }
                items.append(item(CopyName.stem(of: copy.name), [other]))
            }
        }
    }

    // MARK: Names

    /// The name without its ending; with it in brackets if another document of the folder has the same without.
    private func stem(of shown: SyncForks.Shown) -> [UInt8] {
        let (name, stem) = (shown.path.name, CopyName.stem(of: shown.path.name))
        guard bearers[Self.key(shown.path), default: 0] > 1, name.count > stem.count + 1 else { return stem }
        return stem + Array(" (".utf8) + name.dropFirst(stem.count + 1) + Array(")".utf8)
    }

    private static func key(_ path: RelativePath) -> RelativePath {
        // A file system may take names in other letters for the same.
        let stem = String(decoding: CopyName.stem(of: path.name), as: UTF8.self).lowercased()
        return (path.parent ?? .root).appending(Array(stem.utf8))
    }

    private static func mayHaveText(_ shown: SyncForks.Shown) -> Bool {
        shown.version.header.kind == .bundle || TextFormat(fileName: shown.path.name) != nil
    }

    /// The names of a draft by number, the wanted one first. `date`: nil for the newest version, whose name has none
    /// unless that is taken.
    func names(of item: Item, _ version: History.Version, date: String?) -> (Int) -> [UInt8] {
        let ending = Array(request.form.ending.utf8)
        return { number in
            let dated = ", \(date ?? CopyName.stamp(version.time))"
            let number = date == nil ? number : number + 1
            let label = number == 0 ? "" : number == 1 ? dated : "\(dated) (\(number))"
            return CopyName.adding(Array(label.utf8), to: item.stem + ending)
        }
    }

    /// The dates of versions, in the same order; those of versions of one second go on with what distinguishes them. A
    /// later draft changes no other's, so that an export that is run again finds what it wrote.
    func dates(of versions: [History.Version]) -> [String] {
        var dates = versions.map { CopyName.stamp($0.time, seconds: true) }
        func tellApart(_ addition: (History.Version) -> String) {
            let bearers = Dictionary(dates.map { ($0, 1) }, uniquingKeysWith: +)
            for (number, date) in dates.enumerated() where bearers[date] != 1 {
                dates[number] += addition(versions[number])
            }
        }
        tellApart { ".\(String(1000 + $0.time.milliseconds.magnitude % 1000).dropFirst())" }
        tellApart { " (\($0.id.short))" }
        return dates
    }

    // MARK: Versions

    /// The versions of a document and of earlier ones of its name, the earliest first; of an older state those that it
    /// came from.
    private func all(of project: LibraryState.Project, in state: LibraryState) -> [History.Version] {
        state.lives(of: project).reversed().flatMap { life in
            let known = versions[life.id] ?? []
            guard request.at != nil else { return Array(DocumentLog.inOrder(known).reversed()) }
            let byID = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
            var before: [VersionID: History.Version] = [:]
            var open = Array(life.headIDs)
            while let next = open.popLast() {
                guard let version = byID[next], before.updateValue(version, forKey: next) == nil else { continue }
                open += version.header.parents
            }
            return Array(DocumentLog.inOrder(Array(before.values)).reversed())
        }
    }
}
