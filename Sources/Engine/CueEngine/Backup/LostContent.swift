import CueBase
import CueLibrary
import CueStorage
import CueVault

/// The documents of which the vault has lost content that this device stored.
struct LostContent {
    /// A document, as it was when its content was found lost.
    private struct Document {
        let base: VersionID
        /// The content, without times and modes (`Vault.contentFingerprint`).
        let content: UInt64
    }

    private var documents: [ProjectID: Document] = [:]

    /// No documents.
    init() {}

    var isEmpty: Bool { documents.isEmpty }
    var projects: Set<ProjectID> { Set(documents.keys) }

    /// The fingerprint of the lost content (`Vault.contentFingerprint`); nil for a document of which nothing is lost.
    func content(of project: ProjectID) -> UInt64? { documents[project]?.content }

    /// Takes over what was found later.
    mutating func merge(_ later: LostContent) { documents.merge(later.documents) { $1 } }

    // MARK: Look

    /// Finds the documents that the vault has lost, and takes `others` with them. nil if the history is too damaged to
    /// tell.
    ///
    /// A version of this device that the newest state does not have is left out: a sync looks at it before another
    /// takes its place.
    static func find(_ context: EngineContext, and others: Set<ProjectID> = []) throws -> LostContent? {
        do { return try State(context, needsPast: !others.isEmpty).lost(and: others) } catch is VaultError {
            return nil
        }
    }

    /// The result of storing documents again.
    struct Outcome {
        /// The documents that the vault still lacks.
        var left: LostContent
        /// The paths of the others that have the lost content still. One that was edited meanwhile has not: its old
        /// text stays lost.
        var storedAgain: [RelativePath]
    }

    /// Looks at what became of the documents. nil if the history is too damaged to tell.
    func outcome(_ context: EngineContext) throws -> Outcome? {
        do {
            let state = try State(context)
            let left = state.lost()
            let storedAgain = documents.compactMap { project, document -> RelativePath? in
                guard left.documents[project] == nil, let known = state.entries[project] else { return nil }
                // A document that was only renamed has another base with the same content.
                let isSame = known.entry.base == document.base || state.content(of: known) == document.content
                return isSame ? known.path : nil
            }
            return Outcome(left: left, storedAgain: storedAgain.sorted())
        } catch is VaultError { return nil }
    }

    /// The vault's history and the device's entries, at one moment.
    private struct State {
        private let vault: Vault
        private var history: History
        let entries: [ProjectID: KnownProject]

        /// `needsPast`: whether the history also has the versions that newer ones have replaced.
        init(_ context: EngineContext, needsPast: Bool = false) throws {
            let library = context.library
            vault = context.vault
            history = try library.newest(of: vault)
            if needsPast, history.isSummary { history = try History.load(vault) }
            let broken = try library.store.read { try $0.brokenPacks() }
            history.take(try vault.presentPacks(), broken: broken)
            entries = try StoredEntries(library).everything()
        }

        /// The content that this device last stored of a document; nil if the history does not have that version.
        func content(of known: KnownProject) -> UInt64? {
            (try? history.members(of: known.entry.base)).map(vault.contentFingerprint)
        }

        /// The documents without a place for some of their content, and `others`.
        func lost(and others: Set<ProjectID> = []) -> LostContent {
            var lost = LostContent()
            for (project, known) in entries where known.entry.kind != .folder {
                guard let members = try? history.members(of: known.entry.base),
                    others.contains(project)
                        || members.contains(where: { $0.chunks.contains(where: history.index.lacks) })
                else { continue }
                lost.documents[project] = Document(
                    base: known.entry.base, content: vault.contentFingerprint(of: members))
            }
            return lost
        }
    }
}
