package import CueBase
import CueLibrary
import CueVault

/// When the projects of a library were first stored, and whether they are as the vault has them.
package struct StoredProjects: Sendable {
    private let times: [CommitID: Timestamp]
    private let states: [DocumentStatus]
    private let waiting: Set<ProjectID>

    /// Looks at the folder as `LibraryStatus` does, and opens no document.
    package init(_ library: OpenLibrary) throws {
        (times, waiting) = try library.store.read {
            (try $0.timesSeen(), Set(try $0.waitingSettings().map(\.project)))
        }
        states = try LibraryStatus.of(library, all: true).states
    }

    /// The time of its first version; nil if this device does not know it.
    package func created(_ project: ProjectID) -> Timestamp? { times[project.commit] }

    /// Since when this device and the vault have had the same of a document, or of the last one of a folder that was
    /// stored; nil if they never had, or it is unknown.
    package func synced(_ path: RelativePath) -> Timestamp? {
        of(path).compactMap(\.synced).max { $0.milliseconds < $1.milliseconds }
    }

    /// Whether the document, any in the folder, or the settings of the project are not as the vault has them.
    package func needsSync(_ path: RelativePath, settingsOf project: ProjectID? = nil) -> Bool {
        project.map(waiting.contains) ?? false || of(path).contains { $0.state != .synced }
    }

    private func of(_ path: RelativePath) -> [DocumentStatus] {
        let (name, inside) = (Display.text(path), Display.text(path) + "/")
        return states.filter { $0.path == name || $0.path.hasPrefix(inside) }
    }
}
