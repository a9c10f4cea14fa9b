import CueBase
import CueStorage
import CueTestSupport
import CueVault
import Foundation
import GRDB
import Testing

@testable import CueLibrary

@Suite("LocalStore")
struct LocalStoreTests {
    private static func position(_ number: UInt64) -> LogPosition {
        LogPosition(device: DeviceID(high: number, low: number), generation: number, commit: CommitID(number))
    }

    private static func version(_ number: UInt32) -> VersionID { VersionID(commit: CommitID(7), number: number) }

    private static let member = MemberEntry(
        stat: .none,
        member: Member(
            path: .root, mode: 0o755, modified: FileTime(seconds: 1, nanoseconds: 2), attributes: [], content: .folder))

    /// A store with something in every table, and every fact that a backup leaves.
    private static func filled(in folder: TemporaryFolder) throws -> LocalStore {
        let store = try LocalStore(in: folder.bytes)
        try store.write { transaction in
            try transaction.set(.commit, to: CommitID(12))
            try transaction.set(.deviceName, to: "the desk")
            try transaction.set(.path, to: "the path")
            for key in FactKey.allCases.map(\.rawValue) {
                try transaction.database.execute(
                    sql: "INSERT OR IGNORE INTO meta VALUES (?, ?)", arguments: [key, "the \(key)"])
            }
            let entry = ScanEntry(
                name: Array("a.md".utf8), kind: .file, stat: .none, project: version(0), base: version(1),
                fingerprint: 1, content: nil, depth: 0)
            try transaction.setFolder(nil, [entry])
            try transaction.setFolder(.root, [entry])
            try transaction.setMembers([member], of: version(0))
            try transaction.addSeen(
                [CommitMark(position(1), nil), CommitMark(position(2), nil)], at: Timestamp(milliseconds: 7))
            try transaction.addChunks([ChunkID(a: 1, b: 2, c: 3, d: 4)])
            try transaction.setUnlinked([
                .root: UnlinkedProject(
                    project: version(0), version: version(1), kind: .file, fingerprint: 1, content: 2)
            ])
        }
        return store
    }

    @Test("A store that forgets its vault forgets every fact but those of the folder and of this device's name")
    func forgetsFacts() throws {
        let folder = TemporaryFolder()
        let store = try Self.filled(in: folder)

        try store.write { try $0.forgetVault() }

        let left = try store.read { try String.fetchSet($0.database, sql: "SELECT key FROM meta") }
        #expect(left == ["path", "place", "vault", "writer", "allowed notify command", "placed", "device name"])
    }

