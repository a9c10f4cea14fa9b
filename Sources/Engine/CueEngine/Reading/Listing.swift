package import CueBase
import CueSystem
package import CueVault

/// The documents of a vault or of one of its folders at one time, or the files in one of them.
package struct Listing: Sendable {
    /// A document, or a file in one.
    package struct Row: Sendable {
        /// In the library; for a file, in its document.
        package let path: String
        /// For a file, what it is in its document.
        package let kind: ProjectKind
        /// In bytes.
        package let size: Int64
        /// When a writer last touched it.
        package let edited: Timestamp
        /// The version that is listed.
        package let version: VersionID
        /// The project's UUID for services; nil for a file in a document.
        package let uuid: ID16?
        /// Whether another version of other content stands beside it.
        package let isConflict: Bool
        /// Whether it kept changing while it was read.
        package let isUnsettled: Bool
    }

    /// A document that was deleted, and is not there again. Its size is unknown: a checkpoint may have summed it up.
    package struct DeletedRow: Sendable {
        /// In the library.
        package let path: String
        /// What it was.
        package let kind: ProjectKind
        /// When the deletion was stored, by the clock of `device`.
        package let time: Timestamp
        /// The name of the device that stored the deletion.
        package let device: String
        /// The deletion itself.
        package let version: VersionID
        /// The project's UUID for services.
        package let uuid: ID16
    }

    /// In the order of their names.
    package private(set) var rows: [Row] = []
    /// The newest deletion first.
    package private(set) var deleted: [DeletedRow] = []
    /// Documents of which a part is missing; they have no row.
    package private(set) var unreadable: [(path: String, error: VaultError)] = []
    /// What of the history is missing or does not open.
    package let gaps: [HistoryGap]

    private let history: History
    private let state: LibraryState
    private let vault: Vault

    /// `at`: a time or snapshot as people type it; nil for the newest state.
    private init(at: String?, _ context: VaultContext) throws {
        let now = context.surroundings.clock.now
        vault = context.vault
        guard let at else {
            history = try History.loadForSync(vault)
            (state, gaps) = (history.state(), history.gaps)
            return
        }
        let past = try FullHistory.load(vault)
        (history, gaps) = (past.history, past.gaps)
        state = past.state(at: try SnapshotSelector.find(at, in: past, at: now))
    }

    /// All documents; with folders and links too if `all`.
    package static func documents(at: String?, all: Bool, _ context: VaultContext) throws -> Listing {
        var listing = try Listing(at: at, context)
        try listing.addDocuments(all: all) { _ in true }
        return listing
    }

    /// Adds the documents at some of the paths; folders and links too if `all`.
    private mutating func addDocuments(all: Bool, where isWanted: (RelativePath) -> Bool) throws {
        let forks = FullHistory(history).map(SyncForks.init)
        for project in state.live where all || project.shown.header.kind.isDocument {
            let shown = SyncForks.Shown(project, forks)
            if isWanted(shown.path) { try add(shown, project.id) }
        }
    }

    private mutating func add(_ shown: SyncForks.Shown, _ project: ProjectID) throws {
        let (path, header) = (Display.text(shown.path), shown.version.header)
        let members: [Member]
        do { members = try history.members(of: shown.version.id) } catch let error as VaultError {
            return unreadable.append((path, error))
        }
        rows.append(
            Row(
                path: path, kind: header.kind, size: members.size, edited: header.edited, version: shown.version.id,
                uuid: vault.uuid(of: project), isConflict: shown.isConflict, isUnsettled: header.isUnsettled))
    }

    /// The documents in the folder, or the files of the document, that a person calls `name`; with folders too if
    /// `all`.
    package static func of(_ name: String, at: String?, all: Bool, _ context: VaultContext) throws -> Listing {
        var listing = try Listing(at: at, context)
        let project = try ProjectLookup.find(name, in: listing.state)
        if project.shown.header.kind == .folder {
            let folder = project.shown.header.path
            try listing.addDocuments(all: all) { $0.isInside(folder) }
            return listing
        }
        let id = project.shown.id
        listing.rows = try listing.history.members(of: id).filter { all || $0.content != .folder }.map { member in
            Row(
                path: Display.text(member.path.isRoot ? project.shown.header.path.name : member.path.bytes),
                kind: member.projectKind, size: member.size, edited: member.modified.timestamp, version: id,
                uuid: nil, isConflict: false, isUnsettled: false)
        }
        return listing
    }

    /// The documents that were deleted; folders and links too if `all`.
    package static func deleted(at: String?, all: Bool, _ context: VaultContext) throws -> Listing {
        var listing = try Listing(at: at, context)
        let (history, vault) = (listing.history, context.vault)
        let past = history.retirements.isEmpty ? nil : try FullHistory(history) ?? FullHistory.load(vault)
        let retired = past?.retiredVersions ?? []
        let gone = listing.state.gone.filter { project in
            // What it was before may have been given up, and then nothing brings it back.
            (all || project.shown.header.kind.isDocument)
                && !(past?.beforeDeletion(of: project).map { retired.contains($0.id) } ?? false)
        }
        listing.deleted = gone.map { project in
            let version = project.shown
            return DeletedRow(
                path: Display.text(version.header.path), kind: version.header.kind, time: version.time,
                device: history.name(of: version.device), version: version.id, uuid: vault.uuid(of: project.id))
        }
        return listing
    }
}
