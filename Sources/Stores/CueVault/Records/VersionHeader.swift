package import CueBase

// This layout is frozen: docs/format.md §6.

/// A version record without its members (docs/format.md §6).
package struct VersionHeader: Sendable {
    /// The commit that holds the record, and the number of the record in it.
    package let id: VersionID
    /// The id of the project's first version.
    package let project: ProjectID
    /// The versions that this one came from, each once. Parents that do not count are removed once they are known
    /// (docs/format.md §7).
    package private(set) var parents: [VersionID]
    /// The place of the project in the library; empty for the library's own folder.
    package let path: RelativePath
    /// The kind of the project.
    package let kind: ProjectKind
    /// The time of the last edit, in the years 0 to 9999; for people. It decides nothing.
    package let edited: Timestamp
    /// True if the version reports that the project was deleted. It has no members then.
    package let isTombstone: Bool
    /// True if the project kept changing while it was read.
    package let isUnsettled: Bool
    /// True if the members are a difference to those of the first parent.
    package let isDelta: Bool
    /// True if the record names no project: the project has the id of this version.
    let isNew: Bool

    /// Reads the record up to its members. Throws `FormatError` if a rule of docs/format.md §6 is broken.
    init(_ reader: inout ByteReader, id: VersionID) throws(FormatError) {
        let flags = VersionFlags(rawValue: try reader.u8())
        guard flags.isSubset(of: .known) else { throw .invalid(.unknownVersionFlags) }
        self.id = id
        project = flags.contains(.new) ? id : try reader.versionID()
        let count = try reader.count(ofItems: 12)
        var parents: [VersionID] = []
        for _ in 0..<count { parents.append(try reader.versionID()) }
        self.parents = count > 1 ? parents.withoutRepeats : parents
        path = try RelativePath(checking: try reader.lengthAndBytes(upTo: Limits.path))
        guard path.components.first.map({ !$0.elementsEqual(".cue".utf8) }) ?? true else {
            throw .invalid(.reservedPath)
        }
        guard let kind = ProjectKind(rawValue: try reader.u8()) else { throw .invalid(.unknownDocumentKind) }
        self.kind = kind
        // The time comes from files and may be anything. It is no reason to refuse a document.
        edited = Timestamp(milliseconds: try reader.svarint()).inYears
        (isTombstone, isUnsettled) = (flags.contains(.tombstone), flags.contains(.unsettled))
        (isDelta, isNew) = (flags.contains(.delta), flags.contains(.new))
        guard !isDelta || !isTombstone && !parents.isEmpty else { throw .invalid(.baselessDelta) }
        guard kind == .folder || !path.isRoot else { throw .invalid(.libraryNoFolder) }
    }

    /// The same without the parents for which `isStray` is true. If the base of a delta is one of them, no parent
    /// remains (docs/format.md §7).
    func without(_ isStray: (VersionID) -> Bool) -> VersionHeader {
        var header = self
        let hasBase = !isDelta || parents.first.map { !isStray($0) } ?? false
        header.parents = hasBase ? parents.filter { !isStray($0) } : []
        return header
    }
}

extension [VersionID] {
    /// The ids in their order, each once.
    fileprivate var withoutRepeats: [VersionID] {
        var seen: Set<VersionID> = []
        return filter { seen.insert($0).inserted }
    }
}
