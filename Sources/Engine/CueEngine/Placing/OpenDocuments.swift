import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Documents that are open in another program. They are not replaced while a person works on them.
struct OpenDocuments {
    private let open: [RelativePath: String]

    /// Lists the files below `library` that processes hold open now.
    init(below library: FilePathBytes) {
        let files = OpenFiles.below(library).map { (RelativePath(trusted: $0.path), $0.process) }
        open = Dictionary(files, uniquingKeysWith: { one, _ in one })
    }

    /// The program that has a document open, or the lock file that shows it, if any; nil if neither is found.
    func holder(of path: RelativePath, _ kind: ProjectKind, _ folders: inout FolderPath) -> DocumentHolder? {
        if let process = open[path] { return .process(process) }
        if kind == .bundle, let inside = open.first(where: { $0.key.isInside(path) }) { return .process(inside.value) }
        guard let folder = try? folders.openParent(of: path) else { return nil }
        if kind == .bundle {
            // Scrivener keeps this file while the project is open.
            guard let files = try? folder.folder(path.name).folder(Array("Files".utf8)),
                (try? files.info(of: SystemLitter.scrivenerLock)) != nil
            else { return nil }
            return .scrivenerLock
        }
        return Self.lockNames(of: path.name).first { (try? folder.info(of: $0)) != nil }
            .map { .lockFile($0) }
    }

    /// The files that LibreOffice, Word and vim put beside an open document.
    private static func lockNames(of name: [UInt8]) -> [[UInt8]] {
        let tilde = Array("~$".utf8)
        // Word writes `~$` over the beginning of longer names.
        let stem = name.lastIndex(of: 0x2e) ?? name.count
        let cut = stem <= 6 ? 0 : stem == 7 ? 1 : 2
        return [
            Array(".~lock.".utf8) + name + [0x23], tilde + name.dropFirst(cut), tilde + name,
            [0x2e] + name + Array(".swp".utf8),
        ]
    }
}
