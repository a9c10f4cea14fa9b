import CueBase
import CueLibrary
import CueSystem
import CueText

/// The files of a document as it is in a folder just now.
struct FolderDocument {
    let files: [(path: RelativePath, size: Int64)]
    private let parent: Folder
    private let name: [UInt8]

    /// nil where nothing stands there.
    init?(at path: RelativePath, in root: Folder) {
        var folders = FolderPath(root)
        guard let parent = try? folders.openParent(of: path), let standing = try? Standing(path.name, in: parent)
        else { return nil }
        (self.parent, name) = (parent, path.name)
        switch standing {
        case .single(let stat): files = [(.root, stat.size)]
        case .folder(let listing):
            files = listing.items.filter { $0.info.kind == .file }.map { ($0.path, $0.info.size) }
        }
    }

    /// The folder that a file of it is in, and its name there.
    func place(of file: RelativePath) throws -> (folder: Folder, name: [UInt8]) {
        if file.isRoot { return (parent, name) }
        var inner = FolderPath(try parent.folder(name))
        return (try inner.openParent(of: file), file.name)
    }

    /// What it says, part by part; nil where there is no text that cue reads.
    func sections() -> [TextSection]? {
        try? DocumentText.sections(name: name, members: files) { path in
            let (folder, name) = try place(of: path)
            return try folder.fileWithoutAccessTime(name).contents(upTo: TextExtraction.limit)
        }
    }
}

extension [TextSection] {
    var words: Int { reduce(0) { $0 + Words.count(in: $1.text) } }
}
