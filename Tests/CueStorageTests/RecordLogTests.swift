import CueBase
import CueStorage
import CueTestSupport
import Testing

@Suite("Record logs")
struct RecordLogTests {
    private let store = MemoryStore()
    private var log: ObjectRecordLog { ObjectRecordLog(on: store) }
    private static let device = DeviceID(high: 0x2222_2222_2222_2222, low: 0x2222_2222_2222_2222)

    private func position(_ generation: UInt64, _ commit: UInt64, device: DeviceID = device) -> LogPosition {
        LogPosition(device: device, generation: generation, commit: CommitID(commit))
    }

    @Test("The name of a commit is the one in docs/format.md, and is read back")
    func names() {
        let name = ObjectRecordLog.name(of: position(1, 0x3333_3333_3333_3333))

        #expect(name.text == "log/22222222222222222222222222222222/0000000001-3333333333333333")
        #expect(ObjectRecordLog.position(of: name) == position(1, 0x3333_3333_3333_3333))
        #expect(
            ObjectRecordLog.position(of: ObjectRecordLog.name(of: position(9_999_999_999, 1)))?.generation
                == 9_999_999_999)
    }

    @Test("Every log keeps every promise of a record log", arguments: RecordLogSuite.rules, Kind.allCases)
    func promises(_ rule: RecordLogSuite.Rule, _ kind: Kind) throws {
        let (folder, memory, far) = (
            TemporaryFolder(), MemoryStore(), MemoryStore(readsAreDownloads: true, pageSize: 3)
        )
        switch kind {
        case .memory: try rule.check(ObjectRecordLog(on: memory))
        case .folder: try rule.check(ObjectRecordLog(on: try DirectoryStore(at: folder.bytes, writerName: "test")))
        case .downloads: try rule.check(ObjectRecordLog(on: far))
        case .events: try rule.check(ObjectRecordLog(on: far, of: .events))
        case .rows: try rule.check(RowLog(on: memory))
        }
    }

    enum Kind: CaseIterable, Sendable { case memory, folder, downloads, events, rows }

    @Test(
        "Where reads are downloads, a log of many commits is not listed again: one list for each device, and one for the end"
    )
    func requests() throws {
        let store = CountingStore(MemoryStore(readsAreDownloads: true))
        let log = ObjectRecordLog(on: store)
        let devices = (1...5).map { DeviceID(high: $0, low: 0) }
        for device in devices {
            for generation in 1...300 { try log.append([1], at: position(UInt64(generation), 7, device: device)) }
        }
        let cursor = try log.news(after: .start).cursor
        let before = store.traffic.lists

        #expect(try log.news(after: cursor).entries.isEmpty)
        #expect(store.traffic.lists - before <= devices.count + 1)
        try log.append([1], at: position(301, 7, device: devices[2]))
        #expect(try log.news(after: cursor).entries.map(\.position) == [position(301, 7, device: devices[2])])
    }

    @Test("Where runs took the place of old commits, a log is not listed again either")
    func requestsWithRuns() throws {
        let store = CountingStore(MemoryStore(readsAreDownloads: true, pageSize: 10))
        let log = ObjectRecordLog(on: store)
        let run = RunEntry(device: Self.device, first: 1, last: 100, id: CommitID(1), size: 0)
        // A name that claims any number hides nothing.
        let liar = RunEntry(device: Self.device, first: 90, last: 9_999_999_999, id: CommitID(2), size: 0)
        for name in [run.name, liar.name] { try store.put(name, [1]) }
        for generation in 101...300 as ClosedRange<UInt64> { try log.append([1], at: position(generation, 7)) }
        let cursor = try log.news(after: .start).cursor
        let before = store.traffic.lists

        #expect(try log.news(after: cursor).entries.isEmpty)
        #expect(store.traffic.lists - before <= 2)
        let new = RunEntry(device: Self.device, first: 302, last: 303, id: CommitID(3), size: 1)
        try store.put(new.name, [1])
        try log.append([1], at: position(301, 7))
        let news = try log.news(after: cursor)
        #expect(news.entries.map(\.position) == [position(301, 7)] && news.runs.contains(new))
    }

    @Test("A cursor of other bytes is none, and everything is given")
    func strangeCursor() throws {
        let log = ObjectRecordLog(on: MemoryStore(readsAreDownloads: true))
        try log.append([1], at: position(1, 7))

        for bytes: [UInt8] in [[1], [UInt8](repeating: 0xff, count: 40), Array("no cursor".utf8)] {
            #expect(try log.news(after: LogCursor(bytes)).entries.count == 1)
        }
    }

    @Test(
        "A file that no commit is called like is passed over",
        arguments: [
            "log/22222222222222222222222222222222/0000000000-3333333333333333",
            "log/22222222222222222222222222222222/000000001-3333333333333333",
            "log/22222222222222222222222222222222/00000000001-3333333333333333",
            "log/22222222222222222222222222222222/0000000001-333333333333333",
            "log/22222222222222222222222222222222/0000000001-333333333333333g",
            "log/22222222222222222222222222222222/0000000001-3333333333333333-1",
            "log/22222222222222222222222222222222/0000000001-3333333333333333.tmp",
            "log/22222222222222222222222222222222/00000000a1-3333333333333333",
            "log/2222222222222222222222222222222/0000000001-3333333333333333",
            "log/222222222222222222222222222222zz/0000000001-3333333333333333",
            "log/0000000001-3333333333333333",
            "log/22222222222222222222222222222222/more/0000000001-3333333333333333",
            "log/22222222222222222222222222222222/0000000001-333333333333333A",
        ])
    func foreignNames(_ name: String) throws {
        try log.append([1], at: position(1, 5))
        store.set(name, to: [9])

        #expect(try log.all().map(\.position) == [position(1, 5)])
    }
}
