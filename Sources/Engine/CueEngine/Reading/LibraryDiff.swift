import CueBase
package import CueLibrary
import CueSystem
package import CueVault

/// The differences in one document, in a folder, or in the whole library.
package struct LibraryDiff {
    /// The documents that differ, in the order of their paths; for one that was named, also if it does not.
    package private(set) var documents: [DocumentDiff] = []
    /// How many documents have other times or rights and the same content.
    package private(set) var touched = 0
    /// Documents that cannot be read, and why. They are not compared.
    package private(set) var skipped: [SkippedPath] = []
    /// Whether a single document was named.
    package let isOfDocument: Bool
    /// What of the history is missing or does not open.
    package let gaps: [HistoryGap]

    private let past: FullHistory
    private let texts: Texts
    private let context: VaultContext
    private let library: OpenLibrary?

    /// Compares the document or folder that a person calls `name`, or everything for nil. `first` and `second` are
    /// versions of the document, or times and snapshots, as people type them.
    ///
    /// Without `second` the new end is the folder; without `first` the old end is what this device stored last. If a
    /// document is not in the folder, or without a library, its newest version is compared with its first parent that
    /// differs. Throws `EngineError` if a name, version or time is not found, a document has only one version, or the
    /// named one cannot be read in the folder.
    package static func make(
        _ name: String?, from first: String?, to second: String?, _ context: VaultContext, _ library: OpenLibrary?
    ) throws -> LibraryDiff {
        var past = try FullHistory.load(context.vault)
        let packs = try past.history.findPacks(in: context.vault)
        let texts = try Texts(context.vault, past.history, packs)
        let project = try name.map { try Self.project($0, past.history.everything, second == nil ? library : nil) }
        if let name, let project, project.shown.header.kind != .folder {
            var diff = LibraryDiff(past, texts, context, library, isOfDocument: true)
            do {
                diff.documents = [
                    try DocumentDiff.make(project, named: name, from: first, to: second, past, texts, context, library)
                ]
            } catch let error as SystemError {
                throw EngineError.documentUnreadable(Display.text(project.shown.header.path), error)
            }
            return diff
        }
        var diff = LibraryDiff(past, texts, context, library, isOfDocument: false)
        let folder = project?.shown.header.path ?? .root
        try diff.compare(below: folder, from: first, to: second)
        return diff
    }

    /// The project of that name in the vault, or of a document that has it in the folder alone, since it was renamed.
    private static func project(
        _ name: String, _ state: LibraryState, _ library: OpenLibrary?
    ) throws -> LibraryState.Project {
        do { return try ProjectLookup.find(name, in: state) } catch let error as EngineError {
            guard case .unknownName = error, let library else { throw error }
            let renamed = try LibraryStatus.of(library).renamed.filter { ProjectLookup.names(name, $0.to) }
            let known = try StoredEntries(library).everything().first { $0.value.path == renamed.first?.from }
            guard renamed.count == 1, let known, let project = state.projects[known.key] else { throw error }
            return project
        }
    }

    private init(
        _ past: FullHistory, _ texts: Texts, _ context: VaultContext, _ library: OpenLibrary?, isOfDocument: Bool
    ) {
        (self.past, self.texts, self.context, self.library) = (past, texts, context, library)
        (self.isOfDocument, gaps) = (isOfDocument, past.gaps)
    }

    /// Compares all documents below a folder.
    private mutating func compare(below folder: RelativePath, from first: String?, to second: String?) throws {
        let now = context.surroundings.clock.now
        func state(_ text: String) throws -> LibraryState {
            past.state(at: try SnapshotSelector.find(text, in: past, at: now))
        }
        let before = try first.map(state)
        if second == nil, let library {
            try compareFolder(library, below: folder, with: before)
        } else {
            guard let before else { throw EngineError.nothingToCompare }
            let after = try second.map(state) ?? past.history.state()
            for project in Set(before.projects.keys).union(after.projects.keys) {
                let (old, new) = (before.projects[project], after.projects[project])
                guard let shown = (new ?? old)?.shown, old?.shown.id != new?.shown.id,
                    [old, new].contains(where: { $0.map { Self.isWanted($0.shown.header, below: folder) } ?? false })
                else { continue }
                add(DocumentDiff(shown.header.path, try end(old), try end(new), gaps: []))
            }
        }
        documents.sort { $0.path < $1.path }
        skipped.sort { ($0.path ?? .root) < ($1.path ?? .root) }
    }

    /// Compares the documents in the library's folder with an earlier state; nil for what this device stored last.
    private mutating func compareFolder(
        _ library: OpenLibrary, below folder: RelativePath, with before: LibraryState?
    ) throws {
        let status = try LibraryStatus.of(library)
        let changed = Set(status.changed + status.gone)
        let renamed = Dictionary(status.renamed.map { ($0.from, $0.to) }, uniquingKeysWith: { one, _ in one })
        let stored = try StoredEntries(library).everything()
        skipped = status.skipped.filter { $0.path?.concerns(folder) ?? true }
        for (project, known) in stored where known.entry.kind.isDocument {
            let place = renamed[known.path] ?? known.path
            let then = before?.projects[project]
            // One that was moved into the folder or out of it is renamed there.
            guard [known.path, place, then?.shown.header.path].contains(where: { $0?.isInside(folder) ?? false })
            else { continue }
            let isChanged = changed.contains(known.path)
            let old = try before.map { _ in try end(then) }
            guard isChanged || old.map({ $0.version?.id != known.entry.base }) ?? false else { continue }
            let base = try past.history.versions[known.entry.base].map { try end($0) } ?? .nothing
            let new = try orSkip(place) { [context, history = past.history] in
                isChanged
                    ? try DocumentDiff.folderEnd(
                        (path: place, entry: known.entry), library, context, history) ?? .nothing : base
            }
            if let new { add(DocumentDiff(place, old ?? base, new, gaps: [])) }
        }
        let places = Set(renamed.values)
        for path in status.new where path.isInside(folder) && !places.contains(path) {
            guard let end = try orSkip(path, { try DocumentDiff.newEnd(at: path, library) }) ?? nil else { continue }
            add(DocumentDiff(path, .nothing, end, gaps: []))
        }
        // What was there then, and is not known here any more.
        for project in before?.live ?? [] where stored[project.id] == nil {
            guard Self.isWanted(project.shown.header, below: folder) else { continue }
            add(DocumentDiff(project.shown.header.path, try end(project.shown), .nothing, gaps: []))
        }
    }

    /// Notes a document that cannot be read; nil for that.
    private mutating func orSkip<End>(_ path: RelativePath, _ read: () throws -> End) throws -> End? {
        do { return try read() } catch let error as SystemError {
            skipped.append(SkippedPath(path: path, reason: .unreadable(error)))
            return nil
        }
    }

    private static func isWanted(_ header: VersionHeader, below folder: RelativePath) -> Bool {
        header.kind.isDocument && header.path.isInside(folder)
    }

    private func end(_ project: LibraryState.Project?) throws -> DocumentDiff.End {
        try project.map { try end($0.shown) } ?? .nothing
    }

    private func end(_ version: History.Version) throws -> DocumentDiff.End {
        try DocumentDiff.end(version, past.history, texts)
    }

    private mutating func add(_ diff: DocumentDiff) {
        if diff.isSame { touched += 1 } else { documents.append(diff) }
    }
}
