package import CueBase
package import CueLibrary
import CueSystem
package import CueVault

/// A project as the local store remembers it.
package struct LocalProject: Sendable {
    /// The id of the project.
    package let id: ProjectID
    /// Its path in the library.
    package let path: RelativePath
    /// Its kind.
    package let kind: ProjectKind
    /// The modification time of its file or folder when it was last stored.
    let modified: Timestamp

    /// Its name as it is shown; of a document, without the ending.
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

/// Finds when projects were last edited.
struct EditTimes {
    private let root: Folder
    private var folders: FolderPath

    init(_ root: Folder) { (self.root, folders) = (root, FolderPath(root)) }

    /// The newest modification time of the project's files, on the disk or in the local store; for a folder, of the
    /// documents in it. `all`: the projects among which these are looked up.
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

    /// The newest modification time on the disk; nil if the project is not there or cannot be read.
    private mutating func onDisk(_ project: LocalProject) -> Timestamp? {
        guard let folder = try? folders.openParent(of: project.path) else { return nil }
        if project.kind != .bundle { return ((try? folder.info(of: project.path.name)) ?? nil)?.modified.timestamp }
        guard let bundle = try? folder.folder(project.path.name), let listing = try? BundleListing(bundle) else {
            return nil
        }
        return Self.newest(listing.items.map { ($0.info.modified, $0.info.kind != .file) })
    }

    /// The newest time of files; of other members only if there is no file.
    private static func newest(_ times: [(time: FileTime, isOther: Bool)]) -> Timestamp? {
        let files = times.filter { !$0.isOther }
        return (files.isEmpty ? times : files).map(\.time).max()?.timestamp
    }
}
