import CueBase
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

@Suite("Checkpoints")
struct CheckpointTests {
    private let vault = TestVault()
    private typealias T = TestVault

    /// What is, in a form that can be compared: the heads of each project, and what each of them holds.
    private func state(_ history: History) throws -> [ProjectID: [VersionID: [Member]]] {
        try history.state().projects.mapValues { project in
            try Dictionary(
                uniqueKeysWithValues: project.heads.map { head in
                    (head.id, head.header.isTombstone ? [] : try history.members(of: head.id))
                })
        }
    }

    private func writeCheckpoint() throws { try Checkpoint.write(try History.load(vault.vault), to: vault.vault) }

    /// As a backup writes it: from the last one and the commits after it.
    private func writeNextCheckpoint() throws {
        let last = try Checkpoint.entries(in: vault.vault).first?.name
        try Checkpoint.write(try History.loadForCheckpoint(vault.vault, from: last), to: vault.vault)
    }

    private func expectSame(_ comment: Comment? = nil) throws {
        let (all, latest) = (try History.load(vault.vault), try History.loadLatest(vault.vault))
        #expect(try state(latest) == state(all), comment)
        for project in all.state().live {
            #expect(latest.state().projects[project.id]?.shown.id == project.shown.id, comment)
        }
        for member in try state(all).values.flatMap({ $0.values.joined() }) {
            for chunk in member.chunks { #expect(latest.index.location(of: chunk) != nil, comment) }
        }
        for device in all.devices.keys { #expect(latest.name(of: device) == all.name(of: device), comment) }
        #expect(latest.missing.isEmpty && latest.damaged.isEmpty, comment)
    }

    // MARK: The property

    /// A random life of a vault: devices that sync or not, edit what they know, delete, merge, and are cloned.
    private func live(_ seed: UInt64, forks: Bool) throws {
        var generator = SeededGenerator(seed: seed)
        var devices = (1...3).map { T.Device($0) }
        var written: Set<LogPosition> = []
        for _ in 0..<generator.int(5...18) {
            let who = generator.int(0...devices.count - 1)
            if generator.chance(40) { devices[who].known.formUnion(written) }
            if generator.chance(12) { try writeCheckpoint() }
            if generator.chance(25) { try writeNextCheckpoint() }
            if forks && generator.chance(10) && devices[who].last != nil { devices.append(devices[who]) }
            let known = devices[who].known
            let history = try History.load(vault.vault)
            let mine = LibraryState(
                history.versions.values.filter { version in known.contains { $0.commit == version.id.commit } })
            let drafts = try (0..<generator.int(1...3)).map { _ in try draft(mine, history, &generator) }
            let packs = drafts.flatMap(\.members).flatMap(\.chunks).filter { history.index.location(of: $0) == nil }
            written.insert(
                try vault.commit(
                    &devices[who], drafts, packs: pack(packs, &generator), time: Int64(generator.int(0...9))))
        }
    }

    private func pack(_ chunks: [ChunkID], _ generator: inout SeededGenerator) -> [PackRecord] {
        guard !chunks.isEmpty else { return [] }
        let block = BlockRecord(
            codec: .stored, storedLength: chunks.count, rawLength: chunks.count,
            chunks: chunks.map { ChunkEntry(id: $0, length: 1) })
        return [PackRecord(id: .random(using: &generator), size: 4096, blocks: [block])]
    }

    private func draft(
        _ state: LibraryState, _ history: History, _ generator: inout SeededGenerator
    ) throws -> VersionDraft {
        let projects = state.projects.values.sorted { $0.id < $1.id }
        guard !projects.isEmpty, !generator.chance(25) else {
            return T.draft("p\(generator.int(0...5))", .full(generator.bundle([], at: 5)))
        }
        let project = projects[generator.int(0...projects.count - 1)]
        var parents = project.heads.map(\.id)
        if generator.chance(50) { parents = Array(parents.prefix(1)) }
        if generator.chance(15) {
            return T.draft("p", project: project.id, parents: parents, .tombstone)
        }
        if generator.chance(20) {
            // What was there before, by undo or from a copy.
            let old = history.versions.values.filter { !$0.header.isTombstone && !$0.header.isDelta }.map(\.id).sorted()
            if !old.isEmpty {
                let members = try history.members(of: old[generator.int(0...old.count - 1)])
                return T.draft("p", project: project.id, parents: parents, .full(members))
            }
        }
        guard !project.heads[0].header.isTombstone, generator.chance(70) else {
            return T.draft("p", project: project.id, parents: parents, .full(generator.bundle([], at: 5)))
        }
        let leaves = try history.members(of: parents[0]).filter { $0.content != .folder }.map(\.path)
        let removed = leaves.filter { _ in generator.chance(30) }
        let file = generator.member(RelativePath.root.appending([0xff] + generator.name()), generator.file([]))
        return T.draft("p", project: project.id, parents: parents, .delta(removed: removed, put: [file]))
    }

    @Test(
        "Checkpoints, made one of the other, and the commits after them say what all commits say",
        arguments: 1...60 as ClosedRange<UInt64>)
    func sameState(_ seed: UInt64) throws {
        try live(seed, forks: false)
        try expectSame("seed \(seed)")
    }

    @Test("They do so too where a device was cloned", arguments: 1...60 as ClosedRange<UInt64>)
    func sameStateWithForks(_ seed: UInt64) throws {
        try live(seed, forks: true)
        try expectSame("seed \(seed)")
    }

    // MARK: What the property found

    @Test("An edit by a device that did not know what a checkpoint sums up is whole")
    func differenceAgainstSummedUp() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let base = T.version(try vault.commit(&one, [T.draft("novel")]))
        two.known = one.known
        try vault.commit(&one, [T.draft("novel", project: base, parents: [base])])
        try writeCheckpoint()
        let late = T.version(
            try vault.commit(
                &two, [T.draft("novel", project: base, parents: [base], .delta(removed: [], put: [T.member("a")]))]))

        let history = try History.loadLatest(vault.vault)

        #expect(try history.members(of: late) == [T.member(""), T.member("a")])
        try expectSame()
    }

    @Test("A version that another device went on from is no conflict where its device was cloned")
    func supersededOnAFork() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = T.version(try vault.commit(&one, [T.draft("novel")]))
        var clone = one
        two.known = one.known
        let second = T.version(try vault.commit(&two, [T.draft("novel", project: first, parents: [first])]))
        one.known.formUnion(two.known)
        let third = T.version(try vault.commit(&one, [T.draft("novel", project: first, parents: [second])]))
        try vault.commit(&clone, [T.draft("letters")])
        try writeCheckpoint()

        let history = try History.loadLatest(vault.vault)

        #expect(history.state().projects[first]?.heads.map(\.id) == [third])
        try expectSame()
    }

