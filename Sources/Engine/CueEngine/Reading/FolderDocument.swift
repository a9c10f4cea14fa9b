import CueBase
import CueLibrary
import CueSystem
import CueText

/// A document in a folder as it is now.
struct FolderDocument {
    /// Its files with sizes in bytes. A single file has the path `.root`.
    let files: [(path: RelativePath, size: Int64)]
    private let parent: Folder
    private let name: [UInt8]

    /// nil if nothing is at the path, or it cannot be read.
    init?(at path: RelativePath, in root: Folder) {
        guard let document = try? Self(ifAt: path, in: root) else { return nil }
        self = document
    }

    /// nil if nothing is at the path. Throws `SystemError` if it cannot be read.
    init?(ifAt path: RelativePath, in root: Folder) throws {
        var folders = FolderPath(root)
        let standing: PathOccupant
        do throws(SystemError) {
            parent = try folders.openParent(of: path)
            guard let there = try PathOccupant(path.name, in: parent) else { return nil }
            standing = there
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
        name = path.name
        switch standing {
        case .single(let stat): files = [(.root, stat.size)]
        case .folder(let listing):
            files = listing.items.filter { $0.info.kind == .file }.map { ($0.path, $0.info.size) }
        }
    }

    /// The folder of one of its files, and the file's name in it.
    func place(of file: RelativePath) throws -> (folder: Folder, name: [UInt8]) {
        if file.isRoot { return (parent, name) }
        var inner = FolderPath(try parent.folder(name))
        return (try inner.openParent(of: file), file.name)
    }

    /// Throws `SystemError` for a file that cannot be opened. Reads none.
    func proveReadable() throws {
        for file in files {
            let (folder, name) = try place(of: file.path)
            _ = try folder.fileWithoutAccessTime(name)
        }
    }

    /// The text in parts; nil if cue cannot read it.
    func sections() -> [TextSection]? {
        try? DocumentText.sections(name: name, members: files) { path in
            let (folder, name) = try place(of: path)
            return try folder.fileWithoutAccessTime(name).contents(upTo: TextLimits.file)
        }
    }
}

extension [TextSection] {
    /// The number of words of all parts.
    var words: Int { reduce(0) { $0 + Words.count(in: $1.text) } }
}
