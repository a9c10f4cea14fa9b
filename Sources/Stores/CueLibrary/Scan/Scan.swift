package import CueBase
import CueSystem
package import CueVault
import Synchronization

/// The differences between a library's folder and what the local store remembers. A scan opens no document.
package struct Scan: Sendable {
    /// A document, folder or symlink that is new or may have changed.
    package struct Candidate: Sendable {
        /// Relative to the library.
        package let path: RelativePath
        /// As it is on the disk now.
        package let kind: ProjectKind
        /// As it is on the disk now; for a bundle, that of its own folder.
        package let stat: StatKey
        /// The remembered entry at this path; nil if there is none, or one of another kind.
        package var old: ScanEntry? { remembered?.entry }
        /// The members of a bundle, if the scan has looked inside.
        package var listing: BundleListing? { remembered?.listing }
        let remembered: Remembered?
    }

    /// A reference, so that a candidate does not copy the entry: a first backup has as many candidates as there are
    /// files.
    final class Remembered: Sendable {
        let entry: ScanEntry
        let listing: BundleListing?
        init(_ entry: ScanEntry, _ listing: BundleListing? = nil) { (self.entry, self.listing) = (entry, listing) }
    }

    /// In the order of paths, so that neighbours are packed together.
    package internal(set) var candidates: [Candidate] = []
    /// How many documents are as the store remembers them.
    package internal(set) var unchangedDocuments = 0
    /// Entries whose file is gone. Only of folders that could be read completely.
    package internal(set) var missing: [(path: RelativePath, entry: ScanEntry)] = []
    /// Paths that the scan could not read, or that a vault does not store.
    package internal(set) var skipped: [SkippedPath] = []
    /// Files that changed although no program has written to them (`StatKey.isDamaged`). They are no edits.
    package internal(set) var damaged: [(path: RelativePath, entry: ScanEntry)] = []
}
