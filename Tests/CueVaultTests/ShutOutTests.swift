import CueBase
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

/// Devices that are shut out (docs/format.md §12).
@Suite("Devices that are shut out")
struct ShutOutTests {
    private let vault = TestVault()
    private typealias T = TestVault

    private func names(_ history: History) -> Set<String> {
        Set(history.state().live.map { Display.text($0.shown.header.path) })
    }

    private func shutOut(_ device: T.Device, after last: LogPosition?) -> Note.Content {
        .shutOut(ShutOut(device.id, after: last, batch: nil))
    }

    @Test("What a device writes after the named commit counts for nothing, and what it wrote before stays")
    func after() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&two, [T.draft("letters")])
        let late = try vault.commit(
            &two,
            [
                T.draft("junk"),
                T.draft("letters", project: T.version(first), parents: [T.version(first)], .tombstone),
            ])
        try vault.commit(&one, [T.draft("novel")], notes: [shutOut(two, after: first)])

        let history = try History.load(vault.vault)

        #expect(names(history) == ["novel", "letters"])
        #expect(history.setAside == [late])
        #expect(history.damaged.isEmpty && history.missing.isEmpty && history.contradictions.isEmpty)
        #expect(try FullHistory.load(vault.vault).snapshots.count == 2)
    }

    @Test("What somebody has gone on with stays, also as the base of a difference")
    func goneOnWith() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&two, [T.draft("novel"), T.draft("junk")])
        let next = T.draft(
            "novel", project: T.version(first), parents: [T.version(first)],
            .delta(removed: [], put: [T.member("chapter")]))
        try vault.commit(&one, [next], notes: [shutOut(two, after: nil)])

        let history = try History.load(vault.vault)

        #expect(names(history) == ["novel"])
        let head = try #require(history.state().live.first?.shown)
        #expect(try history.members(of: head.id).count == 2)
    }

    @Test("A device that was shut out cannot take back that it was, nor shut out anybody")
    func revenge() throws {
        var (one, two, three) = (T.Device(1), T.Device(2), T.Device(3))
        let stolen = try vault.commit(&two, [T.draft("letters")])
        try vault.commit(&one, [T.draft("novel")])
        let kept = one.last
        try vault.commit(&one, notes: [shutOut(two, after: stolen)])
        try vault.commit(&three, [T.draft("songs")])
        // It shuts out others, and not the one that shut it out.
        try vault.commit(&two, notes: [shutOut(three, after: nil), shutOut(one, after: one.last)])
        #expect(names(try History.load(vault.vault)) == ["letters", "novel", "songs"])

        // It reaches behind the record that shut it out: both count.
        try vault.commit(&two, notes: [shutOut(one, after: kept)])
        let both = try History.load(vault.vault)
        #expect(Set(both.shutOuts.map(\.shutOut.device)) == [one.id, two.id])

        // A device that it does not shut out ends it, such as a new one: what that says is in no circle.
        var four = T.Device(4)
        try vault.commit(&four, notes: [shutOut(two, after: stolen)])
        let ended = try History.load(vault.vault)
        #expect(Set(ended.shutOuts.map(\.shutOut.device)) == [two.id])
        #expect(names(ended) == ["letters", "novel", "songs"])
    }

    @Test("Whoever counts is the same in whatever order the commits are read, as by the rule itself", arguments: 1...60)
    func orders(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = random.int(2...5)
        let chains = (0..<count).map { device in
            (1...4).map {
                LogPosition(
                    device: .test(UInt64(device)), generation: UInt64($0), commit: CommitID(UInt64(device * 10 + $0)))
            }
        }
        var notes: [Note] = []
        for position in chains.joined() where random.chance(40) {
            let target = chains[random.int(0...count - 1)]
            let last = random.chance(20) ? nil : target[random.int(0...3)]
            notes.append(
                Note(
                    position: position, number: 0,
                    content: .shutOut(ShutOut(target[0].device, after: last, batch: nil))))
        }
        let commits = chains.flatMap { chain in
            chain.indices.map { (position: chain[$0], previous: $0 == 0 ? nil : chain[$0 - 1]) }
        }

        let found = ShutOuts(notes, among: commits)
        let shuffled = ShutOuts(notes.shuffled(using: &random), among: commits.shuffled(using: &random))

        #expect(found.counting.map(\.holder) == shuffled.counting.map(\.holder))
        #expect(Set(found.counting.map(\.holder)) == Self.byTheRule(notes))
    }

    /// The records that count, by reachability alone: one is undone by one that counts and that it does not reach.
    private static func byTheRule(_ notes: [Note]) -> Set<LogPosition> {
        let records = notes.compactMap { note -> (holder: LogPosition, what: ShutOut)? in
            if case .shutOut(let what) = note.content { (note.position, what) } else { nil }
        }
        func kills(_ one: Int, _ other: Int) -> Bool {
            let (what, holder) = (records[one].what, records[other].holder)
            return what.device == holder.device && holder.generation > what.generation
        }
        var reaches = records.indices.map { one in records.indices.map { kills(one, $0) } }
        for middle in records.indices {
            for one in records.indices where reaches[one][middle] {
                for other in records.indices where reaches[middle][other] { reaches[one][other] = true }
            }
        }
        var counts: [Int: Bool] = [:]
        for _ in records.indices {
            for one in records.indices where counts[one] == nil {
                let against = records.indices.filter { kills($0, one) && !reaches[one][$0] }
                guard against.allSatisfy({ counts[$0] != nil }) else { continue }
                counts[one] = !against.contains { counts[$0] ?? false }
            }
        }
        return Set(records.indices.filter { counts[$0] ?? false }.map { records[$0].holder })
    }

    @Test("Junk of one device does not keep the word of another from counting")
    func flood() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&two, [T.draft("letters")])
        let junk = (0..<2_000).map { number in
            Note.Content.shutOut(ShutOut(DeviceID(high: 0, low: number), after: nil, batch: nil))
        }
        try vault.commit(&two, [T.draft("junk")], notes: junk)
        try vault.commit(&one, notes: [shutOut(two, after: first)])

        #expect(names(try History.load(vault.vault)) == ["letters"])
    }

    @Test("A commit that is set aside takes nothing from the one whose id it bears")
    func twin() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        try vault.commit(&two)
        let first = try vault.commit(&one, [T.draft("novel")])
        try vault.commit(&one, notes: [shutOut(two, after: nil)])
        let forged = LogPosition(device: two.id, generation: 2, commit: first.commit)
        var draft = CommitDraft(
            CommitRecord(
                previous: CommitID(1), time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false, seen: []))
        draft.versions = [T.draft("forged")]
        try vault.vault.append(draft, at: forged)

        let history = try History.load(vault.vault)

        #expect(names(history) == ["novel"] && history.damaged.isEmpty)
    }

    @Test("A commit that is set aside, and passed over for the one whose id it bears, is not missing")
    func twinNamed() throws {
        var (one, two, three) = (T.Device(1), T.Device(2), T.Device(3))
        try vault.commit(&two)
        let first = try vault.commit(&one, [T.draft("novel")])
        let forged = LogPosition(device: two.id, generation: 2, commit: first.commit)
        try vault.vault.append(
            CommitDraft(
                CommitRecord(
                    previous: CommitID(1), time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false,
                    seen: [])), at: forged)
        try vault.commit(&three, [T.draft("songs")], seen: [forged])
        try vault.commit(&one, notes: [shutOut(two, after: nil)])

        let history = try History.load(vault.vault)

        #expect(names(history) == ["novel", "songs"] && history.missing.isEmpty && history.damaged.isEmpty)
    }

    @Test("A checkpoint does not hide that a device was shut out since, and keeps who was before")
    func checkpoints() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&two, [T.draft("letters")])
        one.known = [first]
        try vault.commit(&one, [T.draft("novel")])
        try vault.commit(&two, [T.draft("junk")])
        try Checkpoint.write(try History.load(vault.vault), to: vault.vault, by: TestKeys.key(1))
        #expect(names(try History.loadLatest(vault.vault)) == ["letters", "novel", "junk"])

        try vault.commit(&one, notes: [shutOut(two, after: first)])
        let late = try History.loadLatest(vault.vault)
        #expect(names(late) == ["letters", "novel"] && !late.isSummary)
        let old = try #require(try Checkpoint.entries(in: vault.vault).first)
        let claims = try CheckpointClaims(
            try Checkpoint.read(old.name, of: vault.vault), old.name, count: old.covered)
        #expect(claims.verdict(try History.load(vault.vault)) == .unknown)

        let new = try #require(
            try Checkpoint.write(try History.load(vault.vault), to: vault.vault, by: TestKeys.key(1)))
        try vault.commit(&two, [T.draft("more junk")])
        let latest = try History.loadLatest(vault.vault)
        #expect(latest.isSummary && names(latest) == ["letters", "novel"])
        let whole = try CheckpointClaims(try Checkpoint.read(new, of: vault.vault), new, count: 4)
        #expect(whole.verdict(try History.load(vault.vault)) == .same)
    }

    @Test("While the named commit is late, what came before it stays")
    func late() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        try vault.commit(&two, [T.draft("letters")])
        let named = try vault.commit(&two, [T.draft("songs")])
        try vault.commit(&two, [T.draft("junk")])
        try vault.commit(&one, notes: [shutOut(two, after: named)])
        let bytes = vault.store.bytes(of: ObjectRecordLog.name(of: named).text)
        vault.store.set(ObjectRecordLog.name(of: named).text, to: nil)

        #expect(names(try History.load(vault.vault)) == ["letters"])
        vault.store.set(ObjectRecordLog.name(of: named).text, to: bytes)
        #expect(names(try History.load(vault.vault)) == ["letters", "songs"])
    }
}