    @Test("Of two heads that say the same both are kept: a later edit may come from one of them alone")
    func equalHeads() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let base = T.version(try vault.commit(&one, [T.draft("novel")]))
        two.known = one.known
        let same = T.draft("novel", project: base, parents: [base], .full([T.member(""), T.member("a")]))
        let mine = T.version(try vault.commit(&one, [same]))
        try vault.commit(&two, [same])
        try writeCheckpoint()

        try vault.commit(&one, [T.draft("novel", project: base, parents: [mine])])

        #expect(try History.load(vault.vault).state().projects[base]?.heads.count == 2)
        try expectSame()
    }

    @Test(
        "Content that was not alive when a checkpoint was made, and is so again, is found, and stays so in the next ones"
    )
    func aliveAgain() throws {
        var device = T.Device(1)
        var generator = SeededGenerator(seed: 1)
        let member = generator.member(RelativePath.root.appending(Array("a".utf8)), generator.file([]))
        let full = VersionDraft.Body.full([T.member(""), member])
        let project = T.version(
            try vault.commit(&device, [T.draft("novel", full)], packs: pack(member.chunks, &generator)))
        let other = T.version(
            try vault.commit(&device, [T.draft("novel", project: project, parents: [project])]))
        try writeNextCheckpoint()
        try vault.commit(&device, [T.draft("novel", project: project, parents: [other], full)])

        try expectSame("the commits after it")
        try writeNextCheckpoint()
        try expectSame("the next one")
        #expect(try History.loadLatest(vault.vault).isSummary)
        #expect(try problem() == nil)
    }

    @Test(
        "Where the last commit that a checkpoint sums up is late, what it says counts until then, and no other is made of it"
    )
    func lateCommit() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let novel = T.version(try vault.commit(&one, [T.draft("novel")]))
        let late = try vault.commit(&one, [T.draft("novel", project: novel, parents: [novel])])
        try writeNextCheckpoint()
        let object = try #require(vault.store.bytes(of: ObjectRecordLog.name(of: late).text))
        vault.store.set(ObjectRecordLog.name(of: late).text, to: nil)
        #expect(try History.loadLatest(vault.vault).state().projects[novel]?.headIDs == [T.version(late)])
        let newest = try Checkpoint.entries(in: vault.vault)[0].name
        #expect(try problem() == .incomplete(newest))

        // Another device goes on from what the checkpoint alone has.
        let third = T.version(
            try vault.commit(&two, [T.draft("novel", project: novel, parents: [T.version(late)])]))
        try vault.commit(&two, [T.draft("novel", project: novel, parents: [third])])
        try writeNextCheckpoint()
        #expect(try Checkpoint.entries(in: vault.vault).map(\.covered) == [2])
        #expect(try History.loadLatest(vault.vault).state().projects[novel]?.isConflict == false)
        vault.store.set(ObjectRecordLog.name(of: late).text, to: object)

        try expectSame()
        try writeNextCheckpoint()
        try expectSame()
        #expect(try problem() == nil)
    }

    @Test("Without its checkpoint, too, no other is made where a version comes from one that is on its way")
    func lateParent() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let novel = T.version(try vault.commit(&one, [T.draft("novel")]))
        let late = try vault.commit(&one, [T.draft("novel", project: novel, parents: [novel])])
        vault.store.set(ObjectRecordLog.name(of: late).text, to: nil)
        let third = T.version(
            try vault.commit(&two, [T.draft("novel", project: novel, parents: [T.version(late)])]))
        try vault.commit(&two, [T.draft("novel", project: novel, parents: [third])])

        try writeNextCheckpoint()

        #expect(try Checkpoint.entries(in: vault.vault).isEmpty)
    }

    @Test("A commit that another, of a device that was put back, stands in place of is not taken for summed up")
    func putBack() throws {
        var device = T.Device(1)
        let novel = T.version(try vault.commit(&device, [T.draft("novel")]))
        var image = device
        let gone = try vault.commit(&device, [T.draft("novel", project: novel, parents: [novel])])
        try writeNextCheckpoint()
        vault.store.set(ObjectRecordLog.name(of: gone).text, to: nil)
        try vault.commit(&image, [T.draft("poems")])

        let history = try History.loadLatest(vault.vault)

        #expect(Set(history.state().live.map(\.shown.header.path)) == [T.path("novel"), T.path("poems")])
        #expect(history.state().projects[novel]?.headIDs == [T.version(gone)])
        #expect(history.missing == [gone])
    }

    // MARK: One of the other

    @Test("The next checkpoint is made of the last one and the commits after it, and covers all")
    func next() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let novel = T.version(try vault.commit(&one, [T.draft("novel"), T.draft("poems")]))
        try vault.commit(&two, [T.draft("letters")])
        try writeNextCheckpoint()
        try vault.commit(&one, [T.draft("novel", project: novel, parents: [novel])])
        let third = try vault.commit(&one, [T.draft("novel", project: novel, parents: [novel], .tombstone)])

        let history = try History.loadForCheckpoint(
            vault.vault, from: Checkpoint.entries(in: vault.vault).first?.name)
        try writeNextCheckpoint()

        #expect(history.isSummary && history.commits.count == 2)
        #expect(try Checkpoint.entries(in: vault.vault).map(\.covered) == [4, 2])
        let newest = try Checkpoint.read(try Checkpoint.entries(in: vault.vault)[0].name, of: vault.vault)
        #expect(
            Set(newest.coverage.map(\.position.device)) == [one.id, two.id]
                && newest.coverage.contains { $0.position == third })
        #expect(try History.loadLatest(vault.vault).commits.isEmpty)
        try expectSame()
    }

    @Test(
        "Where a commit that was summed up is gone no further checkpoint is made; the last one still says what it said")
    func gapBelow() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        try vault.commit(&device, [T.draft("letters")])
        try writeNextCheckpoint()
        vault.store.set(ObjectRecordLog.name(of: first).text, to: nil)
        try vault.commit(&device, [T.draft("poems")])

        try writeNextCheckpoint()

        #expect(try Checkpoint.entries(in: vault.vault).map(\.covered) == [2])
        #expect(try History.loadLatest(vault.vault).state().live.count == 3)
    }

    @Test("Where a pack that the last checkpoint names is gone, another that holds the same content takes its place")
    func lostPack() throws {
        var device = T.Device(1)
        var generator = SeededGenerator(seed: 1)
        let member = generator.member(RelativePath.root.appending(Array("a".utf8)), generator.file([]))
        let drafts = [T.draft("novel", .full([T.member(""), member]))]
        let (lost, again) = (pack(member.chunks, &generator), pack(member.chunks, &generator))
        try vault.commit(&device, drafts, packs: lost, time: 1)
        vault.store.set(PackRecord.name(of: lost[0].id).text, to: [UInt8](repeating: 0, count: 4096))
        try writeNextCheckpoint()
        vault.store.set(PackRecord.name(of: lost[0].id).text, to: nil)
        vault.store.set(PackRecord.name(of: again[0].id).text, to: [UInt8](repeating: 0, count: 4096))
        try vault.commit(&device, [T.draft("letters")], packs: again, time: 2)

        try writeNextCheckpoint()

        let newest = try Checkpoint.read(try Checkpoint.entries(in: vault.vault)[0].name, of: vault.vault)
        #expect(newest.packIDs == again.map(\.id))
    }

    // MARK: What a check says

    /// What is wrong with the newest checkpoint, by all commits.
    private func problem() throws -> CheckpointProblem? {
        let newest = try Checkpoint.entries(in: vault.vault)[0]
        let claims = try CheckpointClaims(
            try Checkpoint.read(newest.name, of: vault.vault), newest.name, count: newest.covered)
        return claims.verdict(try History.load(vault.vault)).problem
    }

    @Test("A check finds a checkpoint that keeps other heads than the commits have, or other content of them")
    func falseClaims() throws {
        var device = T.Device(1)
        let first = T.version(try vault.commit(&device, [T.draft("novel")]))
        let position = try vault.commit(&device, [T.draft("novel", project: first, parents: [first])])
        try writeCheckpoint()
        let name = try Checkpoint.entries(in: vault.vault)[0].name
        let whole = try Checkpoint.read(name, of: vault.vault)
        let history = try History.load(vault.vault)
        var (coverage, kept) = (ByteWriter(), ByteWriter())
        coverage.marks([CommitMark(position, nil)])
        kept.id(first)
        kept.raw(RawRecords.id16 + [0])
        kept.raw(T.draft("novel", project: first).encode { _ in nil })
        let earlier = try RecordObject(
            checkpoint: RawRecords().adding(6, coverage.bytes).adding(5, kept.bytes).plaintext)

        #expect(try problem() == nil)
        #expect(try CheckpointClaims(whole, name, count: 2).verdict(history) == .same)
        #expect(try CheckpointClaims(earlier, name, count: 2).verdict(history) == .differs(.wrong(name)))
        #expect(try CheckpointClaims(whole, name, count: 3).verdict(history) == .differs(.incomplete(name)))
    }

    @Test("A check finds a checkpoint that names a pack, or the blocks of a commit, otherwise than the commits do")
    func falsePacks() throws {
        var device = T.Device(1)
        var generator = SeededGenerator(seed: 1)
        let chunks = generator.member(.root, generator.file([])).chunks
        let (pack, other) = (pack(chunks, &generator)[0], pack(chunks, &generator)[0])
        let position = try vault.commit(&device, [T.draft("novel")], packs: [pack])
        let history = try History.load(vault.vault)
        let head = try #require(history.versions[T.version(position)])
        let name = ObjectName("checkpoints/000000000001-0000000000000001")
        let verdict = { (packs: [PackRecord]) in
            var (coverage, kept) = (ByteWriter(), ByteWriter())
            coverage.marks([CommitMark(position, nil)])
            kept.id(head.id)
            kept.id(head.device)
            kept.svarint(head.time.milliseconds)
            kept.raw(T.draft("novel", project: head.header.project).encode { _ in nil })
            let records = packs.reduce(RawRecords().adding(6, coverage.bytes)) {
                $0.adding(UInt64($1.kind.rawValue), $1.encode())
            }
            let checkpoint = try RecordObject(checkpoint: records.adding(5, kept.bytes).plaintext)
            return try CheckpointClaims(checkpoint, name, count: 1)
                .verdict(history)
        }
        let wrong = CheckpointClaims.Verdict.differs(.wrong(name))

        #expect(try verdict([pack]) == .same)
        #expect(try verdict([PackRecord(id: pack.id, size: pack.size, blocks: other.blocks + pack.blocks)]) == wrong)
        #expect(try verdict([PackRecord(id: pack.id, size: pack.size + 1, blocks: pack.blocks)]) == wrong)
        // The commit holds no blocks itself.
        #expect(try verdict([PackRecord(inlineIn: position, blocks: pack.blocks)]) == wrong)
        let elsewhere = LogPosition(device: position.device, generation: 2, commit: position.commit)
        #expect(try verdict([PackRecord(inlineIn: elsewhere, blocks: pack.blocks)]) == .same)
        // A pack that no commit names was put together anew, or is not there any more: that is not for commits to say.
        #expect(try verdict([other]) == .same)
    }

    // MARK: Objects

    @Test("A checkpoint is named by the number of commits that it covers, and spares reading them")
    func spares() throws {
        var device = T.Device(1)
        for number in 0..<5 { try vault.commit(&device, [T.draft("novel \(number)")]) }
        try writeCheckpoint()
        try vault.commit(&device, [T.draft("letters")])

        let entries = try Checkpoint.entries(in: vault.vault)
        let history = try History.loadLatest(vault.vault)

        #expect(entries.map(\.covered) == [5])
        #expect(entries[0].name.text.hasPrefix("checkpoints/000000000005-"))
        #expect(entries[0].size % 1024 == 0)
        #expect(history.commits.count == 1)
        #expect(history.state().live.count == 6)
    }

    @Test("A damaged checkpoint is ignored, and an older one or the commits are read instead")
    func damaged() throws {
        var device = T.Device(1)
        try vault.commit(&device, [T.draft("novel")])
        try writeCheckpoint()
        try vault.commit(&device, [T.draft("letters")])
        try writeCheckpoint()
        let names = try Checkpoint.entries(in: vault.vault).map(\.name.text)
        #expect(names.count == 2)

        for name in names {
            let whole = try #require(vault.store.bytes(of: name))
            for broken in [[], Array(whole.dropLast(3)), Array(whole.reversed())] {
                vault.store.set(name, to: broken)
                try expectSame()
            }
        }

        #expect(try History.loadLatest(vault.vault).commits.count == 2)
    }

    @Test("A checkpoint under another name does not open there")
    func moved() throws {
        var device = T.Device(1)
        try vault.commit(&device, [T.draft("novel")])
        try writeCheckpoint()
        let name = try #require(try Checkpoint.entries(in: vault.vault).first?.name)
        let other = "checkpoints/000000000009-\(name.text.suffix(16))"
        vault.store.set(other, to: vault.store.bytes(of: name.text))

        #expect(throws: VaultError.self) { try Checkpoint.read(ObjectName(other), of: vault.vault) }
        try expectSame()
    }

    @Test(
        "Files that no checkpoint is called like are passed over",
        arguments: [
            "checkpoints/5-0123456789abcdef", "checkpoints/000000000005", "checkpoints/a/000000000005-0123456789abcdef",
            "checkpoints/00000000000a-0123456789abcdef", "checkpoints/000000000005-0123456789abcdef-1",
        ])
    func foreignNames(_ name: String) throws {
        vault.store.set(name, to: [1])
        #expect(try Checkpoint.entries(in: vault.vault).isEmpty)
    }

    @Test("No checkpoint is made of a history with gaps")
    func gaps() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        try vault.commit(&device, [T.draft("letters")])
        vault.store.set(ObjectRecordLog.name(of: first).text, to: nil)

        try writeCheckpoint()

        #expect(try vault.store.list("checkpoints").isEmpty)
    }

    @Test("A checkpoint that breaks a rule is refused", arguments: HostileCheckpoint.all)
    func hostile(_ given: HostileCheckpoint) {
        #expect(throws: FormatError.self) {
            let object = try RecordObject(checkpoint: given.plaintext)
            for version in object.versions { _ = try version.changes(in: object) }
        }
    }
}

