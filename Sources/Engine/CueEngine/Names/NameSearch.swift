package import CueBase
import CueSearch
import CueSystem
import CueVault

/// Finds what a person may have meant by a name that no document has: one in other letters, a part of a name, or a name
/// that the document had before.
package enum NameSearch {
    /// A document or folder that a person may have meant.
    package struct Match: Sendable, Equatable {
        /// Its path in the state that was searched, as it is shown.
        package let path: String
        /// Whether it was deleted.
        package let isDeleted: Bool
        /// nil if the name is, or is in, its present one.
        package let former: FormerName?

        /// A match of these parts.
        package init(path: String, isDeleted: Bool, former: FormerName?) {
            (self.path, self.isDeleted, self.former) = (path, isDeleted, former)
        }
    }

    /// A name that a document had.
    package struct FormerName: Sendable, Equatable {
        /// The path at that time, as it is shown.
        package let path: String
        /// When it got its present name, and the name of the device that gave it.
        package let until: Timestamp
        package let device: String
    }

    /// Everything that fits the name best, in the order of the paths: first what has the name in other letters, then
    /// what has it as a part of its own, then what was called so. `at`: a time or snapshot as people type it, nil for
    /// the newest state. Throws `EngineError` if there is no such time, and `StorageError`.
    package static func matches(_ name: String, at: String?, _ context: VaultContext) throws -> [Match] {
        let wanted = folded(name: name)
        guard !wanted.isEmpty else { return [] }
        let past = try FullHistory.load(context.vault)
        let state =
            try at.map { at in
                past.state(at: try SnapshotSelector.find(at, in: past, at: context.surroundings.clock.now))
            } ?? past.history.state()
        let projects = state.includingDeleted.live.filter { !$0.shown.header.path.isRoot }
        let names = projects.map { ($0, folded(Display.text($0.shown.header.path))) }
        for fits in [isName, isPart] {
            let found = names.filter { fits(wanted, $0.1) }.map(\.0)
            if !found.isEmpty { return best(found).map { Match($0, former: nil) }.unique }
        }
        return formerly(wanted, projects, past.history)
    }

    /// The same among what this device remembers, which knows no former names.
    package static func matches(_ name: String, in projects: [LocalProject]) -> [Match] {
        let wanted = folded(name: name)
        guard !wanted.isEmpty else { return [] }
        let names = projects.filter { !$0.path.isRoot }.map { ($0, folded(Display.text($0.path))) }
        for fits in [isName, isPart] {
            let found = names.filter { fits(wanted, $0.1) }.map(\.0)
            let documents = found.filter(\.kind.isDocument)
            guard found.isEmpty else {
                return (documents.isEmpty ? found : documents)
                    .map { Match(path: Display.text($0.path), isDeleted: false, former: nil) }.unique
            }
        }
        return []
    }

    /// What was typed, without slashes at its end and a dot before its beginning.
    private static func folded(name: String) -> String {
        var result = folded(Display.text(ArgumentBytes.bytes(name)))
        while result.count > 1, result.last == "/" { result.removeLast() }
        if result.hasPrefix("./") { result.removeFirst(2) }
        return result
    }

    private static func folded(_ text: String) -> String { FoldedText.of(text) }

    /// The projects that had a name like this one.
    private static func formerly(
        _ wanted: String, _ projects: [LibraryState.Project], _ history: History
    ) -> [Match] {
        let present = Dictionary(projects.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        var old: [ProjectID: [History.Version]] = [:]
        var named: [ProjectID: [History.Version]] = [:]
        for version in history.versions.values {
            guard let project = present[version.header.project] else { continue }
            if version.header.path == project.shown.header.path {
                named[project.id, default: []].append(version)
            } else {
                old[project.id, default: []].append(version)
            }
        }
        for fits in [isName, isPart] {
            var found: [ProjectID: History.Version] = [:]
            for (project, versions) in old {
                // The newest of them is the one that she remembers.
                found[project] = versions.filter { fits(wanted, folded(Display.text($0.header.path))) }.max {
                    ($0.time, $0.id) < ($1.time, $1.id)
                }
            }
            guard !found.isEmpty else { continue }
            return best(found.keys.compactMap { present[$0] }).compactMap { project in
                guard let then = found[project.id] else { return nil }
                // Its present name is as old as the first version that bears it after that one.
                let since =
                    named[project.id]?.filter { $0.time >= then.time }.min { ($0.time, $0.id) < ($1.time, $1.id) }
                    ?? project.shown
                let former = FormerName(
                    path: Display.text(then.header.path), until: since.time, device: history.name(of: since.device))
                return Match(project, former: former)
            }.unique
        }
        return []
    }

    /// Existing ones if there are any, and of those documents, in the order of their paths.
    private static func best(_ found: [LibraryState.Project]) -> [LibraryState.Project] {
        let there = found.filter { !$0.isDeleted }
        let candidates = there.isEmpty ? found : there
        let documents = candidates.filter(\.shown.header.kind.isDocument)
        return (documents.isEmpty ? candidates : documents).sorted { $0.shown.header.path < $1.shown.header.path }
    }

    /// Whether the path, with or without the file's ending, is `wanted` or ends with it after a slash.
    private static func isName(_ wanted: String, _ path: String) -> Bool {
        let stem = path.lastIndex(of: ".").map { path[..<$0] }
        return [path[...], stem].compactMap(\.self).contains { $0 == wanted || $0.hasSuffix("/" + wanted) }
    }

    /// Whether `wanted` stands in the name, or in the path if it has a slash. One letter is in every name.
    private static func isPart(_ wanted: String, _ path: String) -> Bool {
        guard wanted.count > 1 else { return false }
        let name = wanted.contains("/") ? path[...] : path.split(separator: "/").last ?? ""
        return name.contains(wanted)
    }
}

extension NameSearch.Match {
    fileprivate init(_ project: LibraryState.Project, former: NameSearch.FormerName?) {
        self.init(path: Display.text(project.shown.header.path), isDeleted: project.isDeleted, former: former)
    }
}

extension [NameSearch.Match] {
    /// Without further ones at one path: a deleted document and its successors may have had the same.
    fileprivate var unique: [NameSearch.Match] {
        var seen: Set<String> = []
        return filter { seen.insert($0.path).inserted }
    }
}
