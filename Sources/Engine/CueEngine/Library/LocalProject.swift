package import CueBase
package import CueLibrary
import CueSystem
package import CueVault

/// A project as this device remembers it, without asking the vault.
package struct LocalProject: Sendable {
    package let id: ProjectID
    package let path: RelativePath
    package let kind: ProjectKind
    let modified: Timestamp

    /// What a writer calls it: its name without the ending.
    package var title: String { kind.isDocument ? Self.title(of: path) : Display.text(path.name) }

    static func title(of document: RelativePath) -> String {
        let name = document.name
        guard let dot = name.lastIndex(of: 0x2e), dot > 0 else { return Display.text(name) }
        return Display.text(name[..<dot])
    }
}

extension LocalStore.Transaction {
    /// All projects that this folder had at the last backup or sync, by path.
    package func localProjects() throws -> [LocalProject] {
        var projects: [LocalProject] = []
        for (folder, entries) in try folders() {
            guard let folder else { continue }
            projects += try entries.entries().map { entry in
                LocalProject(
                    id: entry.project, path: folder.appending(entry.name), kind: entry.kind,
                    modified: entry.stat.modified.timestamp)
            }
        }
        return projects.sorted { $0.path < $1.path }
    }
}

/// Finds out when projects were last edited.
struct EditTimes {
    private let root: Folder
    private var folders: FolderPath

    init(_ root: Folder) { (self.root, folders) = (root, FolderPath(root)) }

    /// The newest time of its files, in the folder or in the store, whichever is newer; of a folder, that of the documents in it.
    mutating func lastEdit(
        of project: LocalProject, among all: [LocalProject], _ transaction: LocalStore.Transaction
    ) throws -> Timestamp {
        switch project.kind {
        case .file, .symlink: return max(project.modified, onDisk(project) ?? project.modified)
        case .bundle:
            let members = try transaction.members(of: project.id) ?? []
            let stored = Self.newest(
                members.map { member in
                    if case .file = member.member.content {
                        (member.member.modified, false)
                    } else {
                        (member.member.modified, true)
                    }
                })
            return [stored, onDisk(project)].compactMap(\.self).max() ?? project.modified
        case .folder:
            let documents = all.filter { $0.kind.isDocument && $0.path.isInside(project.path) }
            let times = try documents.map { try lastEdit(of: $0, among: [], transaction) }
            return times.max() ?? project.modified
        }
    }

    private mutating func onDisk(_ project: LocalProject) -> Timestamp? {
        guard let folder = try? folders.openParent(of: project.path) else { return nil }
        if project.kind != .bundle { return ((try? folder.info(of: project.path.name)) ?? nil)?.modified.timestamp }
        guard let bundle = try? folder.folder(project.path.name), let listing = try? BundleListing(bundle) else {
            return nil
        }
        return Self.newest(listing.items.map { ($0.info.modified, $0.info.kind != .file) })
    }

    /// The newest of the files; of a folder itself only where it holds none.
    private static func newest(_ times: [(time: FileTime, isOther: Bool)]) -> Timestamp? {
        let files = times.filter { !$0.isOther }
        return (files.isEmpty ? times : files).map(\.time).max()?.timestamp
    }
}
