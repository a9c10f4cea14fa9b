import CueBase
import CueLibrary

/// Changes to the folders that the local store remembers, gathered for one transaction.
struct FolderEdits {
    private let store: LocalStore
    private var folders: [RelativePath?: [[UInt8]: ScanEntry]] = [:]

    init(_ store: LocalStore) { self.store = store }

    /// Notes the entry that stands at a path now.
    mutating func put(_ entry: ScanEntry, at path: RelativePath) throws {
        try change(path) { $0[path.name] = entry }
    }

    /// Removes the entry of a project at a path, unless another project stands there by now.
    mutating func forget(_ project: ProjectID, at path: RelativePath) throws {
        try change(path) { if $0[path.name]?.project == project { $0[path.name] = nil } }
    }

    private mutating func change(_ path: RelativePath, _ body: (inout [[UInt8]: ScanEntry]) -> Void) throws {
        if folders[path.parent] == nil {
            let entries = try store.read { try $0.entries(of: path.parent) }
            folders[path.parent] = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        }
        body(&folders[path.parent, default: [:]])
    }

    /// Writes the changed folders to the local store.
    func save(_ transaction: LocalStore.Transaction) throws {
        for (path, entries) in folders {
            try transaction.setFolder(path, entries.values.sorted { $0.name.precedes($1.name) })
        }
    }
}
