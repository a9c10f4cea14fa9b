package import CueBase
package import CueSystem

/// What a project is (docs/format.md §6).
package enum ProjectKind: UInt8, Sendable, Codable {
    case file = 1, folder, symlink, bundle

    /// Whether a writer would call it a document.
    package var isDocument: Bool { self == .file || self == .bundle }
}

/// What a member holds.
package enum Content: Hashable, Sendable {
    case file(size: Int64, chunks: [ChunkID])
    case folder
    case symlink(target: [UInt8])
}

/// One file, folder or symlink of a version, with all that a restore needs.
package struct Member: Hashable, Sendable {
    /// Relative to the project; empty for the project itself.
    package var path: RelativePath
    package var mode: UInt16
    package var modified: FileTime
    package var attributes: [ExtendedAttribute]
    package var content: Content

    package init(
        path: RelativePath, mode: UInt16, modified: FileTime, attributes: [ExtendedAttribute], content: Content
    ) {
        (self.path, self.mode, self.modified) = (path, mode, modified)
        (self.attributes, self.content) = (attributes, content)
    }

    package var size: Int64 {
        if case .file(let size, _) = content { return size }
        return 0
    }

    package var chunks: [ChunkID] {
        if case .file(_, let chunks) = content { return chunks }
        return []
    }

    var kind: UInt8 {
        switch content {
        case .file: 1
        case .folder: 2
        case .symlink: 3
        }
    }
}

extension [Member] {
    /// The bytes of its files.
    package var size: Int64 { lazy.map(\.size).saturatingSum }

    /// Checks what must hold for the members of one project together (docs/format.md §6); gives them sorted by path.
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
