package import CueBase
import CueSodium
package import CueSystem
package import CueVault

/// What tells whether a file was touched: all that `fstatat` gives without opening it.
package struct StatKey: Hashable, Sendable {
    package let inode: UInt64
    package let size: Int64
    package let mode: UInt16
    package let modified: FileTime
    package let changed: FileTime

    package init(_ info: FileInfo) {
        (inode, size, mode, modified, changed) = (info.inode, info.size, info.mode, info.modified, info.changed)
    }

    /// The key of a file that was never looked at.
    package static let none = StatKey(
        inode: 0, size: 0, mode: 0, modified: FileTime(seconds: 0, nanoseconds: 0),
        changed: FileTime(seconds: 0, nanoseconds: 1))

    /// The same but for `changed`, which a rename moves on.
    package func isSameContent(as other: StatKey) -> Bool {
        inode == other.inode && size == other.size && mode == other.mode && modified == other.modified
    }

    /// Whether a file that looks like `now` is no longer whole although nothing has written to it since this key was taken: a power cut or
    /// a failing disk did that, and no writer. Whatever a program does to a file, and to its times, moves `changed` on.
    ///
    /// Says false of a doubted key, and where `changed` may be a second `modified`: FAT and exFAT keep none, and no time finer than 10 ms.
    package func isDamaged(_ now: StatKey) -> Bool {
        let hasOwnChanged = changed != modified || changed.nanoseconds % 10_000_000 != 0
        return inode == now.inode && modified == now.modified && mode == now.mode && size != now.size
            && now.changed <= changed && hasOwnChanged
    }

    /// Whether no writer has touched a file since this key was taken: what is there now may go for what it was.
    package func isUntouched(_ now: StatKey) -> Bool { self == now || isDamaged(now) }

    /// The key of the same file if it has the size and time that it was given.
    package func placed(size: Int64, modified: FileTime) -> StatKey {
        StatKey(inode: inode, size: size, mode: mode, modified: modified, changed: changed)
    }

    /// A key that no file has: the next scan looks again.
    package var doubted: StatKey {
        StatKey(inode: inode, size: size, mode: mode, modified: modified, changed: FileTime(seconds: 0, nanoseconds: 1))
    }

    init(inode: UInt64, size: Int64, mode: UInt16, modified: FileTime, changed: FileTime) {
        (self.inode, self.size, self.mode, self.modified, self.changed) = (inode, size, mode, modified, changed)
    }

    /// Whether the file could change once more without its times telling: clocks of file systems tick in steps.
    package func isTooFresh(at time: FileTime) -> Bool {
        // Whole seconds come from a file system that keeps no finer ones (2 s on exFAT); else the kernel ticks every 10 ms.
        let margin: Int64 = changed.nanoseconds == 0 ? 2_000_000_000 : 20_000_000
        let seconds = time.seconds.saturatingSubtracting(changed.seconds)
        // Further apart than any margin; a file may have any time.
        guard (-3..<3).contains(seconds) else { return seconds < 0 }
        return seconds * 1_000_000_000 + Int64(time.nanoseconds) - Int64(changed.nanoseconds) < margin
    }
}

/// What the local store remembers of one name in a folder: the file as it was when its version was stored.
package struct Entry: Sendable {
    package var name: [UInt8]
    package var kind: ProjectKind
    package var stat: StatKey
    package var project: ProjectID
    /// The version that both this device and the vault have.
    package var base: VersionID
    /// A keyed hash of the members of `base`, so that equal content is seen without asking the vault.
    package var fingerprint: UInt64
    /// How many deltas lie between `base` and a whole member list.
    package var depth: UInt8

    package init(
        name: [UInt8], kind: ProjectKind, stat: StatKey, project: ProjectID, base: VersionID, fingerprint: UInt64,
        depth: UInt8
    ) {
        (self.name, self.kind, self.stat, self.project) = (name, kind, stat, project)
        (self.base, self.fingerprint, self.depth) = (base, fingerprint, depth)
    }

    /// A folder that other devices deleted or renamed, and that was not empty here: it is no project, and goes when it is empty.
    package static func left(_ name: [UInt8], _ stat: StatKey) -> Entry {
        Entry(
            name: name, kind: .folder, stat: stat, project: ProjectID(commit: Vault.newCommitID(), number: 0),
            base: VersionID(commit: .none, number: 0), fingerprint: 0, depth: 0)
    }

    package var isLeft: Bool { base.commit == .none }
}

/// One member of a bundle as it was when its version was stored.
package struct MemberEntry: Sendable {
    package var stat: StatKey
    package var member: Member

    package init(stat: StatKey, member: Member) { (self.stat, self.member) = (stat, member) }
}

/// What all members of a bundle look like from outside, in one number: equal when nothing in it was touched.
package struct BundleKey: Hashable, Sendable {
    let hash: ID16

    init(_ hash: ID16) { self.hash = hash }

    /// `members` in the order of paths, the bundle's own folder left out: that one stands in its folder's entries.
    init(_ members: some Sequence<(path: RelativePath, stat: StatKey)>) {
        var writer = ByteWriter()
        for member in members {
            writer.lengthAndBytes(member.path.bytes)
            writer.stat(member.stat)
        }
        var reader = ByteReader(BLAKE2b.hash(writer.bytes))
        // 32 bytes hold an id of 16.
        hash = (try? reader.id16()) ?? ID16(high: 0, low: 0)
    }

    init(_ listing: BundleListing) {
        self.init(listing.items.lazy.filter { !$0.path.isRoot }.map { (path: $0.path, stat: StatKey($0.info)) })
    }

    init(_ members: [MemberEntry]) {
        let inside = members.filter { !$0.member.path.isRoot }.sorted { $0.member.path < $1.member.path }
        self.init(inside.lazy.map { (path: $0.member.path, stat: $0.stat) })
    }
}

// The store's own encoding, read by this program alone; what changes it comes with a migration (`LocalStore`).

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

    mutating func entry(_ entry: Entry) {
        lengthAndBytes(entry.name)
        u8(entry.kind.rawValue)
        u8(entry.depth)
        stat(entry.stat)
        id(entry.project)
        id(entry.base)
        u64(entry.fingerprint)
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

    mutating func entry() throws(FormatError) -> Entry {
        let name = try lengthAndBytes(upTo: Limits.name)
        guard let kind = ProjectKind(rawValue: try u8()) else { throw .outOfRange }
        let depth = try u8()
        return Entry(
            name: name, kind: kind, stat: try stat(), project: try versionID(), base: try versionID(),
            fingerprint: try u64(), depth: depth)
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
            for _ in 0..<(try count(ofItems: 32)) { chunks.append(try chunkID()) }
            content = .file(size: size, chunks: chunks)
        }
        return MemberEntry(
            stat: stat,
            member: Member(path: path, mode: mode, modified: modified, attributes: attributes, content: content))
    }
}
