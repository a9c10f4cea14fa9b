import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import Synchronization
import Testing

@testable import CueEngine

@Suite("Locks of a vault's objects")
struct LockUpkeepTests {
    private static let day: Int64 = 86_400_000

    /// A store whose objects stay for 90 days, over one in memory.
    private final class LockingStore: ObjectStore, ObjectLocking {
        private struct State {
            var locks: [String: Timestamp] = [:]
            var calls = 0
            var failing: Int?
        }

        let memory = MemoryStore()
        let days = 90
        private let state = Mutex(State())

        var locking: (any ObjectLocking)? { self }
        var locks: [String: Timestamp] { state.withLock(\.locks) }
        /// The locks that were asked for so far.
        var calls: Int { state.withLock(\.calls) }
        /// From which call on locking fails; nil for never.
        func fail(at call: Int?) { state.withLock { $0.failing = call } }
        func set(_ name: String, until time: Timestamp) { state.withLock { $0.locks[name] = time } }

        func lockedUntil(_ name: ObjectName) throws(StorageError) -> Timestamp? { locks[name.text] }

        func lock(_ name: ObjectName, until time: Timestamp) throws(StorageError) {
            let isDone = state.withLock { state in
                state.calls += 1
                guard state.failing.map({ state.calls < $0 }) ?? true else { return false }
                let before = state.locks[name.text]?.milliseconds ?? 0
                state.locks[name.text] = Timestamp(milliseconds: max(before, time.milliseconds))
                return true
            }
            guard isDone else { throw .service(.denied(.lock, name.text)) }
        }

        func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
            try memory.makeWriter(for: name)
        }
        func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
            try memory.read(name, at: offset, into: &buffer)
        }
        func size(of name: ObjectName) throws(StorageError) -> Int? { try memory.size(of: name) }
        func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
            try memory.list(folder, after: after)
        }
        func delete(_ name: ObjectName) throws(StorageError) { try memory.delete(name) }
    }

    private let store = LockingStore()
    private let clock = TestClock()

    /// A device of this vault.
    private func device() throws -> EngineContext {
        EngineContext(try TestLibrary(clock: clock.clock).library, TestLibrary.vault(on: store, hasRows: false))
    }

    private func after(days: Int64) -> Timestamp {
        Timestamp(milliseconds: clock.now.milliseconds + days * Self.day)
    }

    /// Leaves so many objects, all locked for as long.
    private func fill(_ count: Int, days: Int64 = 90) {
        for number in 0..<count {
            let text = "\(number)"
            let name = "packs/ab/" + String(repeating: "0", count: 32 - text.count) + text
            store.memory.set(name, to: [1])
            store.set(name, until: after(days: days))
        }
        store.memory.set("vault.json", to: [1])
        store.memory.set("tmp/left", to: [1])
        store.set("vault.json", until: after(days: days))
    }

    private func ends() -> Set<Timestamp> { Set(store.locks.values) }

    @Test("Nothing is extended while more than a third of the time is left, and it is looked once a day")
    func notDue() throws {
        fill(10)
        let device = try device()

        #expect(try LockUpkeep.run(device) == nil)
        clock.advance(by: 59.9 * 86_400)
        #expect(try LockUpkeep.run(device) == nil && store.calls == 0)
        clock.advance(by: 0.2 * 86_400)
        #expect(try LockUpkeep.run(device) == nil)
        clock.advance(by: 86_400)
        #expect(try LockUpkeep.run(device)?.extended == 11)
    }

    @Test("When a third is left, all objects get the same new end, and the next pass is due two thirds later")
    func pass() throws {
        fill(10)
        let (one, other) = (try device(), try device())
        clock.advance(by: 61 * 86_400)
        let goal = after(days: 90)

        #expect(try LockUpkeep.run(one) == LockUpkeep.Summary(extended: 11, left: 0, until: goal))
        #expect(ends() == [goal] && store.locks["tmp/left"] == nil)
        #expect(try LockUpkeep.run(other) == nil && store.calls == 11)
        clock.advance(by: 59 * 86_400)
        #expect(try LockUpkeep.run(one) == nil && LockUpkeep.run(other) == nil)
        clock.advance(by: 2 * 86_400)
        #expect(try LockUpkeep.run(other)?.extended == 11)
    }

    @Test(
        "A pass that is cut off goes on where it stopped, and its end counts only when all objects are locked",
        arguments: [1, 100, 300, 601])
    func cutOff(call: Int) throws {
        fill(600, days: 20)
        let device = try device()
        let goal = after(days: 90)
        store.fail(at: call)

        #expect(throws: StorageError.self) { try LockUpkeep.run(device) }
        #expect(store.locks["vault.json"] == after(days: 20))
        store.fail(at: nil)
        let before = store.calls
        clock.advance(by: 3600)
        #expect(try LockUpkeep.run(device)?.left == 0)

        #expect(ends() == [goal])
        #expect(store.calls - before <= 601 - (call - 1) / 256 * 256)
    }

    @Test("A run extends a bounded number, more where the locks end soon")
    func bounded() throws {
        fill(2500, days: 30)
        let device = try device()

        #expect(try LockUpkeep.run(device)?.left == 1500)
        #expect(try LockUpkeep.run(device)?.left == 500)
        #expect(try LockUpkeep.run(device)?.left == 0)
        #expect(try LockUpkeep.run(device) == nil && store.calls == 2501)

        clock.advance(by: 87 * 86_400)
        #expect(try LockUpkeep.run(device)?.left == 0)
    }

    @Test("Objects that were never locked are, and a pass that another device ended is not begun again")
    func late() throws {
        for number in 0..<1500 { store.memory.set("log/a/\(1000 + number)", to: [1]) }
        store.memory.set("vault.json", to: [1])
        let (one, other) = (try device(), try device())

        #expect(try LockUpkeep.run(one)?.left == 500)
        while try LockUpkeep.run(other)?.left ?? 0 > 0 {}
        let calls = store.calls
        #expect(store.locks.count == 1501)
        clock.advance(by: 86_400)
        #expect(try LockUpkeep.run(one) == nil && store.calls == calls)
    }

    @Test("Where others lock for longer, what this device stores is extended by its own time, and nothing gets shorter")
    func longer() throws {
        fill(10, days: 365)
        let device = try device()
        #expect(try LockUpkeep.run(device) == nil)
        store.memory.set("log/a/new", to: [1])
        store.set("log/a/new", until: after(days: 90))
        let before = store.locks["vault.json"]

        clock.advance(by: 59 * 86_400)
        #expect(try LockUpkeep.run(device) == nil && store.calls == 0)
        clock.advance(by: 2 * 86_400)
        #expect(try LockUpkeep.run(device)?.extended == 12)
        #expect(store.locks["log/a/new"] == after(days: 90) && store.locks["vault.json"] == before)
        clock.advance(by: 59 * 86_400)
        #expect(try LockUpkeep.run(device) == nil && store.calls == 12)
        clock.advance(by: 2 * 86_400)
        #expect(try LockUpkeep.run(device)?.extended == 12)
    }

    @Test("Where nothing is locked, nothing is asked")
    func plain() throws {
        let library = try TestLibrary()

        #expect(try LockUpkeep.run(library.context) == nil)
    }
}

extension LockUpkeep {
    /// At the place that the library's marker names.
    fileprivate static func run(_ context: EngineContext) throws -> Summary? {
        try run(context, at: VaultLocation(stored: context.library.marker.vault))
    }
}
