import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueSystem
import CueTestSupport

@testable import CueVault

/// A vault in memory, and devices that write to it as the engine would.
final class TestVault {
    let store: MemoryStore
    /// The digests of the commits that were written here.
    private var digests: [LogPosition: CommitDigest] = [:]
    let vault: Vault

    init(seed: UInt64 = 1, on store: MemoryStore = MemoryStore()) {
        self.store = store
        vault = Self.open(store, seed: seed)
    }

    static func open(_ store: any ObjectStore, seed: UInt64 = 1) -> Vault {
        var generator = SeededGenerator(seed: seed)
        let secret = SecretBytes(copying: generator.bytes(32).span)
        return Vault(VaultStorage(store), key: VaultKey(secret, vault: VaultID.random(using: &generator)))
    }

    /// One device: where its log stands, and what it has read of the others.
    struct Device {
        let id: DeviceID
        var last: LogPosition?
        var known: Set<LogPosition> = []
        /// The newest commit of every other branch; the simplest is all of them.
        var seen: [LogPosition] { known.filter { $0 != last }.sorted() }
        /// The digest of `last`.
        var digest: CommitDigest?

        let number: UInt64

        init(_ number: UInt64) { (self.number, id) = (number, .test(number)) }
    }

    /// Writes a commit of a device, and lets the device go on from there.
    @discardableResult
    func commit(
        _ device: inout Device, _ versions: [VersionDraft] = [], packs: [PackRecord] = [],
        inline: InlineBlocks = InlineBlocks(), notes: [Note.Content] = [],
        time: Int64 = 0, seen: [LogPosition]? = nil, previous: CommitID? = nil, isSnapshot: Bool = true
    ) throws -> LogPosition {
        let generation = (device.last?.generation ?? 0) + 1
        var draft = CommitDraft(
            CommitRecord(
                previous: previous ?? device.last?.commit ?? .none,
                previousDigest: previous == nil ? device.digest : nil, time: Timestamp(milliseconds: time),
                isSnapshot: isSnapshot, isPartial: false,
                seen: (seen ?? device.seen).map { CommitMark($0, digests[$0]) }))
        if generation == 1 {
            draft.devices = [
                DeviceRecord(id: device.id, name: "device \(device.number)", made: Timestamp(milliseconds: 0))
            ]
        }
        (draft.packs, draft.inline, draft.versions, draft.notes) = (packs, inline, versions, notes)
        let position = LogPosition(device: device.id, generation: generation, commit: Vault.newCommitID())
        device.digest = try vault.append(draft, at: position).digest
        digests[position] = device.digest
        device.last = position
        device.known.insert(position)
        return position
    }

    // MARK: Drafts

    static func path(_ text: String) -> RelativePath { RelativePath(trusted: Array(text.utf8)) }

    static func member(_ path: String, _ content: Content = .folder) -> Member {
        Member(
            path: Self.path(path), mode: 0o644, modified: FileTime(seconds: 1, nanoseconds: 2), attributes: [],
            content: content)
    }

    static func draft(
        _ path: String, project: ProjectID? = nil, parents: [VersionID] = [], kind: ProjectKind = .bundle,
        _ body: VersionDraft.Body = .full([member("")])
    ) -> VersionDraft {
        VersionDraft(
            project: project, parents: parents, path: Self.path(path), kind: kind,
            edited: Timestamp(milliseconds: 0), isUnsettled: false, body: body)
    }

    static func version(_ position: LogPosition, _ number: UInt32 = 0) -> VersionID {
        VersionID(commit: position.commit, number: number)
    }

    // MARK: Content

    /// Stores chunks, and returns their ids and the packs that hold them.
    static func store(_ chunks: [[UInt8]], in vault: Vault) throws -> (ids: [ChunkID], packs: [PackRecord]) {
        let uploads = PackUploads()
        let writer = try PackWriter(for: vault, uploads)
        let ids = try chunks.map { chunk in
            let id = vault.chunkID(of: chunk.span)
            try writer.add(chunk.span, id: id)
            return id
        }
        try writer.finish()
        return (ids, try uploads.finish())
    }
}

extension Vault {
    /// Writes a commit with the key that tests know of its device.
    @discardableResult
    func append(_ draft: CommitDraft, at position: LogPosition) throws -> (size: Int, digest: CommitDigest) {
        try append(draft, at: position, by: TestKeys.key(of: position.device))
    }
}

extension CommitDraft {
    /// The plaintext of an object without a name.
    func plaintext() throws -> [UInt8] {
        try plaintext(of: SealContext(raw: []), signedBy: TestKeys.key(7)).bytes
    }
}

extension RecordObject {
    /// Reads the plaintext of an object without a name.
    init(commit plaintext: [UInt8], at position: LogPosition) throws {
        try self.init(commit: plaintext, at: position, SealContext(raw: []))
    }

    /// Reads the plaintext of an object without a name.
    init(checkpoint plaintext: [UInt8]) throws { try self.init(checkpoint: plaintext, SealContext(raw: [])) }
}

extension ChunkIndex {
    init(_ packs: [PackRecord]) {
        self.init()
        for pack in packs { add(pack) }
        prepare()
    }
}

extension ContentReader {
    func bytes(of id: ChunkID) throws -> [UInt8] { try withChunk(id) { $0.array } }
}

extension Checkpoint {
    /// Writes one that a device of the history signs.
    @discardableResult
    static func write(_ history: History, to vault: Vault) throws -> ObjectName? {
        let device = (history.commits.keys.map(\.device) + history.coverage.map(\.position.device)).min()
        return try write(history, to: vault, by: device.map(TestKeys.key(of:)) ?? TestKeys.key(0))
    }

    /// Reads one without a listing.
    static func read(_ name: ObjectName, of vault: Vault) throws -> RecordObject {
        guard let size = try vault.objects.size(of: name) else { throw VaultError.missing(.object(name.text)) }
        return try read(name, size: size, of: vault)
    }
}
