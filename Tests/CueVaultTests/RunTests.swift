import CueBase
import CueCrypto
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

/// Many commits of one device in one object (docs/format.md §12).
@Suite("Runs of commits")
struct RunTests {
    private let vault = TestVault()
    private typealias T = TestVault

    /// The records of a commit as they stand in it, one after the other.
    private func records(of position: LogPosition) throws -> [UInt8] {
        let name = ObjectRecordLog.name(of: position)
        let size = try #require(vault.store.bytes(of: name.text)?.count)
        let plain = try PlainReader(.object(vault.store, name, size: size), of: vault.vault, .commit, name)
        try plain.skip(try plain.count(upTo: Limits.inline))
        let reader = try FrameReader(plain)
        var (records, budget): ([UInt8], RecordBudget) = ([], RecordBudget())
        while let frame = try reader.next(&budget) { records += frame }
        return records
    }

    /// Writes a run of these commits. `change` may make it lie.
    @discardableResult
    private func write(
        _ commits: [LogPosition], id: UInt64 = 7, packs: [PackRecord] = [], by key: DeviceKey = TestKeys.key(1),
        _ change: (inout [(mark: CommitMark, records: [UInt8])]) -> Void = { _ in }
    ) throws -> RunEntry {
        let history = try History.load(vault.vault)
        var parts = try commits.map { position in
            (mark: CommitMark(position, history.digests[position]), records: try records(of: position))
        }
        change(&parts)
        let entry = RunEntry(
            device: commits[0].device, first: commits[0].generation, last: commits[commits.count - 1].generation,
            id: CommitID(id), size: 0)
        var head = ByteWriter()
        head.varint(parts.count)
        for part in parts {
            head.varint(part.mark.position.generation)
            head.id(part.mark.position.commit)
            head.digest(part.mark.digest)
        }
        var writer = FrameWriter(vault.vault.context(.run, entry.name), after: 1)
        try writer.append(.run, head.bytes)
        for pack in packs { try writer.append(.pack, pack.encode()) }
        for part in parts { try writer.append(.commitOfRun, part.records) }
        let plaintext = [0] + (try writer.finish(signedBy: key).rest)
        vault.store.set(entry.name.text, to: vault.vault.seal(plaintext, .run, entry.name))
        return entry
    }

    private func remove(_ commits: [LogPosition]) {
        for position in commits { vault.store.set(ObjectRecordLog.name(of: position).text, to: nil) }
    }

    /// What a history says, in a form that can be compared.
    private func shown() throws -> [String] {
        let history = try FullHistory.load(T.open(vault.store))
        #expect(history.damaged.isEmpty && history.missing.isEmpty && history.contradictions.isEmpty)
        let versions = try history.versions.values.map { version in
            "\(version.id) \(version.header.path) \(version.header.parents) \(try history.history.members(of: version.id))"
        }
        return versions.sorted() + history.snapshots.map(\.position.commit.description)
            + history.state(at: nil).live.map(\.id.description).sorted()
            + [history.history.stateWords(of: vault.vault.id)?.text ?? ""]
    }

    /// Three commits of one device, with a document that goes on, and one of another device that has seen them.
    private func history() throws -> [LogPosition] {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&one, [T.draft("novel")])
        let second = try vault.commit(
            &one,
            [
                T.draft(
                    "novel", project: T.version(first), parents: [T.version(first)],
                    .delta(removed: [], put: [T.member("chapter")]))
            ])
        let third = try vault.commit(&one, [T.draft("letters")])
        two.known = [third]
        try vault.commit(&two, [T.draft("songs")])
        return [first, second, third]
    }

    @Test("The history is the same with the commits, with the run, and with both")
    func same() throws {
        let commits = try history()
        let before = try shown()
        try write(commits)
        #expect(try shown() == before)
        remove([commits[1]])
        #expect(try shown() == before)
        remove(commits)
        #expect(try shown() == before)
        #expect(try T.open(vault.store).commits().map(\.position).filter { $0.device == commits[0].device } == commits)
    }

    @Test("Runs that overlap are one history")
    func overlapping() throws {
        let commits = try history()
        let before = try shown()
        try write(Array(commits[..<2]), id: 1)
        try write(Array(commits[1...]), id: 2)
        remove(commits)
        #expect(try shown() == before)
    }

    @Test("Who starts from a checkpoint, and who writes the next one, reads commits that stand in runs")
    func checkpoints() throws {
        let commits = try history()
        try Checkpoint.write(try History.load(vault.vault), to: vault.vault)
        try write(commits)
        remove(commits)

        let history = try History.loadLatest(T.open(vault.store))

        #expect(history.isSummary && history.state().live.count == 3)
        let log = try T.open(vault.store).commits()
        let compared = try ComparedHistory.load(T.open(vault.store), log, compared: nil)
        #expect(compared.checkpoint != nil && compared.history.checkpointProblem == nil)
    }

    @Test("What the commits held themselves is read from the packs that the run names, and the rest is no loss")
    func content() throws {
        var device = T.Device(1)
        var generator = SeededGenerator(seed: 3)
        let (old, new) = (generator.bytes(900), generator.bytes(800))
        let uploads = PackUploads(isForCommit: true)
        let packer = try PackWriter(for: vault.vault, uploads)
        for chunk in [old, new] { try packer.add(chunk.span, id: vault.vault.chunkID(of: chunk.span)) }
        try packer.finish()
        _ = try uploads.finish()
        let ids = [old, new].map { vault.vault.chunkID(of: $0.span) }
        let draft = T.draft("a.md", kind: .file, .full([T.member("", .file(size: 800, chunks: [ids[1]]))]))
        let commit = try vault.commit(&device, [draft], inline: uploads.takeInline())
        let (_, packs) = try T.store([new], in: vault.vault)
        try write([commit], packs: packs)
        remove([commit])

        let opened = T.open(vault.store)
        var history = try History.load(opened)
        let present = try history.findPacks(in: opened)
        let reader = try ContentReader(of: opened, history.index, present)

        #expect(try reader.bytes(of: ids[1]) == new)
        #expect(throws: VaultError.self) { try reader.bytes(of: ids[0]) }
    }

    @Test("A run that says other than its commits has none")
    func lies() throws {
        let commits = try history()
        remove([commits[2]])
        let lies: [(String, (inout [(mark: CommitMark, records: [UInt8])]) -> Void)] = [
            ("records of another commit", { ($0[0].records, $0[1].records) = ($0[1].records, $0[0].records) }),
            ("another digest", { $0[0].mark = CommitMark($0[0].mark.position, CommitDigest(a: 1, b: 1, c: 1, d: 1)) }),
            ("a commit cut short", { $0[1].records.removeLast() }),
            ("no signature", { $0[1].records.removeLast(98) }),
            ("more behind the signature", { $0[1].records += [99, 1, 1] }),
            ("nothing in a commit", { $0[0].records = [] }),
        ]
        for (what, lie) in lies {
            try write(Array(commits[..<2]), lie)
            let opened = T.open(vault.store)
            #expect(try opened.damagedRuns().count == 1, "\(what)")
        }
        let name = try write(Array(commits[..<2])).name
        let bytes = vault.store.bytes(of: name.text)
        vault.store.set(name.text, to: nil)
        let renamed = name.text.replacing("-0000000002-", with: "-0000000003-")
        vault.store.set(renamed, to: bytes)
        #expect(try T.open(vault.store).damagedRuns().count == 1)
    }
}
