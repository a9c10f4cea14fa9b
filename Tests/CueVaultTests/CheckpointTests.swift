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
        guard !project.heads[0].header.isTombstone, generator.chance(70) else {
            return T.draft("p", project: project.id, parents: parents, .full(generator.bundle([], at: 5)))
        }
        let leaves = try history.members(of: parents[0]).filter { $0.content != .folder }.map(\.path)
        let removed = leaves.filter { _ in generator.chance(30) }
        let file = generator.member(RelativePath.root.appending([0xff] + generator.name()), generator.file([]))
        return T.draft("p", project: project.id, parents: parents, .delta(removed: removed, put: [file]))
    }

    @Test("A checkpoint and the commits after it say what all commits say", arguments: 1...20 as ClosedRange<UInt64>)
    func sameState(_ seed: UInt64) throws {
        try live(seed, forks: false)
        try expectSame("seed \(seed)")
    }

    @Test("They do so too where a device was cloned", arguments: 1...20 as ClosedRange<UInt64>)
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
