package import CueBase
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

extension ByteWriter {
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