struct HostileCheckpoint: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let plaintext: [UInt8]

    private static let head = RawRecords.id12 + RawRecords.id16 + [0]

    private init(_ description: String, _ records: [(UInt64, [UInt8])]) {
        testDescription = description
        plaintext = records.reduce(RawRecords()) { $0.adding($1.0, $1.1) }.plaintext
    }

    static let all: [HostileCheckpoint] = [
        HostileCheckpoint("nothing", []),
        HostileCheckpoint("no coverage", [(3, RawRecords.threeChunks)]),
        HostileCheckpoint("two coverages", [(6, [0]), (6, [0])]),
        HostileCheckpoint("a coverage behind a pack", [(3, RawRecords.threeChunks), (6, [0])]),
        HostileCheckpoint("bytes behind a coverage", [(6, [0, 0])]),
        HostileCheckpoint("a coverage of too many", [(6, RawRecords.varint(1 << 63))]),
        HostileCheckpoint("a commit", [(6, [0]), (1, [UInt8](repeating: 0, count: 8) + [0, 1, 0])]),
        HostileCheckpoint("a version", [(6, [0]), (4, RawRecords.version(RawRecords.members(RawRecords.folder)))]),
        HostileCheckpoint(
            "a delta",
            [
                (6, [0]),
                (
                    5,
                    head
                        + RawRecords.version(
                            flags: 8, project: RawRecords.id12, parents: [1] + RawRecords.id12, [0, 0])
                ),
            ]),
        HostileCheckpoint(
            "a new project",
            [(6, [0]), (5, head + RawRecords.version(flags: 1, RawRecords.members(RawRecords.folder)))]),
        HostileCheckpoint("a kept version cut short", [(6, [0]), (5, RawRecords.id12)]),
        HostileCheckpoint(
            "a path that leads out",
            [
                (6, [0]),
                (
                    5,
                    head
                        + RawRecords.version(
                            flags: 0, project: RawRecords.id12, path: "../a", RawRecords.members(RawRecords.folder))
                ),
            ]),
    ]
}
