import CueBase
import CueEvents
import CueLibrary
import CueStorage
import CueTestSupport
import CueVault
import Testing

@testable import CueEventLog

/// The five ways in which the seeds' origin lost events, and some more.
@Suite("The exchange of events")
struct EventExchangeTests {
    private let store = MemoryStore()

    @Test("An event appended offline survives a restart and a full pull, and arrives once")
    func offline() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try laptop.add("a")
        try laptop.exchange(on: store)
        try laptop.add("b", at: 1)
        let away = FaultyStore(store, failingAt: 1)
        #expect(throws: StorageError.self) { try laptop.exchange(on: away) }
        try laptop.restart()
        // All that was known of the vault is forgotten, as at a sign-out: a full pull follows.
        try laptop.log.write { try $0.forgetVault() }

        #expect(try laptop.exchange(on: store).pushed == 1)
        #expect(try phone.exchange(on: store).pulled == 2)

        #expect(try laptop.ids == ["a", "b"])
        #expect(try phone.ids == ["a", "b"])
        #expect(try laptop.waiting == 0)
        #expect(store.batches.count == 2)
    }

    @Test("Two events of one type and one moment are two events")
    func equalTimes() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try phone.add("x", type: "sprout_watered", at: 7_000)
        try phone.add("y", type: "sprout_watered", at: 7_000)
        try phone.exchange(on: store)

        #expect(try laptop.exchange(on: store).pulled == 2)
        #expect(try laptop.ids == ["x", "y"])
    }

    @Test(
        "What cue notes at each save is due after an hour, with a hundred, with another kind, or by a clock that was set back"
    )
    func due() throws {
        let hour: Int64 = 3_600_000
        func isDue(_ events: [(type: String, created: Int64)], at now: Int64) throws -> Bool {
            let device = try EventDevice(1)
            for (number, event) in events.enumerated() {
                try device.add("e\(number)", type: event.type, at: event.created)
            }
            return try device.log.read { try $0.hasDueEvents(now: Timestamp(milliseconds: now)) }
        }
        let saves = [("library_saved", 10 * hour), ("words_written", 10 * hour + 1)]

        #expect(try !isDue([], at: 10 * hour))
        #expect(try !isDue(saves, at: 11 * hour))
        #expect(try isDue(saves, at: 11 * hour + 1))
        #expect(try isDue(saves + [("tea", 10 * hour)], at: 10 * hour))
        #expect(try isDue(saves, at: 9 * hour))
        #expect(try !isDue(Array(repeating: saves[0], count: 99), at: 10 * hour))
        #expect(try isDue(Array(repeating: saves[0], count: 100), at: 10 * hour))
    }

    @Test("What was pulled is never pushed back")
    func noEcho() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        for number in 0..<5 { try phone.add("e\(number)") }
        try phone.exchange(on: store)
        let before = store.names

        let summary = try laptop.exchange(on: store)

        #expect((summary.pulled, summary.pushed) == (5, 0))
        #expect(try laptop.exchange(on: store) == EventExchange.Summary())
        #expect(store.names == before)
    }

    @Test("A log of many thousands arrives whole in one pull, whatever a batch holds")
    func manyEvents() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try phone.log.write { transaction in
            for number in 0..<21_507 {
                _ = try transaction.add(
                    Event(
                        clientID: "e\(number)", type: "note", time: Timestamp(milliseconds: Int64(number)),
                        payload: .null,
                        createdAt: Timestamp(milliseconds: 0)))
            }
        }
        #expect(try phone.exchange(on: store).pushed == 21_507)

        #expect(try laptop.exchange(on: store).pulled == 21_507)
        #expect(store.batches.count > 1)
        #expect(try laptop.ids == (try phone.ids))
    }

    @Test("A batch that becomes visible after newer ones were read is read all the same")
    func lateBatch() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try phone.add("first", at: 1)
        try phone.exchange(on: store)
        let early = try #require(store.batches.first)
        let bytes = store.bytes(of: early)
        try phone.add("second", at: 2)
        try phone.exchange(on: store)
        store.set(early, to: nil)
        #expect(try laptop.exchange(on: store).pulled == 1)

        store.set(early, to: bytes)

        #expect(try laptop.exchange(on: store).pulled == 1)
        #expect(try laptop.ids == ["first", "second"])
    }

    @Test("Whichever call to the vault fails or loses its answer, the next exchange puts every event there once")
    func everyFault() throws {
        for kind: FaultyStore.Fault in [.gone, .dropAnswer, .tear, .staleList, .shortRead] {
            for call in 1... {
                let store = MemoryStore()
                let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
                try phone.add("p")
                try phone.exchange(on: store)
                try laptop.add("l")
                let faulty = FaultyStore(store, failingAt: call, with: kind)
                _ = try? laptop.exchange(on: faulty)
                let isOver = faulty.calls < call

                try laptop.restart()
                try laptop.exchange(on: store)
                try phone.exchange(on: store)

                #expect(try laptop.ids == ["l", "p"], "\(kind) at \(call)")
                #expect(try phone.ids == ["l", "p"], "\(kind) at \(call)")
                #expect(try laptop.waiting == 0)
                if isOver { break }
            }
        }
    }

    @Test("A push whose answer was lost is found again and not repeated")
    func lostAnswer() throws {
        let laptop = try EventDevice(1)
        try laptop.add("a")
        var calls = 1
        while store.batches.isEmpty {
            _ = try? laptop.exchange(on: FaultyStore(store, failingAt: calls, with: .dropAnswer))
            calls += 1
        }
        try laptop.restart()

        let summary = try laptop.exchange(on: store)

        #expect(summary.pushed == 0)
        #expect(store.batches.count == 1)
        // The log goes on where it ended, in a second generation.
        try laptop.add("b")
        try laptop.exchange(on: store)
        #expect(store.batches.contains { $0.contains("/0000000002-") })
    }

    @Test("A batch that is gone from the vault is said, and what it held is pushed again")
    func lostBatch() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try laptop.add("a")
        try laptop.exchange(on: store)
        try phone.exchange(on: store)
        for batch in store.batches { store.set(batch, to: nil) }

        let summary = try phone.exchange(on: store)

        #expect((summary.lostBatches, summary.pushed) == (1, 1))
        #expect(try EventDevice(3).exchange(on: store).pulled == 1)
        #expect(try laptop.exchange(on: store).pulled == 0)
        #expect(try laptop.ids == ["a"])
    }

    @Test("A damaged batch is named, the others are read, and it is read once it is whole")
    func damagedBatch() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try phone.add("a")
        try phone.exchange(on: store)
        let damaged = try #require(store.batches.first)
        try phone.add("b")
        try phone.exchange(on: store)
        let whole = try #require(store.bytes(of: damaged))
        for index in [0, 30, 60, whole.count - 1] {
            var bytes = whole
            bytes[index] ^= 1
            store.set(damaged, to: bytes)
            let summary = try laptop.exchange(on: store)
            guard summary.unreadable.count == 1, case .batch(.damaged(.object(damaged), _)) = summary.unreadable[0]
            else {
                Issue.record("\(summary.unreadable)")
                continue
            }
            #expect(try laptop.ids == ["b"])
        }
        for bytes in [Array(whole.dropLast()), [], Array(whole.prefix(56))] {
            store.set(damaged, to: bytes)
            #expect(try laptop.exchange(on: store).unreadable.count == 1)
        }

        store.set(damaged, to: whole)

        #expect(try laptop.exchange(on: store).pulled == 1)
        #expect(try laptop.ids == ["a", "b"])
    }

    @Test("A batch that was cut after it was read counts as lost: whoever has its events stores them again")
    func cutBatch() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try laptop.add("a")
        try laptop.exchange(on: store)
        let batch = try #require(store.batches.first)
        store.set(batch, to: [])
        #expect(try EventExchange.lost(laptop.log, from: EventDevice.vault(on: store)).count == 1)

        let summary = try laptop.exchange(on: store)

        #expect((summary.lostBatches, summary.pushed) == (1, 1))
        #expect(try phone.exchange(on: store).pulled == 1)
        #expect(try laptop.exchange(on: store).pushed == 0)
    }

    @Test("A batch that a check found damaged is stored again by a device that knows its events")
    func storedAgain() throws {
        let laptop = try EventDevice(1)
        try laptop.add("a")
        try laptop.exchange(on: store)
        let position = try #require(try laptop.log.read { try $0.eventObjects() }.keys.first)
        let other = LogPosition(device: position.device, generation: 9, commit: CommitID(9))

        #expect(try EventExchange.storeAgain([position, other], laptop.log) == 1)
        #expect(try laptop.waiting == 1)
    }

    @Test("A batch with a generation to which nobody counts is read, and the log goes on as before")
    func hugeGeneration() throws {
        let laptop = try EventDevice(1)
        let vault = EventDevice.vault(on: store)
        let event = Event(
            clientID: "h", type: "t", time: Timestamp(milliseconds: 0), payload: .null,
            createdAt: Timestamp(milliseconds: 0))
        _ = try vault.append(
            events: [event.record], at: LogPosition(device: laptop.id, generation: 9_999_999_999, commit: CommitID(7)),
            previous: CommitID(1), time: event.time, by: laptop.key)
        try laptop.add("a")

        try laptop.exchange(on: store)

        #expect(try EventDevice(2).exchange(on: store).pulled == 2)
        #expect(store.batches.contains { $0.contains("/0000000001-") })
    }

    @Test("A batch of more events than one may hold is refused, however small it is")
    func bomb() throws {
        let empty = EventRecord(
            clientID: [], type: [], clientTime: [], created: Timestamp(milliseconds: 0), payload: [])
        let position = LogPosition(device: .test(5), generation: 1, commit: CommitID(7))
        _ = try EventDevice.vault(on: store).append(
            events: [EventRecord](repeating: empty, count: 100_001), at: position, previous: .none,
            time: Timestamp(milliseconds: 0), by: TestKeys.key(5))

        #expect(try EventDevice(1).exchange(on: store).unreadable.count == 1)
    }

    @Test("A batch in another's place is refused")
    func movedBatch() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try phone.add("a")
        try phone.exchange(on: store)
        let batch = try #require(store.batches.first)
        let bytes = store.bytes(of: batch)
        store.set(batch, to: nil)
        store.set(batch.replacing("0000000001", with: "0000000002"), to: bytes)

        #expect(try laptop.exchange(on: store).unreadable.count == 1)
    }

    @Test("A record that is no event is set aside with its reason, once; the others of its batch count")
    func aside() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try phone.add("good")
        let good = try #require(try phone.events.first).record
        func record(_ change: (inout (id: String, type: String, time: String, payload: String)) -> Void) -> EventRecord
        {
            var parts = (id: "x", type: "t", time: "2026-01-01T00:00:00Z", payload: "{}")
            change(&parts)
            return EventRecord(
                clientID: Array(parts.id.utf8), type: Array(parts.type.utf8), clientTime: Array(parts.time.utf8),
                created: good.created, payload: Array(parts.payload.utf8))
        }
        let bad = [
            record { $0.payload = "{" }, record { $0.payload = #"{"a":1,"a":1}"# }, record { $0.time = "today" },
            record { $0.id = "" }, record { $0.type = String(repeating: "t", count: 101) },
            EventRecord(clientID: [0xff], type: [0x74], clientTime: [], created: good.created, payload: [0x30]),
        ]
        let position = LogPosition(device: phone.id, generation: 1, commit: CommitID(7))
        _ = try EventDevice.vault(on: store).append(
            events: bad + [good], at: position, previous: .none, time: good.created, by: phone.key)

        let summary = try laptop.exchange(on: store)

        #expect((summary.pulled, summary.setAside) == (1, bad.count))
        #expect(try laptop.exchange(on: store) == EventExchange.Summary())
        let aside = try laptop.log.read { try $0.eventsAside() }
        #expect(aside.count == bad.count)
        #expect(try EventRecord(aside[0].body) == bad[0])
        #expect(aside[0].reason == .form(.payloadNotJSON(.noKey)))
    }

    @Test("Of two events with one id every device keeps the same, whichever came first, and sets the other aside")
    func collision() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try laptop.add("id", at: 5, payload: .string("laptop"))
        try phone.add("id", at: 4, payload: .string("phone"))
        try laptop.exchange(on: store)
        #expect(try phone.exchange(on: store).setAside == 1)
        #expect(try laptop.exchange(on: store).setAside == 1)

        #expect(try laptop.events.map(\.payload) == [.string("phone")])
        #expect(try phone.events.map(\.payload) == [.string("phone")])
        #expect(try laptop.log.read { try $0.countOfEventsAside() } == 1)
    }

    @Test("Two clones of one device lose nothing of each other")
    func clones() throws {
        let (one, other) = (try EventDevice(1), try EventDevice(1))
        try one.add("a")
        try other.add("b")
        try one.exchange(on: store)
        try other.exchange(on: store)
        try one.add("c")
        try one.exchange(on: store)
        try other.exchange(on: store)

        #expect(try one.ids == ["a", "b", "c"])
        #expect(try other.ids == ["a", "b", "c"])
    }

    @Test("Whatever order events arrive in, every device has the same log in the same order")
    func anyOrder() throws {
        var generator = SeededGenerator(seed: 42)
        let events = (0..<200).map { number in
            Event(
                clientID: "e\(number % 190)", type: "note",
                time: Timestamp(milliseconds: Int64.random(in: 0..<40, using: &generator)),
                payload: .integer(Int64(number % 7)), createdAt: Timestamp(milliseconds: Int64(number)))
        }
        let logs = try (UInt64(0)..<6).map { number in
            let device = try EventDevice(number)
            let shuffled = events.shuffled(using: &generator)
            try device.log.write { transaction in for event in shuffled { _ = try transaction.add(event) } }
            return try device.events.map {
                [$0.clientID, $0.type, $0.clientTimestamp, String(decoding: $0.payload.canonical, as: UTF8.self)]
            }
        }
        for log in logs { #expect(log == logs[0]) }
        #expect(logs[0].count == 190)
    }

    @Test("A library that is tied to another vault takes its events with it")
    func anotherVault() throws {
        let laptop = try EventDevice(1)
        try laptop.add("a")
        try laptop.exchange(on: store)
        let second = MemoryStore()
        try laptop.log.write { try $0.forgetVault() }

        #expect(try laptop.exchange(on: second).pushed == 1)
    }

    @Test("A time keeps the spelling in which it was written, on every device")
    func spelling() throws {
        let (laptop, phone) = (try EventDevice(1), try EventDevice(2))
        try laptop.add("a", at: 1_767_348_000_000, as: "2026-01-02T11:00:00+01:00")
        try laptop.exchange(on: store)
        try phone.exchange(on: store)

        #expect(try phone.events.map(\.clientTimestamp) == ["2026-01-02T11:00:00+01:00"])
    }
}
