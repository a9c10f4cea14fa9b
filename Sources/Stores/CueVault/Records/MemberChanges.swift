package import CueBase
import CueSystem

// This layout is frozen: docs/format.md §6.

/// The members in a version record: all of them, or the difference to the first parent.
package struct MemberChanges: Sendable {
    /// The exact paths that a delta removes; empty for other versions.
    package var removed: [RelativePath] = []
    /// All members; of a delta those that are added or replaced. Members of a version that is no delta are sorted by
    /// path.
    package var put: [Member] = []

    /// Reads the rest of a record behind its header. `chunkIDs` are the chunks that ordinals count.
    ///
    /// Throws `FormatError` if a rule is broken, as far as one record shows it. A tombstone has neither list.
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
        // A few bytes can name a long run of chunks, and a hostile record does so again and again.
        var room = Limits.chunks
        for _ in 0..<count {
            let member = try reader.member(chunkIDs, atMost: room)
            room -= member.chunks.count
            put.append(member)
        }
        try reader.expectEnd()
        guard header.isDelta else {
            put = try put.checkedTree(for: header.kind)
            return
        }
        guard Set(put.map(\.path)).count == put.count else { throw .invalid(.repeatedMember) }
    }
}

extension ByteReader {
    /// Steps over the members of a version. Returns their number, and the number of chunks that they name.
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

    /// Steps over a member. Returns the number of chunks that it names.
    private mutating func skipMember() throws(FormatError) -> Int {
        _ = try lengthAndRange(upTo: Limits.path)
        let kind = try u8()
        // Mode, seconds and nanoseconds.
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
            if try varint() == 0 { _ = try skip(length.saturatingMultiplied(by: 32)) }
            chunks = chunks.saturatingAdding(length)
        }
        return chunks
    }

    /// Reads and checks one member, which may name so many chunks.
    fileprivate mutating func member(
        _ chunkIDs: ArraySlice<ChunkID>, atMost room: Int
    ) throws(FormatError) -> Member {
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
            content = .file(size: Int64(size), chunks: try runs(chunkIDs, atMost: room))
        case 2: content = .folder
        case 3:
            let target = try lengthAndBytes(upTo: Limits.path)
            guard !target.isEmpty, !target.contains(0) else { throw .invalid(.emptyLink) }
            content = .symlink(target: target)
        default: throw .invalid(.unknownMemberKind)
        }
        return Member(path: path, mode: mode, modified: modified, attributes: attributes, content: content)
    }

    /// Reads the extended attributes, whose names must ascend.
    private mutating func attributes() throws(FormatError) -> [ExtendedAttribute] {
        let count = try count(ofItems: 2)
        var attributes: [ExtendedAttribute] = []
        for _ in 0..<count {
            let name = try lengthAndBytes(upTo: 255)
            guard !name.isEmpty, !name.contains(0), attributes.last?.name.precedes(name) ?? true else {
                throw .invalid(.unsortedAttributes)
            }
            attributes.append(ExtendedAttribute(name: name, value: try lengthAndBytes(upTo: 1 << 20)))
        }
        return attributes
    }

    /// Reads the content of a file as chunk ids, whether it names them by id or by ordinal.
    private mutating func runs(_ chunkIDs: ArraySlice<ChunkID>, atMost room: Int) throws(FormatError) -> [ChunkID] {
        let runs = try count(ofItems: 2)
        var chunks: [ChunkID] = []
        for _ in 0..<runs {
            let length = try count(upTo: .max)
            let first = try count(upTo: .max)
            guard length > 0, length <= room - chunks.count else { throw .outOfRange }
            if first == 0 {
                guard length <= remaining / 32 else { throw .truncated }
                for _ in 0..<length { chunks.append(try id32()) }
            } else {
                guard first - 1 <= chunkIDs.count, length <= chunkIDs.count - (first - 1) else { throw .outOfRange }
                chunks += chunkIDs[chunkIDs.startIndex + first - 1..<chunkIDs.startIndex + first - 1 + length]
            }
        }
        return chunks
    }
}
