import CueBase
import CueLibrary
import CueSearch
import CueSystem
import CueText
import CueVault

/// Keeps an index up to date after a backup or sync, so that the next search need not read the vault.
///
/// Only what is little work is done: the text of few documents is read from the folder. The next search reads the rest.
enum SearchUpkeep {
    /// More is left to the next search.
    private static let most = (documents: 16, bytes: Int64(8 << 20))

    /// Adds the documents that a run has stored, if the library has an index. They are in the vault already: an error
    /// here is no failure, and the next search finds what is missing.
    static func note(_ summary: BackupSummary, _ context: EngineContext) {
        let library = context.library
        let folder = library.state.library(library.marker.library)
        guard let commit = summary.stored.first?.version.commit, summary.stored.count <= most.documents,
            library.marker.rememberKey, SearchIndex.exists(in: folder)
        else { return }
        var index: SearchIndex?
        do {
            // A search may be writing; what is not noted now is read by the next one.
            index = try SearchIndex(in: folder, of: context.vault.id.description, patience: 0.05)
            let others = summary.new + summary.renamed + summary.removed + summary.conflicting.count
            try index?.write { writing in
                var areAll = others == 0
                for document in summary.stored {
                    guard document.version.commit == commit, try add(document, context, writing) else {
                        areAll = false
                        continue
                    }
                }
                if areAll { try writing.note(commit) }
            }
        } catch SearchError.full {
            // Either it is as large as it may be, or the disk is: then backups need the room.
            if (try? index?.isAtLimit()) != true { SearchIndex.remove(in: folder) }
        } catch {}
    }

    /// Adds one document; false if the folder holds something else by now.
    private static func add(
        _ document: StoredDocument, _ context: EngineContext, _ writing: SearchIndex.Writing
    ) throws -> Bool {
        let library = context.library
        guard try isAsStored(document, library),
            let file = FolderDocument(at: document.path, in: library.root),
            file.files.reduce(Int64(0), { $0 + $1.size }) <= most.bytes
        else { return false }
        let parts = file.sections()?.map { ($0.title, $0.text) } ?? []
        guard try isAsStored(document, library) else { return false }
        let version = SearchIndex.Version(
            id: document.version, project: document.project, parents: [document.parent], time: context.clock.now,
            device: try library.device().name, path: Display.text(document.path))
        try writing.add(version, parts)
        return true
    }

    /// Whether the folder holds the stored version, by all files' sizes and times.
    private static func isAsStored(_ document: StoredDocument, _ library: OpenLibrary) throws -> Bool {
        let (entry, members) = try library.store.read { transaction in
            (
                try transaction.entries(of: document.path.parent ?? .root).first { $0.name == document.path.name },
                try transaction.members(of: document.project)
            )
        }
        guard let entry, entry.base == document.version else { return false }
        var folders = FolderPath(library.root)
        let parent = try folders.openParent(of: document.path)
        guard entry.kind == .bundle else {
            return try parent.info(of: document.path.name).map { StatKey($0) == entry.stat } ?? false
        }
        guard let members else { return false }
        var inner = FolderPath(try parent.folder(document.path.name))
        return try members.allSatisfy { member in
            guard case .file = member.member.content else { return true }
            let path = member.member.path
            return try inner.openParent(of: path).info(of: path.name).map { StatKey($0) == member.stat } ?? false
        }
    }
}
