package import CueBase
import CueLibrary
import CueSystem
package import CueText
package import CueVault

/// The differences between two versions of a document, or between a version and the folder.
package struct DocumentDiff: Sendable {
    /// One end of a comparison.
    package struct End: Sendable {
        /// nil for the folder, where the document may also be missing.
        package let version: History.Version?
        /// The device that wrote the version; nil for the document in the folder.
        package let device: String?
        /// The path of the document; nil where it is not there.
        let path: RelativePath?
        /// nil if cue cannot read the text.
        package let words: Int?
        /// The parts of the text; nil if cue cannot read it.
        fileprivate let sections: [TextSection]?
        /// Files and links, without folders.
        fileprivate let members: [RelativePath: Content]

        /// The end where the document is not there.
        static let nothing = End(version: nil, device: nil, path: nil, words: 0, sections: [], members: [:])

        /// Whether the document is there.
        package var isThere: Bool { version.map { !$0.header.isTombstone } ?? !members.isEmpty }
    }

    /// A part of the text (a scene, a file) that differs.
    package struct Part: Sendable {
        /// Empty if the document has only one part.
        package let title: String
        /// From the old end to the new one.
        package let diff: TextDiff
    }

    /// The path of the newest version, or in the folder.
    package let path: RelativePath
    /// The path at the old end, if it is another than at the new end.
    package let renamedFrom: RelativePath?
    /// The earlier end.
    package let old: End
    /// The later end.
    package let new: End
    /// The parts of the text that differ, in the order of the new end; empty if an end has no text that cue reads.
    package let parts: [Part]
    /// Files that differ and are not part of the text.
    package let others: [RelativePath]
    /// What of the history is missing or does not open.
    package let gaps: [HistoryGap]
    /// Whether times or rights differ; known of a document that is the same otherwise, and was named.
    package private(set) var isTouched = false
    /// Whether the document is the same at both ends, in name and content.
    package var isSame: Bool { isEmpty && renamedFrom == nil && old.isThere == new.isThere }
    /// Whether nothing differs in the content.
    package var isEmpty: Bool { parts.isEmpty && others.isEmpty }
    /// The words that only the new end has.
    package var addedWords: Int { parts.reduce(0) { $0 + $1.diff.addedWords } }
    /// The words that only the old end has.
    package var removedWords: Int { parts.reduce(0) { $0 + $1.diff.removedWords } }

    /// Compares the versions of `project`, which a person called `name`. `first` and `second` are versions or times as people type them. Without `second` the new end is the
    /// document in the folder; without `first` the old end is the version that this device stored last. If the document
    /// is not in the folder, or without a library, the newest version is compared with its first parent that differs.
    /// Throws `EngineError` if a name, version or time is not found, or there is only one version.
    static func make(
        _ project: LibraryState.Project, named name: String, from first: String?, to second: String?,
        _ past: FullHistory, _ texts: Texts, _ context: VaultContext, _ library: OpenLibrary?
    ) throws -> DocumentDiff {
        let (history, now) = (past.history, context.surroundings.clock.now)
        let known = try library.flatMap { try StoredEntries($0).everything()[project.id] }
        let inFolder =
            try second == nil
            ? known.flatMap { known in
                try library.flatMap { library in
                    // A document that this device has stored, and that is not there, is gone from the folder.
                    try folderEnd(known, library, context, history)
                        ?? folderEnd(known, at: newName(of: known.path, library), library, context, history) ?? .nothing
                }
            } : nil
        let newest = project.shown
        let old: History.Version
        if let first {
            old = try version(first, of: project, named: name, past, at: now)
        } else if inFolder != nil {
            // The version that this device stored last, even if another device has gone on from it.
            old = known.flatMap { history.versions[$0.entry.base] } ?? newest
        } else {
            // An honest version comes from few.
            let parents = newest.header.parents.prefix(16).compactMap { history.versions[$0] }
            // An answer to a conflict comes first from the version that it keeps.
            let members = try history.members(of: newest.id)
            let other = parents.first { (try? history.members(of: $0.id)) != members }
            guard let parent = other ?? parents.first else {
                throw EngineError.onlyOneVersion(Display.text(newest.header.path))
            }
            old = parent
        }
        let new =
            try inFolder
            ?? end(second.map { try version($0, of: project, named: name, past, at: now) } ?? newest, history, texts)
        var diff = DocumentDiff(
            new.path ?? newest.header.path, try end(old, history, texts), new, gaps: history.gaps)
        if diff.isSame {
            let later = new.version?.id ?? known?.entry.base ?? old.id
            let isChangedHere = try new.version == nil && isChanged(known?.path, library)
            diff.isTouched = try isChangedHere || history.members(of: later) != history.members(of: old.id)
        }
        return diff
    }

    /// Whether the file or folder at the path is not as it was when it was stored.
    private static func isChanged(_ path: RelativePath?, _ library: OpenLibrary?) throws -> Bool {
        guard let path, let library else { return false }
        return try LibraryStatus.of(library).changed.contains(path)
    }

    init(_ path: RelativePath, _ old: End, _ new: End, gaps: [HistoryGap]) {
        (self.path, self.old, self.new, self.gaps) = (path, old, new, gaps)
        renamedFrom = old.path.flatMap { before in new.path.flatMap { $0 == before ? nil : before } }
        func byPath(_ sections: [TextSection]?) -> [RelativePath: TextSection] {
            Dictionary((sections ?? []).map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
        }
        let (before, after) = (byPath(old.sections), byPath(new.sections))
        // If one end has no readable text, compare no words: it would look as if all of them had gone.
        let areTexts = old.sections != nil && new.sections != nil
        let order = !areTexts ? [] : (new.sections ?? []) + (old.sections ?? []).filter { after[$0.path] == nil }
        parts = order.compactMap { section in
            let (a, b) = (before[section.path]?.text ?? "", after[section.path]?.text ?? "")
            return a == b ? nil : Part(title: section.title, diff: TextDiff.between(a, b))
        }
        let read = areTexts ? Set(before.keys).union(after.keys) : []
        others = Set(old.members.keys).union(new.members.keys).subtracting(read).filter {
            old.members[$0] != new.members[$0] && !Churn.isChurn($0)
        }.sorted()
    }

    /// The version that `text` names: by its id, else as it was at a time or snapshot.
    private static func version(
        _ text: String, of project: LibraryState.Project, named name: String, _ past: FullHistory, at now: Timestamp
    ) throws -> History.Version {
        do { return try RestorePlan.version(text, of: project, name, in: past) } catch EngineError.unknownVersion {}
        let state = past.state(at: try SnapshotSelector.find(text, in: past, at: now))
        let lives = past.everything.lives(of: project).compactMap { state.projects[$0.id] }
        if let then = lives.first(where: { !$0.isDeleted }) { return then.shown }
        // The document that had the name then may have another one now.
        let path = project.shown.header.path
        guard
            let namesake = state.live.first(where: { $0.shown.header.path == path && $0.shown.header.kind.isDocument })
        else { throw EngineError.notThereAt(Display.text(path), text) }
        return namesake.shown
    }

    /// The end for a version of the vault.
    static func end(_ version: History.Version, _ history: History, _ texts: Texts) throws -> End {
        guard !version.header.isTombstone else {
            // A deleted document has no words left.
            return End(
                version: version, device: history.name(of: version.device), path: nil, words: 0, sections: [],
                members: [:])
        }
        let members = try history.members(of: version.id)
        return End(
            version: version, device: history.name(of: version.device), path: version.header.path,
            words: texts.words(of: version), sections: texts.sections(of: version),
            members: Dictionary(
                members.filter { $0.content != .folder }.map { ($0.path, $0.content) },
                uniquingKeysWith: { one, _ in one }))
    }

    /// The name that a document has in the folder, if it was renamed since it was stored; nil if it was not.
    private static func newName(of path: RelativePath, _ library: OpenLibrary) throws -> RelativePath? {
        try LibraryStatus.of(library).renamed.first { $0.from == path }?.to
    }

    /// The end for the document in the folder, under its new name; nil if it has none, or is not there.
    private static func folderEnd(
        _ known: KnownProject, at path: RelativePath?, _ library: OpenLibrary, _ context: VaultContext,
        _ history: History
    ) throws -> End? {
        guard let path else { return nil }
        return try folderEnd((path: path, entry: known.entry), library, context, history)
    }

    /// The end for the document in the folder; nil if it is not there. Throws `SystemError` if it cannot be read.
    static func folderEnd(
        _ known: KnownProject, _ library: OpenLibrary, _ context: VaultContext, _ history: History
    ) throws -> End? {
        guard let document = try FolderDocument(ifAt: known.path, in: library.root) else { return nil }
        try document.proveReadable()
        let proof = ContentProof(context.vault, history.index, context.surroundings.cancellation)
        let stored = Dictionary(
            try history.members(of: known.entry.base).map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
        var members: [RelativePath: Content] = [:]
        for file in document.files {
            // Unchanged files get their stored content, others none: for those it is enough that they differ.
            let (folder, name) = try document.place(of: file.path)
            if let member = stored[file.path], member.size == file.size, try proof.holds(folder, name, member.chunks) {
                members[file.path] = member.content
            } else {
                members[file.path] = .file(size: file.size, chunks: [])
            }
        }
        return end(of: document, at: known.path, members)
    }

    /// The end for a document in the folder that was never stored; nil if it is not there. Throws `SystemError` if it
    /// cannot be read.
    static func newEnd(at path: RelativePath, _ library: OpenLibrary) throws -> End? {
        guard let document = try FolderDocument(ifAt: path, in: library.root) else { return nil }
        try document.proveReadable()
        return end(
            of: document, at: path,
            Dictionary(
                document.files.map { ($0.path, .file(size: $0.size, chunks: [])) }, uniquingKeysWith: { one, _ in one })
        )
    }

    private static func end(
        of document: FolderDocument, at path: RelativePath, _ members: [RelativePath: Content]
    ) -> End {
        let sections = document.sections()
        return End(version: nil, device: nil, path: path, words: sections?.words, sections: sections, members: members)
    }
}
