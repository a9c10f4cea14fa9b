import CueBase
import CueStorage
import CueTestSupport
import CueVault
import Testing

@Suite("History")
struct HistoryTests {
    private let vault = TestVault()
    private typealias T = TestVault

    private func history() throws -> History { try History.load(vault.vault) }
    private func past() throws -> FullHistory { try FullHistory.load(vault.vault) }

    // MARK: Heads

    @Test("The newest version of a project is its one head")
    func heads() throws {
        var device = T.Device(1)
        let first = T.version(try vault.commit(&device, [T.draft("novel")]))
        let second = T.version(try vault.commit(&device, [T.draft("novel, renamed", project: first, parents: [first])]))

        let state = try history().state()

        let project = try #require(state.projects[first])
        #expect(project.heads.map(\.id) == [second])
        #expect(!project.isConflict && !project.isDeleted)
        #expect(state.live.map(\.shown.header.path) == [T.path("novel, renamed")])
    }

    @Test("A deleted project is not live, and is still known")
    func tombstones() throws {
        var device = T.Device(1)
        let first = T.version(try vault.commit(&device, [T.draft("novel"), T.draft("letters")]))
        try vault.commit(&device, [T.draft("novel", project: first, parents: [first], .tombstone)])

        let history = try history()

        #expect(history.state().live.map(\.shown.header.path) == [T.path("letters")])
        #expect(history.state().projects[first]?.isDeleted == true)
        #expect(history.everything.live.count == 2)
        #expect(try history.members(of: first) == [T.member("")])
    }

    @Test("Heads that say the same are one, the same one for everybody, and none of them is forgotten")
    func equalHeads() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let base = T.version(try vault.commit(&one, [T.draft("novel")]))
        two.known = one.known
        let heads = [
            T.version(try vault.commit(&one, [T.draft("novel", project: base, parents: [base])], time: 5)),
            T.version(try vault.commit(&two, [T.draft("novel", project: base, parents: [base])], time: 6)),
        ]

        let project = try #require(try history().state().projects[base])

