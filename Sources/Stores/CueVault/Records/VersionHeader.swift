package import CueBase

// This layout is frozen: docs/format.md §6.

/// A version as it was read: what it is, and where its members stand.
package struct VersionHeader: Sendable {
    package let id: VersionID
    package let project: ProjectID
    /// Each once. Those that count for nothing are taken out once they are known (docs/format.md §7).
    package private(set) var parents: [VersionID]
    package let path: RelativePath
    package let kind: ProjectKind
    package let edited: Timestamp
    package let isTombstone: Bool
    package let isUnsettled: Bool
    package let isDelta: Bool
    /// Whether the project has the id of this version because the record names none.
    let isNew: Bool

    /// Reads up to the members of the version with this id. Throws where a rule of docs/format.md §6 is broken.
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
        // Of files, whose times may be anything: what lies beyond is no reason to refuse a document.
        edited = Timestamp(milliseconds: try reader.svarint()).inYears
        (isTombstone, isUnsettled) = (flags.contains(.tombstone), flags.contains(.unsettled))
        (isDelta, isNew) = (flags.contains(.delta), flags.contains(.new))
        guard !isDelta || !isTombstone && !parents.isEmpty else { throw .invalid(.baselessDelta) }
        guard kind == .folder || !path.isRoot else { throw .invalid(.libraryNoFolder) }
    }

    /// The same without the parents for which `isStray` holds. A difference whose base is one of them leads nowhere.
    func without(_ isStray: (VersionID) -> Bool) -> VersionHeader {
        var header = self
        let hasBase = !isDelta || parents.first.map { !isStray($0) } ?? false
        header.parents = hasBase ? parents.filter { !isStray($0) } : []
        return header
    }
}

extension [VersionID] {
    /// The first of each, in their order.
    fileprivate var withoutRepeats: [VersionID] {
        var seen: Set<VersionID> = []
        return filter { seen.insert($0).inserted }
    }
}
