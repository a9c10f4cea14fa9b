import CueBase
import CueVault
import Testing

@testable import CueEngine

/// Every row of the table in docs/sync.md, and what must hold whoever looks.
@Suite("What a sync decides for one project")
struct SyncDecisionTests {
    private static let base = id(1)
    private static let there = id(2)
    private static let name = path("Chapter 7.rtf")

    fileprivate static func id(_ number: UInt64) -> VersionID { VersionID(commit: CommitID(number), number: 0) }

    fileprivate static func path(_ text: String) -> RelativePath { RelativePath(trusted: Array(text.utf8)) }

    fileprivate static func head(
        _ id: VersionID, _ content: UInt64?, _ path: RelativePath = name, _ kind: ProjectKind = .file
    ) -> SyncView.Head {
        SyncView.Head(id: id, path: path, kind: kind, content: content)
    }

    private static func decide(
        base: VersionID?, _ local: SyncView.Local, _ heads: [SyncView.Head], origin: SyncView.Head? = nil,
        isComplete: Bool = true
    ) -> SyncDecision {
        var origins: [Set<VersionID>: SyncView.Head] = [:]
        for one in heads { for other in heads where one.id < other.id { origins[[one.id, other.id]] = origin } }
        return SyncView(base: base, local: local, heads: heads, origins: origins, isComplete: isComplete).decision
    }

    // MARK: One head

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let base: VersionID?
        let local: SyncView.Local
        let head: SyncView.Head
        let expected: SyncDecision

