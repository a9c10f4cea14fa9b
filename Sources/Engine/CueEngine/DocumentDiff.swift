package import CueBase
import CueLibrary
import CueSystem
package import CueText
package import CueVault

/// What changed in a document between two of its versions, or since one of them.
package struct DocumentDiff: Sendable {
    /// One end of a comparison.
    package struct End: Sendable {
        /// nil for the document as it is in the folder.
        package let version: History.Version?
        package let device: String?
        package let words: Int?
        fileprivate let sections: [TextSection]?
        fileprivate let members: [RelativePath: Content]
    }

    package struct Part: Sendable {
        /// Empty for a document of one part.
        package let title: String
        package let diff: TextDiff
    }

    package let path: RelativePath
    package let old: End
    package let new: End
    /// Those that differ.
    package let parts: [Part]
    /// Files that differ and whose text cue cannot read.
    package let others: [RelativePath]
    package var isEmpty: Bool { parts.isEmpty && others.isEmpty }

    /// `first` and `second` are versions or times as people type them. Without `second` the document in the folder is the new end;
    /// without `first` the newest version is the old one. Without a library the two newest versions are compared.
    package static func make(
        _ name: String, _ first: String?, _ second: String?, _ history: History, _ vault: Vault, _ library: OpenLibrary?
    ) throws -> DocumentDiff {
        let project = try Names.find(name, in: history.everything)
        let texts = try Texts(vault, history)
        let inFolder = second == nil ? try library.flatMap { try folderEnd(project, $0, vault, history) } : nil
        let newest = project.shown
        let old: History.Version
        if let first {
            old = try version(first, of: project, named: name, history)
        } else if inFolder != nil {
            // What this device stored last, also where another one has gone on.
            let base = try library.flatMap { try BackedUp($0).everything()[project.id]?.entry.base }
            old = base.flatMap { history.versions[$0] } ?? newest
        } else {
            guard let parent = newest.header.parents.first.flatMap({ history.versions[$0] }) else {
                throw EngineError.onlyOneVersion(Display.text(newest.header.path))
            }
            old = parent
        }
        let new =
            try inFolder
            ?? end(second.map { try version($0, of: project, named: name, history) } ?? newest, history, texts)
        return DocumentDiff(newest.header.path, try end(old, history, texts), new)
    }

    private init(_ path: RelativePath, _ old: End, _ new: End) {
        (self.path, self.old, self.new) = (path, old, new)
        func byPath(_ sections: [TextSection]?) -> [RelativePath: TextSection] {
            Dictionary((sections ?? []).map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
        }
        let (before, after) = (byPath(old.sections), byPath(new.sections))
        // Where one end cannot be read as text, nothing is said of words: it would look as if all had gone.
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

    private static func version(
        _ text: String, of project: LibraryState.Project, named name: String, _ history: History
    ) throws -> History.Version {
        do { return try RestorePlan.version(text, of: project, name, in: history) } catch EngineError.unknownVersion {}
        let state = history.state(at: try Moment.find(text, in: history))
        let lives = history.everything.lives(of: project).compactMap { state.projects[$0.id] }
        guard let then = lives.first(where: { !$0.isDeleted }) else {
            throw EngineError.notThereAt(Display.text(project.shown.header.path), text)
        }
        return then.shown
    }

    private static func end(_ version: History.Version, _ history: History, _ texts: Texts) throws -> End {
        guard !version.header.isTombstone else {
            // All its words are gone.
            return End(
                version: version, device: history.name(of: version.device), words: 0, sections: [], members: [:])
        }
        let members = try history.members(of: version.id)
        return End(
            version: version, device: history.name(of: version.device), words: texts.words(of: version),
            sections: texts.sections(of: version),
            members: Dictionary(
                members.filter { $0.content != .folder }.map { ($0.path, $0.content) },
                uniquingKeysWith: { one, _ in one }))
    }

    /// nil where the folder does not have the document.
    private static func folderEnd(
        _ project: LibraryState.Project, _ library: OpenLibrary, _ vault: Vault, _ history: History
    ) throws -> End? {
        guard let known = try BackedUp(library).everything()[project.id] else { return nil }
        guard let document = FolderDocument(at: known.path, in: library.root) else { return nil }
        let proof = ContentProof(vault, history.index)
        let stored = Dictionary(
            try history.members(of: known.entry.base).map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
        var members: [RelativePath: Content] = [:]
        for file in document.files {
            // What is as it was stored is said to be the same; of anything else it is enough to know that it is not.
            let (folder, name) = try document.place(of: file.path)
            if let member = stored[file.path], member.size == file.size, try proof.holds(folder, name, member.chunks) {
                members[file.path] = member.content
            } else {
                members[file.path] = .file(size: file.size, chunks: [])
            }
        }
        let sections = document.sections()
        return End(version: nil, device: nil, words: sections?.words, sections: sections, members: members)
    }
}
