import CueBase
import CueSystem
package import CueText
import CueVault

/// Prints one version of a document, or one file of it.
package enum Cat {
    /// The forms in which a document can be printed.
    package enum Form: Sendable {
        /// The bytes of a file.
        case bytes
        /// The text of a document that is a bundle or has a format of its own; else the bytes.
        case readable
        /// The text.
        case text
    }

    /// Calls `write` with the file's content, chunk by chunk, or `tell` with the text in parts. `name` is a document, or
    /// `document:file`; `at` and `version` are as typed, and without both the newest version is read. Throws
    /// `EngineError` if a name, version or file is not found, or has no text that cue reads and `form` is `.text`, and
    /// `VaultError` or `StorageError` if the content cannot be read.
    package static func run(
        _ name: String, at: String?, version: String?, as form: Form, _ context: VaultContext,
        write: (Span<UInt8>) -> Void, tell: ([TextSection]) -> Void
    ) throws {
        let (vault, now) = (context.vault, context.surroundings.clock.now)
        let isNow = at == nil && version == nil
        let past = try isNow ? nil : FullHistory.load(vault)
        var history = try past?.history ?? History.loadLatest(vault)
        let packs = try history.findPacks(in: vault)
        let then = try at.flatMap { at in try past.map { $0.state(at: try SnapshotSelector.find(at, in: $0, at: now)) }
        }
        let (project, file) = try find(name, in: version == nil ? then ?? history.state() : history.everything)
        let chosen =
            try version.flatMap { version in
                try past.map { try RestorePlan.version(version: version, of: project, name, in: $0) }
            } ?? project.shown
        guard !chosen.header.isTombstone else {
            throw EngineError.deletedName(Display.text(chosen.header.path), at: chosen.time)
        }
        if at != nil, past?.retiredVersions.contains(chosen.id) ?? false {
            throw EngineError.versionGivenUp(chosen.id.short)
        }
        guard chosen.header.kind != .folder else { throw EngineError.isAFolder(Display.text(chosen.header.path)) }
        let members = try history.members(of: chosen.id)
        let texts = try Texts(vault, history, packs)
        let found = file.map { texts.member(called: $0, of: chosen, members) } ?? members.first(where: \.path.isRoot)
        guard let member = found else {
            throw EngineError.noSuchMember(file ?? "", of: Display.text(chosen.header.path))
        }
        if form != .bytes, let text = try text(of: chosen, file == nil ? nil : member, form, texts) {
            return tell(text)
        }
        guard case .file(_, let chunks) = member.content else { throw EngineError.notAFile(name) }
        let prefetch = BlockPrefetch(of: vault, history.index, packs, order: chunks)
        defer { prefetch?.stop() }
        let reader = try ContentReader(of: vault, history.index, packs, prefetch: prefetch)
        for chunk in chunks { try reader.withChunk(chunk) { write($0) } }
    }

    /// The text of a version, or of one of its files. nil if there is none that cue reads, or that is not plain already;
    /// throws `EngineError.noText` for `.text`.
    private static func text(
        of version: History.Version, _ file: Member?, _ form: Form, _ texts: Texts
    ) throws -> [TextSection]? {
        let format = TextFormat(fileName: file?.path.name ?? version.header.path.name)
        let isPlain = (file != nil || version.header.kind != .bundle) && (format == nil || format?.isPlain ?? false)
        if form == .readable, isPlain { return nil }
        let sections = file.map { texts.sections(of: $0) } ?? texts.sections(of: version)
        guard sections != nil || form == .readable else {
            throw EngineError.noText(Display.text(version.header.path), texts.refusal)
        }
        return sections
    }

    /// The project and file of a name. A document may have a colon in its name: try the whole, then split at each colon
    /// from the right.
    private static func find(_ name: String, in state: LibraryState) throws -> (LibraryState.Project, file: String?) {
        do { return (try ProjectLookup.find(name, in: state), nil) } catch let error as EngineError {
            var reason = error
            var end = name.endIndex
            while let colon = name[..<end].lastIndex(of: ":") {
                do {
                    let project = try ProjectLookup.find(String(name[..<colon]), in: state)
                    return (project, String(name[name.index(after: colon)...]))
                } catch let error as EngineError {
                    // Keep the error that says more: a part of the name may be a deleted document.
                    if case .unknownName = reason { reason = error.unlessUnknown ?? reason }
                }
                end = colon
            }
            throw reason
        }
    }
}

extension EngineError {
    /// nil if the error only reports an unknown name.
    fileprivate var unlessUnknown: EngineError? { if case .unknownName = self { nil } else { self } }
}
