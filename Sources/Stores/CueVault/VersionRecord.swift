package import CueBase
import CueCrypto
import CueSodium
import CueSystem

// This layout is frozen: docs/format.md §6.

/// One saved state of a project, as it is written.
package struct VersionDraft: Sendable {
    /// nil for a new project: then the project gets the id of this version.
    package var project: ProjectID?
    package var parents: [VersionID]
    package var path: RelativePath
    package var kind: ProjectKind
    package var edited: Timestamp
    package var isUnsettled: Bool
    package var body: Body

    package enum Body: Sendable {
        case tombstone
        case full([Member])
        /// Against the first parent.
        case delta(removed: [RelativePath], put: [Member])
    }

    package init(
        project: ProjectID?, parents: [VersionID], path: RelativePath, kind: ProjectKind, edited: Timestamp,
        isUnsettled: Bool, body: Body
    ) {
        (self.project, self.parents, self.path, self.kind) = (project, parents, path, kind)
        (self.edited, self.isUnsettled, self.body) = (edited, isUnsettled, body)
    }

    package var members: [Member] {
        switch body {
        case .tombstone: []
        case .full(let members): members
        case .delta(_, let put): put
        }
    }

    /// `ordinals`: the numbers of the chunks that stand in the same object.
    func encode(ordinals: [ChunkID: Int]) -> [UInt8] { encode { ordinals[$0] } }

    func encode(ordinal: (ChunkID) -> Int?) -> [UInt8] {
        var writer = ByteWriter()
        var flags: VersionFlags = []
        if project == nil { flags.insert(.new) }
        if isUnsettled { flags.insert(.unsettled) }
        if case .tombstone = body { flags.insert(.tombstone) }
        if case .delta = body { flags.insert(.delta) }
        writer.u8(flags.rawValue)
        if let project { writer.id(project) }
        writer.varint(parents.count)
        for parent in parents { writer.id(parent) }
        writer.lengthAndBytes(path.bytes)
        writer.u8(kind.rawValue)
        writer.svarint(edited.inYears.milliseconds)
        switch body {
        case .tombstone: break
        case .full(let members): writer.members(members, ordinal)
        case .delta(let removed, let put):
            writer.varint(removed.count)
            for path in removed { writer.lengthAndBytes(path.bytes) }
            writer.members(put, ordinal)
        }
        return writer.bytes
    }
}

