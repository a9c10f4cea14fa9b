import CueBase
import CueSystem
import CueVault

/// Prints one file of one version.
package enum Cat {
    /// Calls `write` with the file's content, chunk by chunk. `name` is a document, or `document:file`; `at` and
    /// `version` are as typed, and without both the newest version is read. Throws `EngineError` if a name, version or
    /// file is not found, and `VaultError` or `StorageError` if the content cannot be read.
    package static func run(
        _ name: String, at: String?, version: String?, _ context: VaultContext, write: (Span<UInt8>) -> Void
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
                try past.map { try RestorePlan.version(version, of: project, name, in: $0) }
            } ?? project.shown
        guard !chosen.header.isTombstone else {
            throw EngineError.deletedName(Display.text(chosen.header.path), at: chosen.time)
        }
        let members = try history.members(of: chosen.id)
        let wanted = file.map { [ArgumentBytes.bytes($0), Display.bytes($0)] } ?? [[]]
        guard let member = members.first(where: { wanted.contains($0.path.bytes) }) else {
            throw EngineError.noSuchMember(file ?? "", of: Display.text(chosen.header.path))
        }
        guard case .file(_, let chunks) = member.content else { throw EngineError.notAFile(name) }
        let prefetch = BlockPrefetch(of: vault, history.index, order: chunks)
        defer { prefetch?.stop() }
        let reader = try ContentReader(of: vault, history.index, packs, prefetch: prefetch)
        for chunk in chunks { try reader.withChunk(chunk) { write($0) } }
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
