package import CueBase
import CueSystem

// This layout is frozen: docs/format.md §6.

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
        guard Set(put.map(\.path)).count == put.count else { throw .invalid(.repeatedMember) }
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
            guard !target.isEmpty, !target.contains(0) else { throw .invalid(.emptyLink) }
            content = .symlink(target: target)
        default: throw .invalid(.unknownMemberKind)
        }
        return Member(path: path, mode: mode, modified: modified, attributes: attributes, content: content)
    }

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
