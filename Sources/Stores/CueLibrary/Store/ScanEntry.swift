package import CueBase
import CueSodium
import CueSystem
package import CueVault

/// One name in a folder as the local store remembers it: the file as it was when its version was stored.
package struct ScanEntry: Sendable {
    /// The name alone, without the folder.
    package var name: [UInt8]
    /// The kind of the stored version.
    package var kind: ProjectKind
    /// The file, or a bundle's own folder, when it was stored.
    package var stat: StatKey
    /// The project at this name.
    package var project: ProjectID
    /// The version that both this device and the vault have.
    package var base: VersionID
    /// A keyed hash of the members of `base`, so that equal content is recognized without the vault.
    package var fingerprint: UInt64
    /// Like `fingerprint`, without times, modes and attributes; nil if it is unknown.
    package var content: UInt64?
    /// The number of deltas between `base` and a whole member list.
    package var depth: UInt8

    /// Memberwise.
    package init(
        name: [UInt8], kind: ProjectKind, stat: StatKey, project: ProjectID, base: VersionID, fingerprint: UInt64,
        content: UInt64?, depth: UInt8
    ) {
        (self.name, self.kind, self.stat, self.project) = (name, kind, stat, project)
        (self.base, self.fingerprint, self.content, self.depth) = (base, fingerprint, content, depth)
    }

    /// The entry of a folder that other devices deleted or renamed, and that was not empty here. It is no project, and
    /// goes when it is empty.
    package static func left(_ name: [UInt8], _ stat: StatKey) -> ScanEntry {
        ScanEntry(
            name: name, kind: .folder, stat: stat, project: ProjectID(commit: Vault.newCommitID(), number: 0),
            base: VersionID(commit: .none, number: 0), fingerprint: 0, content: nil, depth: 0)
    }

    /// Whether it is such an entry.
    package var isLeft: Bool { base.commit == .none }
}

/// One member of a bundle as it was when its version was stored.
package struct MemberEntry: Sendable {
    /// The member's file when it was stored.
    package var stat: StatKey
    /// Its path is relative to the bundle.
    package var member: Member

    /// Memberwise.
    package init(stat: StatKey, member: Member) { (self.stat, self.member) = (stat, member) }
}

// The store's own encoding. Only this program reads it; a change needs a migration (`LocalStore`).

extension ByteWriter {
    mutating func stat(_ stat: StatKey) {
        varint(stat.inode)
        varint(UInt64(stat.size))
        varint(Int(stat.mode))
        time(stat.modified)
        time(stat.changed)
    }

    private mutating func time(_ time: FileTime) {
        svarint(time.seconds)
        varint(Int(time.nanoseconds))
    }

    mutating func entry(_ entry: ScanEntry) {
        lengthAndBytes(entry.name)
        u8(entry.kind.rawValue)
        u8(entry.depth)
        stat(entry.stat)
        id(entry.project)
        id(entry.base)
        u64(entry.fingerprint)
        u64(entry.content ?? 0)
    }

    mutating func memberEntry(_ entry: MemberEntry) {
        stat(entry.stat)
        let member = entry.member
        lengthAndBytes(member.path.bytes)
        varint(Int(member.mode))
        time(member.modified)
        varint(member.attributes.count)
        for attribute in member.attributes {
            lengthAndBytes(attribute.name)
            lengthAndBytes(attribute.value)
        }
        switch member.content {
        case .folder: u8(2)
        case .symlink(let target):
            u8(3)
            lengthAndBytes(target)
        case .file(let size, let chunks):
            u8(1)
            varint(UInt64(size))
            varint(chunks.count)
            for chunk in chunks { id(chunk) }
        }
    }
}

extension ByteReader {
    mutating func stat() throws(FormatError) -> StatKey {
        StatKey(
            inode: try varint(), size: Int64(try count(upTo: .max)), mode: UInt16(try count(upTo: 0o7777)),
            modified: try time(), changed: try time())
    }

    private mutating func time() throws(FormatError) -> FileTime {
        FileTime(seconds: try svarint(), nanoseconds: UInt32(try count(upTo: 999_999_999)))
    }

    mutating func entry() throws(FormatError) -> ScanEntry {
        var entry = try entryWithoutContent()
        let content = try u64()
        entry.content = content == 0 ? nil : content
        return entry
    }

    /// An entry as it was before migration 14.
    mutating func entryWithoutContent() throws(FormatError) -> ScanEntry {
        let name = try lengthAndBytes(upTo: Limits.name)
        guard let kind = ProjectKind(rawValue: try u8()) else { throw .outOfRange }
        let depth = try u8()
        return ScanEntry(
            name: name, kind: kind, stat: try stat(), project: try versionID(), base: try versionID(),
            fingerprint: try u64(), content: nil, depth: depth)
    }

    mutating func memberEntry() throws(FormatError) -> MemberEntry {
        let stat = try stat()
        let path = RelativePath(trusted: try lengthAndBytes(upTo: Limits.path))
        let mode = UInt16(try count(upTo: 0o7777))
        let modified = try time()
        var attributes: [ExtendedAttribute] = []
        for _ in 0..<(try count(ofItems: 2)) {
            attributes.append(ExtendedAttribute(name: try lengthAndBytes(), value: try lengthAndBytes()))
        }
        let content: Content
        switch try u8() {
        case 2: content = .folder
        case 3: content = .symlink(target: try lengthAndBytes())
        default:
            let size = Int64(try count(upTo: .max))
            var chunks: [ChunkID] = []
            for _ in 0..<(try count(ofItems: 32)) { chunks.append(try id32()) }
            content = .file(size: size, chunks: chunks)
        }
        return MemberEntry(
            stat: stat,
            member: Member(path: path, mode: mode, modified: modified, attributes: attributes, content: content))
    }
}