        init(
            _ description: String, _ base: VersionID?, _ local: SyncView.Local, _ head: SyncView.Head,
            _ expected: SyncDecision
        ) {
            testDescription = description
            (self.base, self.local, self.head, self.expected) = (base, local, head, expected)
        }
    }

    static let rows: [Row] = [
        Row("nobody changed it: nothing to do", base, .same, head(base, 10), .settled),
        Row(
            "the same edit on both: only remembered", base, .changed(content: 20, path: name), head(there, 20),
            .agree(there)),
        Row(
            "the same without a base: only remembered", nil, .changed(content: 20, path: name), head(there, 20),
            .agree(there)),
        Row("changed there: taken", base, .same, head(there, 20), .take(there)),
        Row("renamed there: taken", base, .same, head(there, 10, path("Kapitel.rtf")), .take(there)),
        Row("new there: taken", nil, .absent, head(there, 20), .take(there)),
        Row("changed here: stored", base, .changed(content: 30, path: name), head(base, 10), .store),
        Row("renamed here: stored", base, .changed(content: 10, path: path("A.rtf")), head(base, 10), .store),
        Row(
            "touched here and back again: stored as it is", base, .changed(content: 10, path: name), head(base, 10),
            .store),
        Row(
            "changed on both: stored before anything else", base, .changed(content: 30, path: name), head(there, 20),
            .store),
        Row(
            "the same content under two names: stored, then joined", base, .changed(content: 20, path: path("A.rtf")),
            head(there, 20), .store),
        Row(
            "unreadable here: left to the backup, which says so", base, .changed(content: nil, path: name),
            head(there, 20), .store),
        Row("no base and different: never newer wins", nil, .changed(content: 30, path: name), head(there, 20), .store),
        Row("gone here, unchanged there: a deletion is stored", base, .gone, head(base, 10), .store),
        Row("gone here, changed there: stored, then asked", base, .gone, head(there, 20), .store),
        Row("gone on both: only to be remembered", base, .gone, head(there, nil), .agree(there)),
        Row("never here and deleted there: nothing to do", nil, .absent, head(there, nil), .settled),
        Row("deleted there, untouched here: removed", base, .same, head(there, nil), .remove(there)),
        Row(
            "deleted there, changed here: stored, then asked", base, .changed(content: 30, path: name),
            head(there, nil), .store),
    ]

    @Test("One head: each row of the table", arguments: rows)
    func oneHead(row: Row) {
        #expect(Self.decide(base: row.base, row.local, [row.head]) == row.expected)
    }

    @Test("Nothing is decided while a part of the history has not arrived", arguments: rows)
    func incomplete(row: Row) {
        #expect(Self.decide(base: row.base, row.local, [row.head], isComplete: false) == .wait)
    }

    @Test("A project without a version is nothing to decide on")
    func noHeads() { #expect(Self.decide(base: nil, .absent, []) == .settled) }

    // MARK: Several heads

    private static let origin = head(base, 10)
    private static let (a, b, c) = (id(5), id(6), id(7))

    struct Fork: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let heads: [SyncView.Head]
        let origin: SyncView.Head?
        let expected: SyncDecision

        init(_ description: String, _ heads: [SyncView.Head], _ origin: SyncView.Head?, _ expected: SyncDecision) {
            (testDescription, self.heads, self.origin, self.expected) = (description, heads, origin, expected)
        }
    }

    static let forks: [Fork] = [
        Fork("changed on both", [head(a, 20), head(b, 30)], origin, .conflict([a, b])),
        Fork("changed on three", [head(a, 20), head(b, 30), head(c, 40)], origin, .conflict([a, b, c])),
        Fork(
            "two of three agree, one does not", [head(a, 20), head(b, 20), head(c, 40)], origin, .conflict([a, b, c])),
        Fork(
            "the same change on both", [head(a, 20), head(b, 20)], origin,
            .join(content: b, path: name, parents: [a, b])),
        Fork(
            "the same change on three", [head(a, 20), head(b, 20), head(c, 20)], origin,
            .join(content: c, path: name, parents: [a, b, c])),
        Fork(
            "the same document without an origin", [head(a, 20), head(b, 20)], nil,
            .join(content: b, path: name, parents: [a, b])),
        Fork("two documents of one name without an origin", [head(a, 20), head(b, 30)], nil, .conflict([a, b])),
        Fork(
            "renamed there, changed here", [head(a, 10, path("N.rtf")), head(b, 30)], origin,
            .join(content: b, path: path("N.rtf"), parents: [a, b])),
        Fork(
            "changed there, renamed here", [head(a, 30), head(b, 10, path("N.rtf"))], origin,
            .join(content: a, path: path("N.rtf"), parents: [a, b])),
        Fork(
            "renamed to two names", [head(a, 10, path("M.rtf")), head(b, 10, path("N.rtf"))], origin,
            .join(content: b, path: path("N.rtf"), parents: [a, b])),
        Fork(
            "only times and modes on both", [head(a, 10), head(b, 10)], origin,
            .join(content: b, path: name, parents: [a, b])),
        Fork("deleted there, changed here", [head(a, nil), head(b, 30)], origin, .conflict([a, b])),
        Fork("deleted there, renamed here", [head(a, nil), head(b, 10, path("N.rtf"))], origin, .conflict([a, b])),
        Fork(
            "deleted there, changed alike on two", [head(a, nil), head(b, 30), head(c, 30)], origin,
            .conflict([a, b, c])),
        Fork(
            "two times of a folder", [head(a, 1, name, .folder), head(b, 2, name, .folder)],
            head(base, 3, name, .folder), .join(content: b, path: name, parents: [a, b])),
        Fork(
            "a folder renamed there, and touched here",
            [head(a, 1, path("Renamed"), .folder), head(b, 2, name, .folder)],
            head(base, 3, name, .folder), .join(content: b, path: path("Renamed"), parents: [a, b])),
        Fork(
            "a folder that went there and is used here", [head(a, nil, name, .folder), head(b, 2, name, .folder)],
            head(base, 3, name, .folder), .join(content: b, path: name, parents: [a, b])),
    ]

    @Test("Several heads: only a person chooses between two contents", arguments: forks)
    func manyHeads(fork: Fork) {
        for base in fork.heads.map(\.id) {
            #expect(Self.decide(base: base, .same, fork.heads, origin: fork.origin) == fork.expected)
        }
        #expect(Self.decide(base: nil, .absent, fork.heads, origin: fork.origin) == fork.expected)
    }

    @Test("What is new here is stored before a fork is looked at", arguments: forks)
    func storedFirst(fork: Fork) {
        let changed = SyncView.Local.changed(content: 99, path: Self.name)
        #expect(Self.decide(base: Self.base, changed, fork.heads, origin: fork.origin) == .store)
        #expect(Self.decide(base: Self.base, .gone, fork.heads, origin: fork.origin) == .store)
    }

    @Test("An edit of what two of three came from overrules nothing of the third")
    func pairs() {
        let (renamed, edited, old) = (
            Self.head(Self.a, 20, Self.path("N.rtf")), Self.head(Self.b, 30), Self.head(Self.c, 10)
        )
        let nearer = Self.head(Self.there, 20)
        let origins: [Set<VersionID>: SyncView.Head] = [
            [Self.a, Self.b]: nearer, [Self.a, Self.c]: Self.origin, [Self.b, Self.c]: Self.origin,
        ]

        let view = SyncView(base: Self.a, local: .same, heads: [renamed, edited, old], origins: origins)

        #expect(view.decision == .join(content: Self.b, path: Self.path("N.rtf"), parents: [Self.a, Self.b, Self.c]))
    }

    @Test("Of two answers to one question neither is unchanged, whatever all three came from")
    func crossedAnswers() {
        let (one, other, renamed) = (
            Self.head(Self.a, 20), Self.head(Self.b, 30), Self.head(Self.c, 20, Self.path("N.rtf"))
        )
        let first = Self.head(Self.there, 20)
        let origins: [Set<VersionID>: SyncView.Head] = [[Self.a, Self.c]: first, [Self.b, Self.c]: first]

        let view = SyncView(base: Self.a, local: .same, heads: [one, other, renamed], origins: origins)

        #expect(view.decision == .conflict([Self.a, Self.b, Self.c]))
    }

    @Test("Deleted on two devices at once: it goes from the third, and there is nothing to ask")
    func deletedTwice() {
        let heads = [Self.head(Self.a, nil), Self.head(Self.b, nil)]
        #expect(Self.decide(base: Self.base, .same, heads) == .remove(Self.a))
        #expect(Self.decide(base: nil, .absent, heads) == .settled)
    }

    // MARK: Symmetry

    @Test("Every device decides the same, in whatever order it meets the heads", arguments: 1...200)
    func symmetric(seed: UInt64) {
        var random = Numbers(seed)
        let heads = (0..<2 + random.below(3)).map { number in
            Self.head(
                Self.id(10 + UInt64(number)), random.below(5) == 0 ? nil : UInt64(random.below(3)),
                Self.path("\(random.below(3))"))
        }
        let origin = random.below(3) == 0 ? nil : Self.head(Self.base, UInt64(random.below(3)), Self.path("0"))

        let expected = Self.decide(base: heads[0].id, .same, heads, origin: origin)

        for base in heads.map({ Optional($0.id) }) {
            let view = Self.decide(base: base, .same, heads.shuffled(using: &random), origin: origin)
            guard heads.contains(where: { $0.content != nil }) else { continue }
            #expect(view == expected, "seed \(seed)")
        }
        let parents = heads.map(\.id)
        switch expected {
        case .join(let content, let path, let joined):
            // Then every device takes the joined version, and is done.
            let one = Self.head(Self.id(99), heads.first { $0.id == content }?.content, path)
            #expect(joined == parents, "seed \(seed)")
            #expect(Self.decide(base: one.id, .same, [one]) == .settled)
            for old in parents { #expect(Self.decide(base: old, .same, [one]) == .take(one.id)) }
        case .conflict(let asked):
            #expect(asked == parents, "seed \(seed)")
            let contents = Set(heads.map(\.content))
            #expect(contents.count > 1, "seed \(seed): a conflict between equals")
        default: #expect(heads.allSatisfy { $0.content == nil }, "seed \(seed): \(expected)")
        }
    }

    // MARK: The clocks of the seed

    /// The four cases of the seed's rule (a conflict where `cloud.lastEditedAt > local.lastSyncedAt` and `needsSync`),
    /// as states.
    struct SeedCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Whether the cloud's version is the one that this device last had in common with it.
        let cloudIsBase: Bool
        let cloudIsDeleted: Bool
        let seedRule: String
        let isConflict: Bool
    }

    @Test(
        "The seed's cases: where its clocks upload over another's text, here a person is asked",
        arguments: [
            SeedCase(
                testDescription: "cloud edited 10:00, synced here 09:00, edited here", cloudIsBase: false,
                cloudIsDeleted: false, seedRule: "conflict", isConflict: true),
            SeedCase(
                testDescription: "cloud edited 10:00, synced here 10:00, edited here", cloudIsBase: true,
                cloudIsDeleted: false, seedRule: "upload", isConflict: false),
            // The seed loses it: the other edited offline at 10:00 and uploaded at 12:00; this device never saw that,
            // and writes over it.
            SeedCase(
                testDescription: "cloud edited 10:00 offline and uploaded 12:00, synced here 11:00, edited here",
                cloudIsBase: false, cloudIsDeleted: false, seedRule: "upload", isConflict: true),
            // The seed knows no deletion: it uploads, and what another device deleted is back without a word.
            SeedCase(
                testDescription: "gone from the cloud, edited here", cloudIsBase: false, cloudIsDeleted: true,
                seedRule: "upload", isConflict: true),
        ])
    func seedCases(example: SeedCase) {
        let cloud = example.cloudIsBase ? Self.origin : Self.head(Self.there, example.cloudIsDeleted ? nil : 20)
        let edited = SyncView.Local.changed(content: 30, path: Self.name)

        // Stored first, as the child of what it was written on.
        #expect(Self.decide(base: Self.base, edited, [cloud]) == .store)
        let own = Self.head(Self.c, 30)
        let heads = example.cloudIsBase ? [own] : [cloud, own]
        let decision = Self.decide(base: Self.c, .same, heads, origin: Self.origin)

        #expect(decision == (example.isConflict ? .conflict([Self.there, Self.c]) : .settled))
    }
}

/// Small numbers out of a seed.
struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    // SplitMix64, as `SeededGenerator`; here so that the optimizer sees it.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func isOne(in number: Int) -> Bool { below(number) == 0 }
}
