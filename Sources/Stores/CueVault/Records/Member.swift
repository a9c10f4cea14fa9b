package import CueBase
package import CueSystem

/// The kind of a project, as numbered in docs/format.md §6.
package enum ProjectKind: UInt8, Sendable, Codable {
    /// One file; one folder without its content; one symlink; a folder that a writer sees as one document.
    case file = 1, folder, symlink, bundle

    /// True if a writer would call it a document.
    package var isDocument: Bool { self == .file || self == .bundle }
}

/// The content of a member.
package enum Content: Hashable, Sendable {
    /// A file of `size` bytes. The chunks stand in order; an empty file has none.
    case file(size: Int64, chunks: [ChunkID])
    /// A folder. Its entries are members of their own.
    case folder
    /// A symlink to 1 to 4,096 bytes without a zero byte.
    case symlink(target: [UInt8])
}

/// One file, folder or symlink of a version, with everything that a restore needs (docs/format.md §6).
package struct Member: Hashable, Sendable {
    /// Relative to the project; empty for the project itself.
    package var path: RelativePath
    /// The permission bits, 0 to 0o7777. Those of a symlink are kept and never set.
    package var mode: UInt16
    /// The time of modification, as the file system reports it; it may be anything.
    package var modified: FileTime
    /// The user's extended attributes, sorted by name.
    package var attributes: [ExtendedAttribute]
    /// The kind, with what belongs to it.
    package var content: Content

    /// A member of these parts; none is checked.
    package init(
        path: RelativePath, mode: UInt16, modified: FileTime, attributes: [ExtendedAttribute], content: Content
    ) {
        (self.path, self.mode, self.modified) = (path, mode, modified)
        (self.attributes, self.content) = (attributes, content)
    }

    /// The bytes of a file; 0 for folders and symlinks.
    package var size: Int64 {
        if case .file(let size, _) = content { return size }
        return 0
    }

    /// The chunks of a file in order; empty for folders and symlinks.
    package var chunks: [ChunkID] {
        if case .file(_, let chunks) = content { return chunks }
        return []
    }

    /// The most bytes that it takes in a list, with all chunks by id.
    fileprivate var listedBytes: Int {
        var bytes = path.bytes.count + chunks.count * 32 + 64
        for attribute in attributes { bytes += attribute.name.count + attribute.value.count + 8 }
        if case .symlink(let target) = content { bytes += target.count }
        return bytes
    }

    /// The number of its kind (docs/format.md §6).
    var kind: UInt8 {
        switch content {
        case .file: 1
        case .folder: 2
        case .symlink: 3
        }
    }
}

extension [Member] {
    /// The most bytes that they take in a record, with all chunks by id.
    package var listedBytes: Int { reduce(0) { $0.saturatingAdding($1.listedBytes) } }

    /// The bytes of all files.
    package var size: Int64 { lazy.map(\.size).saturatingSum }

    /// Checks the rules for the members of one project together, and returns them sorted by path (docs/format.md §6).
    ///
    /// Throws `FormatError.outOfRange` if the files have more than 2^53 bytes, and otherwise `.invalid` with
    /// `.unfittingMembers`, `.repeatedMember`, `.bundleNoFolder`, `.bundleWithoutFolder` or `.strayMember`.
    package func checkedTree(for kind: ProjectKind) throws(FormatError) -> [Member] {
        guard size <= Limits.file else { throw .outOfRange }
        guard kind == .bundle else {
            guard count == 1, self[0].path.isRoot, self[0].kind == kind.rawValue else {
                throw .invalid(.unfittingMembers)
            }
            return self
        }
        let isSorted = zip(self, dropFirst()).allSatisfy { $0.path < $1.path }
        let members = isSorted ? self : sorted { $0.path < $1.path }
        guard isSorted || zip(members, members.dropFirst()).allSatisfy({ $0.path < $1.path }) else {
            throw .invalid(.repeatedMember)
        }
        var folders: Set<RelativePath> = []
        var last: RelativePath?
        for member in members {
            if member.content == .folder { folders.insert(member.path) }
            guard let parent = member.path.parent else {
                guard member.content == .folder else { throw .invalid(.bundleNoFolder) }
                continue
            }
            guard parent == last || folders.contains(parent) else { throw .invalid(.strayMember) }
            last = parent
        }
        guard folders.contains(.root) else { throw .invalid(.bundleWithoutFolder) }
        return members
    }
}
