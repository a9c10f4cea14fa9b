package import CueBase
import CueStorage
package import CueVault

/// The snapshots of a vault.
package struct SnapshotLog: Sendable {
    /// One snapshot.
    package struct Entry: Sendable {
        let position: LogPosition
        /// The commit that completed it.
        package var snapshot: CommitID { position.commit }
        /// By the clock of `device`.
        package let time: Timestamp
        /// The name of the device that made it.
        package let device: String
        /// How many documents it changed, those that were deleted among them.
        package let changes: Int
        /// Whether every file could be read.
        package let isWhole: Bool
        /// Whether folders or links changed in it.
        package let hasOthers: Bool
        /// Whether settings of projects changed in it.
        package let hasSettings: Bool
        /// Documents of which one version came in the place of several.
        package let settled: [RelativePath]
    }

    /// The newest first.
    package let entries: [Entry]
    /// What of the history is missing or does not open.
    package let gaps: [HistoryGap]
    /// Whether no snapshot is there, and none is missing.
    package var isEmpty: Bool { entries.isEmpty && gaps.isEmpty }

    /// The versions that the commits of each snapshot brought.
    private let versions: [LogPosition: [History.Version]]
    /// Which versions answered a conflict.
    let answers: Answers
    /// The history that it is of.
    let history: History
    /// The folder of which it is; nil for the whole library.
    let folder: RelativePath?

    /// Reads all commits of a vault. `folder`: a folder as people call it; then only the snapshots that changed
    /// documents below it count, and of their changes those. Throws `EngineError` for the name.
    package init(_ context: VaultContext, below folder: String? = nil) throws {
        let past = try FullHistory.load(context.vault)
        let path = try folder.map { name in
            let project = try ProjectLookup.find(name, in: past.history.everything)
            guard project.shown.header.kind == .folder else { throw EngineError.notAFolder(name) }
            return project.shown.header.path
        }
        self.init(past, below: path)
    }

    init(_ past: FullHistory, below folder: RelativePath? = nil) {
        gaps = past.gaps
        let history = past.history
        let answers = Answers(history)
        let brought = Dictionary(grouping: history.versions.values, by: \.id.commit)
        let settings = history.commitsWithSettings
        var versions: [LogPosition: [History.Version]] = [:]
        var entries: [Entry] = []
        for commit in past.snapshots.reversed() {
            let commits = history.commits(of: commit)
            let all = commits.flatMap { brought[$0.position.commit] ?? [] }
            versions[commit.position] = all
            // A document that a long backup stored twice counts once.
            let changed = Set(
                all.lazy.filter { version in
                    version.header.kind.isDocument && folder.map { version.header.path.isInside($0) } ?? true
                }.map(\.header.project))
            guard folder == nil || !changed.isEmpty else { continue }
            entries.append(
                Entry(
                    position: commit.position, time: commit.record.time,
                    device: history.name(of: commit.position.device), changes: changed.count,
                    isWhole: !commit.record.isPartial, hasOthers: all.contains { !$0.header.kind.isDocument },
                    hasSettings: commits.contains { settings.contains($0.position) },
                    settled: Self.settled(all, answers).filter { version in
                        folder.map { version.header.path.isInside($0) } ?? true
                    }.map(\.header.path).sorted()))
        }
        (self.entries, self.versions) = (entries, versions)
        (self.history, self.folder, self.answers) = (history, folder, answers)
    }

    /// The versions that came alone in the place of several. An undo brings the several back: it writes what the answer
    /// had not kept in the place of the same versions.
    static func settled(_ versions: [History.Version], _ answers: Answers) -> [History.Version] {
        let joined = versions.filter { version in
            version.header.parents.count > 1 && version.header.kind.isDocument && !version.header.isTombstone
        }
        guard !joined.isEmpty else { return [] }
        let counts = Dictionary(versions.map { ($0.header.project, 1) }, uniquingKeysWith: +)
        return joined.filter {
            counts[$0.header.project] == 1 && answers.first[Set($0.header.parents)]?.id == $0.id
        }
    }

    /// The version that first came in the place of the same several ones.
    struct Answers {
        fileprivate let first: [Set<VersionID>: History.Version]

        init(_ history: History) {
            first = Dictionary(
                history.versions.values.lazy.filter { $0.header.parents.count > 1 }.map {
                    (Set($0.header.parents), $0)
                }, uniquingKeysWith: { ($0.time, $0.id) < ($1.time, $1.id) ? $0 : $1 })
        }
    }

    /// The last version that a snapshot brought of each document, folder and link.
    func versions(of snapshot: LogPosition) -> [History.Version] {
        let all = versions[snapshot] ?? []
        let superseded = Set(all.flatMap(\.header.parents))
        return all.filter { !superseded.contains($0.id) }
    }
}

extension History {
    /// The commits of a snapshot: the one that completed it, and those before it that completed none.
    fileprivate func commits(of snapshot: Commit) -> [Commit] {
        var all = [snapshot]
        while let last = all.last, let before = previous(of: last).flatMap({ commits[$0] }), !before.record.isSnapshot,
            // A hostile commit may name itself.
            before.position.generation < last.position.generation
        { all.append(before) }
        return all
    }
}
