import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

/// What a vault behind a network would be asked for.
@Suite("Requests to a vault")
struct VaultTrafficTests {
    private let memory = MemoryStore(readsAreDownloads: true)

    private func traffic(_ device: TestLibrary, _ body: (Vault) throws -> Void) throws -> Traffic {
        let store = CountingStore(memory)
        try body(TestLibrary.vault(on: store))
        return store.traffic
    }

    @Test("Nothing to back up costs the same few requests, however long the history is")
    func nothingToDo() throws {
        let device = try TestLibrary(on: memory)
        var counts: Set<Int> = []
        for round in 1...3 {
            for number in 1...15 {
                try device.write("\(number).md", "text \(round) \(number)")
                try device.backup()
            }
            let traffic = try traffic(device) { vault in
                Wait.milliseconds(40)
                _ = try Backup.run(EngineContext(device.library, vault))
            }
            counts.insert(traffic.requests)
            #expect(traffic.requests <= 8 && traffic.objects == 0, "\(traffic)")
        }
        #expect(counts.count == 1, "\(counts)")
    }

    @Test("One commit of another device is brought without a list of all commits, and without reading them again")
    func onePull() throws {
        let (device, other) = (try TestLibrary(on: memory), try TestLibrary(on: memory))
        for number in 1...40 {
            try other.write("\(number).md", "text \(number)")
            try other.backup()
        }
        try device.backup()
        try other.write("1.md", "another text")
        try other.backup()

        let traffic = try traffic(device) { vault in
            _ = try Pull.run(EngineContext(device.library, vault), try device.library.device())
        }

        #expect(traffic.lists <= 8, "\(traffic)")
        #expect(try device.library.store.read { try $0.value(.logCursor) } != nil)
    }

    @Test("A conflict that is answered costs one reading of the history, and not one for each step")
    func answered() throws {
        let folder = TemporaryFolder()
        let devices = try ["desk", "lap"].map { try SyncDevice($0, in: folder, on: memory) }
        for number in 1...40 {
            try devices[0].write("Letter.md", "draft \(number), \(String(repeating: "x", count: number))")
            try devices[0].sync()
        }
        try devices[1].sync()
        for device in devices {
            try device.write("Letter.md", "as \(device.name) wrote it")
            _ = try Backup.run(device.context)
        }
        let log = try devices[0].vault.log.all()
        let store = CountingStore(memory)

        let summary = try devices[0].sync(keep: .this, on: store)

        #expect(summary.resolved.count == 1)
        // All commits once, and some objects more.
        #expect(store.traffic.reads <= log.count + 30, "\(store.traffic) for \(log.count) commits")
    }

    @Test("A commit that came late, below what the cursor covers, is found once another names it", arguments: [0, 1])
    func lateCommit(pulls: Int) throws {
        let devices = try (1...3).map { _ in try TestLibrary(on: memory) }
        try devices[1].write("1.md", "one")
        try devices[1].backup()
        try devices[0].backup()
        for _ in 0..<pulls { _ = try Pull.run(devices[0].context, try devices[0].library.device()) }
        try devices[2].write("2.md", "two")
        try devices[2].backup()
        let cursor = try devices[0].vault.log.news(after: .start).cursor
        try devices[0].library.store.write { transaction in
            try transaction.set(.logCursor, to: cursor)
            try transaction.set(.logListed, to: Environment.now)
        }
        try devices[1].write("3.md", "three")
        try devices[1].backup()

        _ = try Pull.run(devices[0].context, try devices[0].library.device())

        let all = try Set(devices[0].vault.log.all().map(\.position))
        #expect(all.count == 4)
        let seen = try devices[0].library.store.read { try $0.seen() }
        #expect(seen == all, "\(all.subtracting(seen)) and \(seen.subtracting(all))")
    }

    @Test("A commit that came late and that no other names is found within a day")
    func lateCommitAlone() throws {
        let clock = TestClock()
        let devices = try (1...2).map { _ in try TestLibrary(on: memory, clock: clock.clock) }
        try devices[0].write("1.md", "one")
        try devices[0].backup()
        _ = try Pull.run(devices[0].context, try devices[0].library.device())
        try devices[1].write("2.md", "two")
        try devices[1].backup()
        let context = devices[0].context
        let (library, vault) = (context.library, context.vault)
        let cursor = try vault.log.news(after: .start).cursor
        try library.store.write { transaction in
            try transaction.set(.logCursor, to: cursor)
            try transaction.set(.logListed, to: clock.now)
        }
        _ = try Pull.run(context, try library.device())
        #expect(try library.store.read { try $0.seen() }.count == 1)

        clock.advance(by: 90_000)
        _ = try Pull.run(context, try library.device())

        #expect(try library.store.read { try $0.seen() }.count == 2)
    }

    @Test("A commit that the store took and did not keep is found missing by the next pull")
    func commitNotKept() throws {
        let device = try TestLibrary(on: memory)
        for text in ["one", "two"] {
            try device.write("1.md", text)
            try device.backup()
            _ = try Pull.run(device.context, try device.library.device())
        }
        let before = memory.names
        try device.write("1.md", "three")
        try device.backup()

        for name in memory.names where !before.contains(name) { memory.set(name, to: nil) }
        #expect(throws: VaultError.wentBack(missing: 1)) {
            try Pull.run(device.context, try device.library.device())
        }
    }

    @Test("With logs of rows no record is an object")
    func rows() throws {
        let device = try TestLibrary()
        try device.write("1.md", "text")
        try device.backup()

        #expect(try device.vault.objects.list("log").isEmpty == TestLibrary.hasRows)
        #expect(try device.vault.log.all().count == 1)
    }
}