        #expect(!project.isConflict)
        #expect(project.shown.id == heads.max())
        #expect(project.headIDs == Set(heads))
    }

    @Test("Two edits that did not know of each other are a conflict, and the newest is shown")
    func conflicts() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let base = T.version(try vault.commit(&one, [T.draft("novel")]))
        two.known = one.known
        let older = T.version(try vault.commit(&one, [T.draft("novel", project: base, parents: [base])], time: 5))
        let other = T.draft("novel", project: base, parents: [base], .full([T.member(""), T.member("notes")]))
        let newer = T.version(try vault.commit(&two, [other], time: 6))

        let project = try #require(try history().state().projects[base])
        #expect(project.isConflict)
        #expect(project.heads.map(\.id) == [newer, older])

        one.known.formUnion(two.known)
        let merge = T.version(
            try vault.commit(&one, [T.draft("novel", project: base, parents: [older, newer])], time: 1))
        #expect(try history().state().projects[base]?.heads.map(\.id) == [merge])
    }

    @Test("An edit against a deletion is a conflict that shows the edit, however old")
    func editAgainstDeletion() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let base = T.version(try vault.commit(&one, [T.draft("novel")]))
        two.known = one.known
        let edit = T.version(try vault.commit(&one, [T.draft("novel", project: base, parents: [base])], time: 5))
        try vault.commit(&two, [T.draft("novel", project: base, parents: [base], .tombstone)], time: 9)

        let project = try #require(try history().state().projects[base])

        #expect(project.isConflict && !project.isDeleted)
        #expect(project.shown.id == edit)
    }

    @Test("Two deletions say the same, whatever the document was called when it was deleted")
    func deletedTwice() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let base = T.version(try vault.commit(&one, [T.draft("novel", .full([T.member("")]))]))
        try vault.commit(&one, [T.draft("novel", project: base, parents: [base], .tombstone)])
        try vault.commit(&two, [T.draft("other name", project: base, parents: [base], .tombstone)])

        let project = try #require(try history().state().projects[base])
        #expect(project.heads.count == 1 && project.headIDs.count == 2 && project.isDeleted)
    }

    // MARK: Deltas

    @Test("A chain of differences gives the members that stand at its end")
    func deltas() throws {
        var device = T.Device(1)
        let members = ["", "a", "b"].map { T.member($0) }
        let first = T.version(try vault.commit(&device, [T.draft("novel", .full(members))]))
        let file = T.member("c", .file(size: 0, chunks: []))
        let second = T.version(
            try vault.commit(
                &device,
                [T.draft("novel", project: first, parents: [first], .delta(removed: [T.path("a")], put: [file]))]))
        let link = T.member("c", .symlink(target: [1]))
        let third = T.version(
            try vault.commit(
                &device, [T.draft("novel", project: first, parents: [second], .delta(removed: [], put: [link]))]))

        let history = try history()

        #expect(try history.members(of: first) == members)
        #expect(try history.members(of: second) == [T.member(""), T.member("b"), file])
        #expect(try history.members(of: third) == [T.member(""), T.member("b"), link])
    }

    @Test("A hundred differences lead to a whole list, and one more leads nowhere (docs/format.md §10)")
    func mostDeltas() throws {
        var device = T.Device(1)
        let first = T.version(try vault.commit(&device, [T.draft("novel", .full([T.member("")]))]))
        var last = first
        for number in 1...101 {
            let put = [T.member("m\(number)", .file(size: 0, chunks: []))]
            let draft = T.draft("novel", project: first, parents: [last], .delta(removed: [], put: put))
            last = T.version(try vault.commit(&device, [draft]))
            let members = try? history().members(of: last)
            #expect(members?.count == (number <= 100 ? number + 1 : nil), "\(number)")
        }
    }

    static let brokenDeltas: [(String, VersionDraft.Body)] = [
        ("removes what is not there", .delta(removed: [TestVault.path("x")], put: [])),
        ("removes one path twice", .delta(removed: [TestVault.path("a"), TestVault.path("a")], put: [])),
        ("removes a folder and leaves what it held", .delta(removed: [TestVault.path("a")], put: [])),
        (
            "removes the bundle",
            .delta(removed: [TestVault.path(""), TestVault.path("a"), TestVault.path("a/b")], put: [])
        ),
        (
            "makes a file of a folder with something in it",
            .delta(removed: [], put: [TestVault.member("a", .file(size: 0, chunks: []))])
        ),
        (
            "puts something below a file",
            .delta(removed: [], put: [TestVault.member("a/b/c", .file(size: 0, chunks: []))])
        ),
    ]

    @Test(
        "A difference that does not fit its base refuses the version, and no other", arguments: 0..<brokenDeltas.count)
    func brokenDelta(_ number: Int) throws {
        let (name, body) = Self.brokenDeltas[number]
        var device = T.Device(1)
        let members = [T.member(""), T.member("a"), T.member("a/b", .file(size: 0, chunks: []))]
        let first = T.version(try vault.commit(&device, [T.draft("novel", .full(members)), T.draft("letters")]))
        let second = T.version(try vault.commit(&device, [T.draft("novel", project: first, parents: [first], body)]))

        let history = try history()

        #expect(throws: VaultError.self, "\(name)") { try history.members(of: second) }
        #expect(try history.members(of: first) == members)
    }

    @Test("A difference against a deletion, or against a single file, does not make a bundle")
    func baseWithoutFolder() throws {
        var device = T.Device(1)
        let file = T.member("", .file(size: 0, chunks: []))
        let first = try vault.commit(
            &device, [T.draft("novel"), T.draft("letter", kind: .file, .full([file]))])
        let (novel, letter) = (T.version(first), T.version(first, 1))
        let gone = T.version(
            try vault.commit(&device, [T.draft("novel", project: novel, parents: [novel], .tombstone)]))
        let wrong = try vault.commit(
            &device,
            [
                T.draft("novel", project: novel, parents: [gone], .delta(removed: [], put: [])),
                T.draft("novel", project: novel, parents: [gone], .delta(removed: [], put: [file])),
                T.draft("letter", project: letter, parents: [letter], .delta(removed: [], put: [])),
            ])

        let history = try history()

        for number in 0...2 as ClosedRange<UInt32> {
            #expect(throws: VaultError.self) { try history.members(of: T.version(wrong, number)) }
        }
        #expect(try history.members(of: gone).isEmpty)
    }

    @Test("A difference whose base is refused is refused too, though it mends what is wrong")
    func wrongBetween() throws {
        var device = T.Device(1)
        let members = [T.member(""), T.member("a"), T.member("a/b", .file(size: 0, chunks: []))]
        let first = T.version(try vault.commit(&device, [T.draft("novel", .full(members))]))
        let removed = VersionDraft.Body.delta(removed: [T.path("a")], put: [])
        let second = T.version(try vault.commit(&device, [T.draft("novel", project: first, parents: [first], removed)]))
        let back = VersionDraft.Body.delta(removed: [], put: [T.member("a")])
        let third = T.version(try vault.commit(&device, [T.draft("novel", project: first, parents: [second], back)]))

        for asked in [[second, third], [third, second]] {
            let history = try history()
            for version in asked { #expect(throws: VaultError.self) { try history.members(of: version) } }
        }
    }

    @Test("A difference against a version of another project, or that is not there, or against itself, is refused")
    func strangeParents() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel"), T.draft("letters")])
        let delta = VersionDraft.Body.delta(removed: [], put: [])
        let (novel, letters) = (T.version(first), T.version(first, 1))
        let nowhere = VersionID(commit: CommitID(1), number: 0)
        let strange = try vault.commit(
            &device,
            [
                T.draft("novel", project: novel, parents: [letters], delta),
                T.draft("novel", project: novel, parents: [nowhere], delta),
            ])

        let history = try history()

        for number in 0...1 as ClosedRange<UInt32> {
            #expect(throws: VaultError.self) { try history.members(of: T.version(strange, number)) }
        }
        #expect(throws: VaultError.self) { try history.members(of: nowhere) }
    }

    @Test("Two versions that are differences of each other end in an error")
    func circles() throws {
        // A commit's id is chosen by its writer, so a hostile one can name a version that comes later.
        let device = DeviceID.test(1)
        let (a, b) = (VersionID(commit: CommitID(1), number: 0), VersionID(commit: CommitID(1), number: 1))
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 0), isSnapshot: true, isPartial: false, seen: []))
        draft.versions = [
            T.draft("x", project: a, parents: [b], .delta(removed: [], put: [])),
            T.draft("x", project: a, parents: [a], .delta(removed: [], put: [])),
        ]
        _ = try vault.vault.append(draft, at: LogPosition(device: device, generation: 1, commit: CommitID(1)))

        let history = try history()

        for id in [a, b] { #expect(throws: VaultError.self) { try history.members(of: id) } }
        // None of them is a parent that counts: the document is there, and cannot be read.
        #expect(history.state().live.map(\.headIDs) == [[a, b]])
    }

    // MARK: Snapshots

    @Test("A snapshot holds what its device knew, and nothing that others did meanwhile")
    func snapshots() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let base = T.version(try vault.commit(&one, [T.draft("novel")]))
        two.known = one.known
        let edit = T.version(try vault.commit(&two, [T.draft("novel", project: base, parents: [base])]))
        let unseen = try vault.commit(&one, [T.draft("letters")])
        one.known.formUnion(two.known)
        let synced = try vault.commit(&one, [T.draft("diary")])

        let history = try past()

        #expect(history.state(at: unseen).projects[base]?.heads.map(\.id) == [base])
        #expect(history.state(at: unseen).live.map(\.shown.header.path) == [T.path("letters"), T.path("novel")])
        #expect(history.state(at: synced).projects[base]?.heads.map(\.id) == [edit])
        #expect(history.state(at: synced).live.count == 3)
    }

    @Test("A snapshot holds what others had seen, though its device named only the newest of them")
    func seenOfSeen() throws {
        var (one, two, three) = (T.Device(1), T.Device(2), T.Device(3))
        try vault.commit(&one, [T.draft("from one")])
        let second = try vault.commit(&two, [T.draft("from two")], seen: one.known.sorted())
        let third = try vault.commit(&three, [T.draft("from three")], seen: [second])

        #expect(try past().state(at: third).live.count == 3)
    }

    @Test("Only commits that complete a snapshot are snapshots, the oldest first")
    func snapshotOrder() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&one, time: 10)
        try vault.commit(&one, time: 20, isSnapshot: false)
        let second = try vault.commit(&two, time: 15)
        // A clock that was set back does not change the order of one device.
        let third = try vault.commit(&one, time: 30)

        #expect(try past().snapshots.map(\.position) == [first, second, third])
    }

    @Test("A snapshot comes after all that it had seen, whatever the clocks say, also where commits name each other")
    func snapshotAncestry() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let ahead = try vault.commit(&one, time: 1_000)
        let after = try vault.commit(&two, time: 10, seen: [ahead])
        let last = try vault.commit(&two, time: 20)
        #expect(try past().snapshots.map(\.position) == [ahead, after, last])

        try vault.commit(&one, time: 5, seen: [LogPosition(device: two.id, generation: 4, commit: CommitID(4))])
        two.last = LogPosition(device: two.id, generation: 3, commit: CommitID(3))
        try vault.commit(&two, time: 6, seen: [try #require(one.last)])
        #expect(try past().snapshots.count == 5)
    }

    @Test("The snapshot to name holds what a device stored, and of those it is the one that has seen the most")
    func snapshotToName() throws {
        var (one, two, three) = (T.Device(1), T.Device(2), T.Device(3))
        let first = try vault.commit(&one, time: 1_000)
        let second = try vault.commit(&two, time: 10, seen: [first])
        #expect(try history().snapshot(after: first, in: vault.vault) == second.commit)
        #expect(try history().snapshot(after: nil, in: vault.vault) == second.commit)

        // Neither has seen the other.
        let alone = try vault.commit(&one, time: 2_000, seen: [])
        let other = try vault.commit(&three, time: 3_000, seen: [second])

        #expect(try history().snapshot(after: alone, in: vault.vault) == alone.commit)
        #expect(try history().snapshot(after: second, in: vault.vault) == other.commit)
    }

    @Test("A history that follows the log says what one that is read anew says, and refuses where that may be less")
    func follow() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let novel = T.version(
            try vault.commit(&one, [T.draft("novel", .full([T.member(""), T.member("1"), T.member("2")]))]))
        var past = try past()
        #expect(try past.follow(try vault.vault.log.all(), of: vault.vault))
        let edit = T.version(
            try vault.commit(
                &one,
                [T.draft("novel", project: novel, parents: [novel], .delta(removed: [T.path("1")], put: []))]))
        let other = try vault.commit(&two, [T.draft("letters")])

        #expect(try past.follow(try vault.vault.log.all(), of: vault.vault))

        let anew = try self.past()
        #expect(past.state(at: nil).projects.mapValues(\.headIDs) == anew.state(at: nil).projects.mapValues(\.headIDs))
        #expect(try past.history.members(of: edit) == anew.history.members(of: edit))
        #expect(past.snapshots.map(\.position) == anew.snapshots.map(\.position))
        #expect(past.ancestry(of: edit) == [novel, edit] && past.commits.count == 3)

        // A commit that is gone, and one that names another that is not there.
        let (log, whole) = (try vault.vault.log.all(), past)
        #expect(try !past.follow(log.filter { $0.position != other }, of: vault.vault))
        past = whole
        let unknown = LogPosition(device: DeviceID.test(9), generation: 1, commit: CommitID(9))
        try vault.commit(&two, seen: [unknown])
        #expect(try !past.follow(try vault.vault.log.all(), of: vault.vault))
    }

    // MARK: Forks, gaps, damage

    @Test("Two commits of one device and generation are both read")
    func forks() throws {
        var device = T.Device(1)
        try vault.commit(&device, [T.draft("novel")])
        var clone = device
        let one = T.version(try vault.commit(&device, [T.draft("one")]))
        let two = T.version(try vault.commit(&clone, [T.draft("two")]))

        let history = try history()

        #expect(one != two)
        #expect(history.commits.count == 3)
        #expect(history.state().live.count == 3)
        #expect(history.missing.isEmpty)
        #expect(
            try past().state(at: clone.last).live.map(\.shown.header.path) == [
                T.path("novel"), T.path("two"),
            ])
    }

    @Test("A commit before another, or that another has seen, and that is not there, is reported")
    func missing() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&one, [T.draft("novel")])
        let second = try vault.commit(&one, [T.draft("letters")])
        let third = try vault.commit(&one, [T.draft("diary")])
        try vault.commit(&two, seen: [third])
        vault.store.set(ObjectRecordLog.name(of: second).text, to: nil)
        #expect(try history().missing == [second])

        vault.store.set(ObjectRecordLog.name(of: third).text, to: nil)

        let history = try history()
        #expect(history.missing == [third])
        #expect(history.state().live.map(\.shown.header.path) == [T.path("novel")])
        #expect(history.commits[first] != nil)
    }

    @Test("A damaged commit is noted, and the others are read all the same")
    func damaged() throws {
        var device = T.Device(1)
        try vault.commit(&device, [T.draft("novel")])
        let second = try vault.commit(&device, [T.draft("letters")])
        let third = try vault.commit(&device, [T.draft("diary")])
        let name = ObjectRecordLog.name(of: second).text
        let whole = try #require(vault.store.bytes(of: name))

        for broken in [[], Array(whole.dropLast()), whole + [0], Array(whole.reversed())] {
            vault.store.set(name, to: broken)
            let history = try history()
            #expect(history.damaged.count == 1)
            #expect(history.state().live.map(\.shown.header.path) == [T.path("diary"), T.path("novel")])
            #expect(history.commits[third] != nil)
        }
    }

    @Test("A commit that stands under another name does not open there")
    func moved() throws {
        var device = T.Device(1)
        let first = try vault.commit(&device, [T.draft("novel")])
        let bytes = vault.store.bytes(of: ObjectRecordLog.name(of: first).text)
        for other in [
            LogPosition(device: device.id, generation: 2, commit: first.commit),
            LogPosition(device: device.id, generation: 1, commit: CommitID(5)),
            LogPosition(device: DeviceID.test(9), generation: 1, commit: first.commit),
        ] { vault.store.set(ObjectRecordLog.name(of: other).text, to: bytes) }

        let history = try history()

        #expect(history.commits.count == 1)
        #expect(history.damaged.count == 3)
    }

    @Test("A device is called what its newest commit calls it, and nobody else names it")
    func deviceNames() throws {
        var device = T.Device(1)
        try vault.commit(&device)
        let other = DeviceRecord(id: DeviceID.test(9), name: "not mine", made: Timestamp(milliseconds: 0))
        let renamed = DeviceRecord(id: device.id, name: "desk", made: Timestamp(milliseconds: 0))
        var draft = CommitDraft(
            CommitRecord(
                previous: try #require(device.last).commit, time: Timestamp(milliseconds: 0), isSnapshot: true,
                isPartial: false, seen: []))
        draft.devices = [renamed, other]
        _ = try vault.vault.append(draft, at: LogPosition(device: device.id, generation: 2, commit: CommitID(2)))

        let history = try history()

        #expect(history.name(of: device.id) == "desk")
        #expect(history.devices[other.id] == nil)
    }
}
