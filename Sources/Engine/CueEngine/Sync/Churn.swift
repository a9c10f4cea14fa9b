import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Recognises files of bundles that applications change by themselves: windows, indexes, lists of recent documents.
/// Every version keeps them, but they make no conflict.
enum Churn {
    static func isChurn(_ path: RelativePath) -> Bool {
        guard !path.isRoot else { return false }
        let name = path.name
        if path.components.contains(where: { $0.elementsEqual("QuickLook".utf8) }) { return true }
        if names.contains(name) { return true }
        return name.starts(with: Array("ui".utf8)) && name.suffix(4).elementsEqual(".xml".utf8)
    }

    private static let names: Set<[UInt8]> = [
        Array("search.indexes".utf8), Array("recents.txt".utf8), SystemLitter.scrivenerLock, SystemLitter.finderFile,
    ]
}
