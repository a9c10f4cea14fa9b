import CueBase
import CueStorage
import CueTestSupport
import GRDB
import Testing

@testable import CueLibrary

@Suite("Facts of a library")
struct FactTests {
    private static func roundTrip<Value: FactValue & Equatable>(_ fact: Fact<Value>, _ value: Value) throws -> Bool {
        let folder = TemporaryFolder()
        let store = try LocalStore(in: folder.bytes)
        guard try store.read({ try $0.value(fact) }) == nil else { return false }
        try store.write { try $0.set(fact, to: value) }
        let first = try store.read { try $0.value(fact) }
        try store.write { try $0.set(fact, to: nil) }
        return try first == value && store.read { try $0.value(fact) } == nil
    }

    @Test("A fact of every kind is read as it was set, and is nothing before and after")
    func kinds() throws {
        #expect(try Self.roundTrip(.deviceName, "é's desk"))
        #expect(try Self.roundTrip(.hasNews, false) && Self.roundTrip(.hasNews, true))
        #expect(try Self.roundTrip(.neverVerified, 7))
        #expect(try Self.roundTrip(.generation, .max))
        #expect(try Self.roundTrip(.lastBackup, Timestamp(milliseconds: -5)))
        #expect(try Self.roundTrip(.heldBack, ["a.md", "b c.md"]) && Self.roundTrip(.heldBack, []))
        #expect(try Self.roundTrip(.commitDigest, CommitDigest(a: 1, b: .max, c: 0, d: 7)))
        #expect(try Self.roundTrip(.snapshot, CommitID(7)))
        #expect(try Self.roundTrip(.comparedCheckpoint, ObjectName("checkpoints/000000000001-00")))
        let position = LogPosition(device: DeviceID(high: 1, low: 2), generation: 3, commit: CommitID(4))
        #expect(try Self.roundTrip(.lastBatch, position))
        #expect(try Self.roundTrip(.logCursor, LogCursor([0, 0x0f, 0xa0, 0xff])))
        #expect(LogCursor([0, 0x0f, 0xa0, 0xff]).factText == "000fa0ff")
        for text in ["000", "0G", "0A", "é0"] { #expect(LogCursor(factText: text) == nil, "\(text)") }
    }

    @Test("What a store of an earlier cue wrote for nothing, or what makes no sense, is no value")
    func nothing() throws {
        let folder = TemporaryFolder()
        let store = try LocalStore(in: folder.bytes)
        try store.write { transaction in
            for (key, text) in [("key problem", ""), ("verified", ""), ("last batch", "1 2"), ("news", "maybe")] {
                try transaction.database.execute(sql: "INSERT INTO meta VALUES (?, ?)", arguments: [key, text])
            }
        }

        try store.read { transaction throws in
            #expect(try transaction.value(.keyProblem) == nil && transaction.value(.verified) == nil)
            #expect(try transaction.value(.lastBatch) == nil && transaction.value(.hasNews) == nil)
        }
    }
}
