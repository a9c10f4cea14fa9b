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

    @Test("What was appended is read back, and appending it again is refused")
    func appending() throws {
        try log.append([1, 2, 3], at: position(1, 7))

        let entry = try #require(try log.all().first)
        #expect(entry.position == position(1, 7))
        #expect(entry.size == 3)
        #expect(try log.read(entry) == [1, 2, 3])
        #expect(throws: StorageError.alreadyThere(ObjectRecordLog.name(of: entry.position).text)) {
            try log.append([4], at: position(1, 7))
        }
        #expect(try log.read(entry) == [1, 2, 3])
    }

    @Test("Only commits that were not seen are listed, by device and then by generation")
    func unseen() throws {
        let other = DeviceID(high: 1, low: 1)
        let all = [position(1, 9, device: other), position(10, 1, device: other), position(1, 8), position(2, 3)]
        for position in all.reversed() { try log.append([1], at: position) }

        #expect(try log.entries(notIn: []).map(\.position) == all)
        #expect(try log.entries(notIn: [all[0], all[3], position(77, 7)]).map(\.position) == [all[1], all[2]])
        #expect(try log.entries(notIn: Set(all)).isEmpty)
    }

    @Test("Two commits of one device and generation are both there")
    func forks() throws {
        try log.append([1], at: position(1, 5))
        try log.append([2], at: position(1, 6))

        let entries = try log.all()

        #expect(try entries.map { try log.read($0) } == [[1], [2]])
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
