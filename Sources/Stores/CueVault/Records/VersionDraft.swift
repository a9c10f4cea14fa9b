package import CueBase
import CueSystem

// This layout is frozen: docs/format.md §6.

/// One saved state of a project that is to be written (docs/format.md §6).
package struct VersionDraft: Sendable {
    /// nil for a new project, which gets the id of this version.
    package var project: ProjectID?
    /// The versions that this one came from. The first is the base of a delta.
    package var parents: [VersionID]
    /// The place of the project in the library; empty for the library's own folder.
    package var path: RelativePath
    /// The kind of the project. A tombstone has one too.
    package var kind: ProjectKind
    /// The time of the last edit, from the files where there are any; for people. Written as the nearest moment in the
    /// years 0 to 9999.
    package var edited: Timestamp
    /// True if the project kept changing while it was read.
    package var isUnsettled: Bool
    /// The members, or none for a deletion.
    package var body: Body

    /// The three forms of a version.
    package enum Body: Sendable {
        /// The project was deleted.
        case tombstone
        /// All members.
        case full([Member])
        /// The members of the first parent, without `removed`, then with each of `put` added or in the place of the one
        /// at its path.
        case delta(removed: [RelativePath], put: [Member])
    }

    /// A draft of these parts; none is checked.
    package init(
        project: ProjectID?, parents: [VersionID], path: RelativePath, kind: ProjectKind, edited: Timestamp,
        isUnsettled: Bool, body: Body
    ) {
        (self.project, self.parents, self.path, self.kind) = (project, parents, path, kind)
        (self.edited, self.isUnsettled, self.body) = (edited, isUnsettled, body)
    }

    /// The members that are written: of a delta only those of `put`.
    package var members: [Member] {
        switch body {
        case .tombstone: []
        case .full(let members): members
        case .delta(_, let put): put
        }
    }

    /// Whether the version is short enough for a record (docs/format.md §10), in one object with these packs. The
    /// caller counts the chunks.
    package func fits(beside packs: [PackRecord]) -> Bool {
        var bound = members.listedBytes.saturatingAdding(parents.count * 16)
        if case .delta(let removed, _) = body {
            for path in removed { bound = bound.saturatingAdding(path.bytes.count + 3) }
        }
        guard bound > Self.longest else { return true }
        let ordinals = packs.ordinals
        return encode { ordinals[$0] }.count <= Self.longest
    }

    /// The most bytes of a list of members in one record: the longest frame, but for the rest of the record.
    package static let longest = Limits.frame - (1 << 16)

    /// The body of the record. `ordinal` gives the numbers of the chunks that stand in the same object; other chunks
    /// are written as ids.
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

/// Decides for the versions of one object which chunks they name by number, in a byte or two, and which by id.
///
/// A reader refuses an object that names more than one chunk for each eight of its bytes (docs/format.md §10). An id
/// takes 32 bytes that do not compress. So each chunk of the packs pays for four numbers, and a chunk that is named by
/// id pays for itself where it is stored raw.
struct ChunkNumbering {
    /// The numbers that each chunk of a pack pays for.
    static let share = 4

    /// The numbers that are left.
    private var room: Int
    /// The chunks that were named by id since they were last taken.
    private var ids = 0

    /// `chunks`: how many the packs of the object have.
    init(chunks: Int) { room = chunks * Self.share }

    /// The number by which a version names its next chunk, or nil for its id. `ordinal`: its number in the object, if
    /// it has one.
    mutating func number(_ ordinal: Int?) -> Int? {
        guard let ordinal, room > 0 else {
            ids += 1
            return nil
        }
        room -= 1
        return ordinal
    }

    /// Returns how many chunks were named by id since the last call.
    mutating func takeIDs() -> Int {
        defer { ids = 0 }
        return ids
    }
}

/// The flags of a version record (docs/format.md §6).
struct VersionFlags: OptionSet {
    let rawValue: UInt8
    static let new = VersionFlags(rawValue: 1)
    static let tombstone = VersionFlags(rawValue: 2)
    static let unsettled = VersionFlags(rawValue: 4)
    static let delta = VersionFlags(rawValue: 8)
    static let known: VersionFlags = [.new, .tombstone, .unsettled, .delta]
}

extension ByteWriter {
    /// A count, and each member.
    mutating func members(_ members: [Member], _ ordinal: (ChunkID) -> Int?) {
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

    /// Writes the chunks of a file: those of this object by number, neighbours in one run, and others by id.
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
