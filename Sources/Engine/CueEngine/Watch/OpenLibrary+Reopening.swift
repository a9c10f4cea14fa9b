import CueLibrary
import CueSystem

extension OpenLibrary {
    /// Whether the folder at its path is the one that is open.
    var isAtItsPath: Bool {
        get throws { try path.info().map { info in try root.info().inode == info.inode } ?? false }
    }

    /// Opens the folder that is at the path now. Throws `EngineError.libraryReplaced` if another library stands there,
    /// and `LibraryError` if none does.
    func reopened() throws -> OpenLibrary {
        let there = try OpenLibrary(at: path, state: state, surroundings: surroundings)
        // Its documents belong in another vault, and the documents that are missing in it were not deleted.
        guard there.marker.library == marker.library else { throw EngineError.libraryReplaced(path.description) }
        return there
    }

    /// The library with the marker that its folder has now; nil if it is the same. Throws
    /// `LibraryError.markerInvalid`.
    func withChangedMarker() throws -> OpenLibrary? {
        guard let there = try LibraryMarker(in: root), there.library == marker.library else {
            throw LibraryError.markerInvalid(.replaced)
        }
        return there == marker ? nil : with(marker: there)
    }
}
