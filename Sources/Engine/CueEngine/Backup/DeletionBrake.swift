import CueBase
import CueLibrary
import CueVault

/// Stops deletions that look like a mistake: so many documents are gone at once that the folder may be incomplete.
package enum DeletionBrake {
    private static let most = 20
    /// The 30 % count from this many on: three of four documents are a person's own tidying, four of ten are asked
    /// about.
    private static let least = 4

    /// Whether this many deletions wait for a person's consent: more than 20; more than 30 % of `all`, from four on; or
    /// more than one if nothing is left.
    package static func holds(gone: Int, of all: Int, left: Int) -> Bool {
        gone > most || gone >= least && gone * 10 > all * 3 || gone > 1 && left == 0
    }
}

extension Scan {
    /// The number of documents in the folder.
    var documents: Int { unchangedDocuments + damaged.count + candidates.count(where: \.kind.isDocument) }

    /// The number of those that were there before, under any name.
    func oldDocuments(_ moves: RenameDetection) -> Int {
        unchangedDocuments + damaged.count + moves.entries.count
            + candidates.count { $0.old != nil && $0.kind.isDocument }
    }

    /// Missing documents whose content is probably lost. A document is not lost if another kind has taken its name, or
    /// if the folder that held it is one document now.
    func lost(_ missing: [(path: RelativePath, entry: ScanEntry)]) -> [(
        path: RelativePath, entry: ScanEntry
    )] {
        let names = Set(candidates.lazy.filter { $0.old == nil }.map(\.path))
        let bundles = Set(candidates.lazy.filter { $0.kind == .bundle && $0.old == nil }.map(\.path))
        return missing.filter {
            $0.entry.kind.isDocument && !names.contains($0.path) && (bundles.isEmpty || !$0.path.isIn(bundles))
        }
    }
}

extension RelativePath {
    /// Whether one of these folders holds it.
    fileprivate func isIn(_ folders: Set<RelativePath>) -> Bool {
        var next = parent
        while let folder = next {
            if folders.contains(folder) { return true }
            next = folder.parent
        }
        return false
    }
}