struct VersionFlags: OptionSet {
    let rawValue: UInt8
    static let new = VersionFlags(rawValue: 1)
    static let tombstone = VersionFlags(rawValue: 2)
    static let unsettled = VersionFlags(rawValue: 4)
    static let delta = VersionFlags(rawValue: 8)
    static let known: VersionFlags = [.new, .tombstone, .unsettled, .delta]
}

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

    /// Reads up to the members; `id` nil says that the record brings its own (kept versions have none to derive).
    init(_ reader: inout ByteReader, id: VersionID) throws(FormatError) {
        let flags = VersionFlags(rawValue: try reader.u8())
        guard flags.isSubset(of: .known) else { throw .invalid("a version with unknown flags") }
        self.id = id
        project = flags.contains(.new) ? id : try reader.versionID()
        let count = try reader.count(ofItems: 12)
        var parents: [VersionID] = []
        for _ in 0..<count { parents.append(try reader.versionID()) }
        self.parents = count > 1 ? parents.withoutRepeats : parents
        path = try RelativePath(checking: try reader.lengthAndBytes(upTo: Limits.path))
        guard path.components.first.map({ !$0.elementsEqual(".cue".utf8) }) ?? true else {
            throw .invalid("a document inside cue's own folder")
        }
        guard let kind = ProjectKind(rawValue: try reader.u8()) else { throw .invalid("a document of an unknown kind") }
        self.kind = kind
        // Of files, whose times may be anything: what lies beyond is no reason to refuse a document.
        edited = Timestamp(milliseconds: try reader.svarint()).inYears
        (isTombstone, isUnsettled) = (flags.contains(.tombstone), flags.contains(.unsettled))
        (isDelta, isNew) = (flags.contains(.delta), flags.contains(.new))
        guard !isDelta || !isTombstone && !parents.isEmpty else { throw .invalid("a delta against nothing") }
        guard kind == .folder || !path.isRoot else { throw .invalid("a library that is no folder") }
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

/// The members of a version record: all, or the difference to the first parent.
package struct MemberChanges: Sendable {
    package var removed: [RelativePath] = []
    package var put: [Member] = []

    init(_ reader: inout ByteReader, of header: VersionHeader, chunkIDs: ArraySlice<ChunkID>) throws(FormatError) {
        if header.isTombstone {
            try reader.expectEnd()
            return
        }
        if header.isDelta {
            for _ in 0..<(try reader.count(ofItems: 1)) {
                removed.append(try RelativePath(checking: try reader.lengthAndBytes(upTo: Limits.path)))
            }
        }
        let count = try reader.count(ofItems: 6)
        put.reserveCapacity(count)
        for _ in 0..<count { put.append(try reader.member(chunkIDs)) }
        try reader.expectEnd()
        guard header.isDelta else {
            put = try put.checkedTree(for: header.kind)
            return
        }
        guard Set(put.map(\.path)).count == put.count else { throw .invalid("two members of one name") }
    }

    /// Lays the difference over the members of the parent.
    func applied(to base: [Member], kind: ProjectKind) throws(FormatError) -> [Member] {
        var gone = Set(removed)
        guard gone.count == removed.count else { throw .invalid("a delta that removes what is not there") }
        let replaced = Set(put.map(\.path))
        let kept = base.filter { gone.isEmpty || gone.remove($0.path) == nil }
        guard gone.isEmpty else { throw .invalid("a delta that removes what is not there") }
        return try (kept.filter { !replaced.contains($0.path) } + put).sorted { $0.path < $1.path }
            .checkedTree(for: kind)
    }

    /// The same over a table of members, of which the tree is looked at when the last difference lies on it.
    func lay(over members: inout [RelativePath: Member]) throws(FormatError) {
        for path in removed {
            guard members.removeValue(forKey: path) != nil else {
                throw .invalid("a delta that removes what is not there")
            }
        }
        for member in put { members[member.path] = member }
    }
}

extension Vault {
    /// The same for what is written in them alone: copies without times and modes are alike.
    package func contentFingerprint(of members: [Member]) -> UInt64 {
        fingerprint(
            of: members.map { member in
                Member(
                    path: member.path, mode: 0, modified: FileTime(seconds: 0, nanoseconds: 0), attributes: [],
                    content: member.content)
            })
    }

    /// A keyed hash of members: equal for equal content, names and attributes. For this device's own use.
    package func fingerprint(of members: [Member]) -> UInt64 {
        var writer = ByteWriter()
        writer.members(members) { _ in nil }
        return BLAKE2b.chunkID(of: writer.bytes.span, key: key.chunkIDs).a
    }
}

extension ByteWriter {
    fileprivate mutating func members(_ members: [Member], _ ordinal: (ChunkID) -> Int?) {
        varint(members.count)
        for member in members { self.member(member, ordinal) }
    }

    private mutating func member(_ member: Member, _ ordinal: (ChunkID) -> Int?) {
        lengthAndBytes(member.path.bytes)
        u8(member.kind)
        varint(Int(member.mode))
        svarint(member.modified.seconds)
        varint(Int(member.modified.nanoseconds))
        varint(member.attributes.count)
        for attribute in member.attributes {
            lengthAndBytes(attribute.name)
            lengthAndBytes(attribute.value)
        }
        switch member.content {
        case .folder: break
        case .symlink(let target): lengthAndBytes(target)
        case .file(let size, let chunks):
            varint(UInt64(size))
            runs(chunks, ordinal)
        }
    }

    /// Chunks of this object by number, neighbours together; others by id.
    private mutating func runs(_ chunks: [ChunkID], _ number: (ChunkID) -> Int?) {
        var runs: [(first: Int, count: Int, ordinal: Int?)] = []
        for (i, chunk) in chunks.enumerated() {
            let ordinal = number(chunk)
            if let last = runs.last, last.ordinal.map({ $0 + last.count }) == ordinal,
                (last.ordinal == nil) == (ordinal == nil)
            {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((i, 1, ordinal))
            }
        }
        varint(runs.count)
        for run in runs {
            varint(run.count)
            varint(run.ordinal.map { $0 + 1 } ?? 0)
            if run.ordinal == nil { for i in 0..<run.count { id(chunks[run.first + i]) } }
        }
    }
}

extension ByteReader {
    /// Steps over the members of a version: how many there are, and how many chunks their runs name by number.
    mutating func countMembers(of header: VersionHeader) throws(FormatError) -> (members: Int, chunks: Int) {
        guard !header.isTombstone else { return (0, 0) }
        if header.isDelta {
            for _ in 0..<(try count(ofItems: 1)) { _ = try lengthAndRange(upTo: Limits.path) }
        }
        let members = try count(ofItems: 6)
        var chunks = 0
        for _ in 0..<members { chunks = chunks.saturatingAdding(try skipMember()) }
        return (members, chunks)
    }

    private mutating func skipMember() throws(FormatError) -> Int {
        _ = try lengthAndRange(upTo: Limits.path)
        let kind = try u8()
        // The mode and the time.
        for _ in 0..<3 { _ = try varint() }
        for _ in 0..<(try count(ofItems: 2)) {
            _ = try lengthAndRange(upTo: 255)
            _ = try lengthAndRange(upTo: 1 << 20)
        }
        if kind == 3 { _ = try lengthAndRange(upTo: Limits.path) }
        guard kind == 1 else { return 0 }
        _ = try varint()
        var chunks = 0
        for _ in 0..<(try count(ofItems: 2)) {
            let length = try count(upTo: .max)
            if try varint() == 0 {
                _ = try skip(length.saturatingMultiplied(by: 32))
            } else {
                chunks = chunks.saturatingAdding(length)
            }
        }
        return chunks
    }

    fileprivate mutating func member(_ chunkIDs: ArraySlice<ChunkID>) throws(FormatError) -> Member {
        let path = try RelativePath(checking: try lengthAndBytes(upTo: Limits.path))
        let kind = try u8()
        let mode = UInt16(try count(upTo: 0o7777))
        let seconds = try svarint()
        let modified = FileTime(seconds: seconds, nanoseconds: UInt32(try count(upTo: 999_999_999)))
        let attributes = try self.attributes()
        let content: Content
        switch kind {
        case 1:
            let size = try count(upTo: Int(Limits.file))
            content = .file(size: Int64(size), chunks: try runs(chunkIDs))
        case 2: content = .folder
        case 3:
            let target = try lengthAndBytes(upTo: Limits.path)
            guard !target.isEmpty, !target.contains(0) else { throw .invalid("a link to nothing") }
            content = .symlink(target: target)
        default: throw .invalid("a member of an unknown kind")
        }
        return Member(path: path, mode: mode, modified: modified, attributes: attributes, content: content)
    }

    private mutating func attributes() throws(FormatError) -> [ExtendedAttribute] {
        let count = try count(ofItems: 2)
        var attributes: [ExtendedAttribute] = []
        for _ in 0..<count {
            let name = try lengthAndBytes(upTo: 255)
            guard !name.isEmpty, !name.contains(0), attributes.last?.name.precedes(name) ?? true else {
                throw .invalid("extended attributes out of order")
            }
            attributes.append(ExtendedAttribute(name: name, value: try lengthAndBytes(upTo: 1 << 20)))
        }
        return attributes
    }

    private mutating func runs(_ chunkIDs: ArraySlice<ChunkID>) throws(FormatError) -> [ChunkID] {
        let runs = try count(ofItems: 2)
        var chunks: [ChunkID] = []
        for _ in 0..<runs {
            let length = try count(upTo: .max)
            let first = try count(upTo: .max)
            guard length > 0 else { throw .outOfRange }
            if first == 0 {
                guard length <= remaining / 32 else { throw .truncated }
                for _ in 0..<length { chunks.append(try chunkID()) }
            } else {
                guard first - 1 <= chunkIDs.count, length <= chunkIDs.count - (first - 1) else { throw .outOfRange }
                // A hostile record could repeat one long run; no file has more chunks than this.
                guard chunks.count + length <= 1 << 26 else { throw .outOfRange }
                chunks += chunkIDs[chunkIDs.startIndex + first - 1..<chunkIDs.startIndex + first - 1 + length]
            }
        }
        return chunks
    }
}