    @Test("A store that forgets its vault forgets all that it knew of it, and not where the library is")
    func forgetsContent() throws {
        let folder = TemporaryFolder()
        let store = try Self.filled(in: folder)

        try store.write { try $0.forgetVault() }

        try store.read { transaction throws in
            #expect(try transaction.folders().isEmpty && transaction.projects().isEmpty)
            #expect(try transaction.members(of: Self.version(0)) == nil)
            #expect(
                try transaction.seen().isEmpty && transaction.knownChunks().count == 0 && transaction.unlinked().isEmpty
            )
            #expect(try transaction.value(.path) == "the path" && transaction.value(.deviceName) == "the desk")
        }
    }

    @Test("What one process wrote is there for the next")
    func reopened() throws {
        let folder = TemporaryFolder()
        _ = try Self.filled(in: folder)

        let store = try LocalStore(in: folder.bytes)

        try store.read { transaction throws in
            #expect(try transaction.value(.commit) == CommitID(12))
            #expect(try transaction.entries(of: nil).map(\.name) == [Array("a.md".utf8)])
            #expect(try transaction.entries(of: .root).first?.base == Self.version(1))
            #expect(try transaction.members(of: Self.version(0))?.map(\.member.mode) == [0o755])
            #expect(try transaction.seen() == [Self.position(1), Self.position(2)])
            #expect(try transaction.knownChunks().contains(ChunkID(a: 1, b: 2, c: 3, d: 4)))
            #expect(try transaction.unlinked()[.root]?.content == 2)
        }
    }

    @Test("Every table keeps a position in the same columns, whatever its numbers")
    func positions() throws {
        let folder = TemporaryFolder()
        let store = try LocalStore(in: folder.bytes)
        let position = LogPosition(
            device: DeviceID(high: .max, low: 2), generation: .max - 1, commit: CommitID(0x0102_0304_0506_0708))

        try store.write { transaction throws in
            try transaction.addSeen(
                [CommitMark(position, CommitDigest(a: 1, b: 2, c: 3, d: .max))], at: Timestamp(milliseconds: 7))
            try transaction.setSizes([LogEntry(position: position, size: 5)])
            _ = try transaction.addEventObject(position, size: 6)
            try transaction.addReplaced(position, isTold: true)
        }

        try store.read { transaction throws in
            #expect(try transaction.seen() == [position] && transaction.seenSizes() == [position: 5])
            #expect(try transaction.tips() == [CommitMark(position, CommitDigest(a: 1, b: 2, c: 3, d: .max))])
            #expect(try transaction.timesSeen() == [position.commit: Timestamp(milliseconds: 7)])
            #expect(try transaction.eventObjects()[position]?.size == 6)
            #expect(try transaction.replacedBatches(isTold: true) == [position])
            for (table, id) in [("seen", "commit_id"), ("event_object", "batch"), ("event_replaced", "batch")] {
                let sql = "SELECT hex(device) || ' ' || generation || ' ' || hex(\(id)) FROM \(table)"
                let text = try String.fetchOne(transaction.database, sql: sql)
                #expect(text == "FFFFFFFFFFFFFFFF0000000000000002 -2 0102030405060708", "\(table)")
            }
        }
    }

    @Test("What throws in a transaction leaves nothing of it")
    func rolledBack() throws {
        struct Stop: Error {}
        let folder = TemporaryFolder()
        let store = try Self.filled(in: folder)

        #expect(throws: Stop.self) {
            try store.write { transaction in
                try transaction.forgetVault()
                throw Stop()
            }
        }

        let seen = try store.read { try $0.seen() }
        #expect(seen.count == 2)
    }

    @Test("Every chunk id that was ever added is found, also after small rows became large ones, and no other")
    func chunks() throws {
        let folder = TemporaryFolder()
        let store = try LocalStore(in: folder.bytes)
        var generator = CueTestSupport.SeededGenerator(seed: 11)
        var added: Set<ChunkID> = []
        for round in 1...200 {
            // Now and then more than a row holds.
            let ids = (0..<(round == 90 ? 40_000 : Int.random(in: 1...round * 3, using: &generator))).map { _ in
                ChunkID(a: generator.next(), b: generator.next(), c: generator.next(), d: generator.next())
            }
            try store.write { try $0.addChunks(ids) }
            added.formUnion(ids)
        }

        let known = try store.read { try $0.knownChunks() }

        #expect(known.count == added.count)
        #expect(added.allSatisfy(known.contains))
        #expect(!added.contains { known.contains(ChunkID(a: $0.a, b: $0.b, c: $0.c, d: $0.d &+ 1)) })
    }

    @Test("A set of chunk ids that crowd in one part, or come twice, is kept all the same")
    func crowdedChunks() {
        var known = KnownChunks()
        for number in 0..<5_000 as Range<UInt64> { known.insert(ChunkID(a: .max - number % 3, b: number, c: 0, d: 1)) }

        #expect(known.count == 5_000)
        let isNew = known.insert(ChunkID(a: .max - 1, b: 1, c: 0, d: 1))
        #expect(!isNew)
        #expect(
            (0..<5_000 as Range<UInt64>).allSatisfy { known.contains(ChunkID(a: .max - $0 % 3, b: $0, c: 0, d: 1)) })
        #expect(!known.contains(ChunkID(a: .max - 1, b: 3, c: 0, d: 1)))
    }
}
