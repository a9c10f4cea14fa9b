import CueStorage
import CueTestSupport
import Testing

@Suite("Object stores")
struct ObjectStoreTests {
    enum Kind: CaseIterable, Sendable {
        case memory, smallPages, folder, faultyMemory, faultyFolder, limited, caching, counting
    }

    private func withPlace(_ kind: Kind, _ body: (ObjectStoreSuite.Place) throws -> Void) throws {
        let (folder, memory) = (TemporaryFolder(), MemoryStore(pageSize: kind == .smallPages ? 2 : 1000))
        let leaveFile: @Sendable (String) throws -> Void = { _ = try folder.write($0, "not ours") }
        let leaveBytes: @Sendable (String) throws -> Void = { memory.set($0, to: [1]) }
        switch kind {
        case .memory, .smallPages: try body(.init(memory, leave: leaveBytes))
        case .limited:
            let store = LimitedStore(memory, upload: 1000, download: 1000, clock: TestClock().clock)
            try body(.init(store, leave: leaveBytes))
        case .caching:
            try body(.init(try CachingStore(memory, in: folder.bytes, limit: 1 << 20), leave: leaveBytes))
        case .counting: try body(.init(CountingStore(memory), leave: leaveBytes))
        case .folder: try body(.init(try DirectoryStore(at: folder.bytes, writerName: "test"), leave: leaveFile))
        case .faultyMemory: try body(.init(FaultyStore(memory), leave: leaveBytes))
        case .faultyFolder:
            try body(.init(FaultyStore(try DirectoryStore(at: folder.bytes, writerName: "test")), leave: leaveFile))
        }
    }

    @Test("Every store keeps every promise of an object store", arguments: ObjectStoreSuite.strictRules, Kind.allCases)
    func promises(_ rule: ObjectStoreSuite.Rule, _ kind: Kind) throws {
        try withPlace(kind) { place in try rule.check(place) }
    }
}

/// The faults themselves, so that a test that injects one tests what it says.
@Suite("Faults of a store")
struct FaultyStoreTests {
    private let memory = MemoryStore()
    private let name = ObjectName("packs/ab/abcd")

    @Test("The named call fails with the given error, and no other does")
    func fails() throws {
        let store = FaultyStore(memory, failingAt: 2, with: .fail(.noSpace))

        #expect(try store.size(of: name) == nil)
        #expect(throws: StorageError.noSpace) { try store.size(of: name) }
        #expect(try store.size(of: name) == nil)
        #expect(store.calls == 3)
    }

    @Test("A store that is gone stays gone")
    func gone() throws {
        let store = FaultyStore(memory, failingAt: 2, with: .gone)

        #expect(try store.list("log").isEmpty)
        for _ in 0..<3 { #expect(throws: StorageError.unreachable("log")) { try store.list("log") } }
    }

    @Test("A torn write passes half of its bytes on, and the object is never finished")
    func tears() throws {
        let store = FaultyStore(memory, failingAt: 2, with: .tear)

        #expect(throws: StorageError.self) { try store.put(name, [1, 2, 3, 4]) }
        #expect(memory.names == [])
    }

    @Test("A lost answer throws, and yet the work is done")
    func losesAnswers() throws {
        let store = FaultyStore(memory, failingAt: 3, with: .dropAnswer)

        #expect(throws: StorageError.self) { try store.put(name, [1, 2, 3, 4]) }
        #expect(memory.bytes(of: name.text) == [1, 2, 3, 4])
    }

    @Test("A short read is one")
    func readsShort() throws {
        memory.set(name.text, to: [1, 2])
        let store = FaultyStore(memory, failingAt: 2, with: .shortRead)

        #expect(throws: StorageError.shortRead(name.text)) { try store.get(name, upTo: 2) }
        #expect(try store.get(name, upTo: 2) == [1, 2])
    }

    @Test("A stale list does not show the newest object, and the next one does")
    func listsStale() throws {
        let store = FaultyStore(memory, failingAt: 7, with: .staleList)
        try store.put(ObjectName("log/a/1"), [1])
        try store.put(ObjectName("log/a/2"), [1])

        #expect(try store.list("log").map(\.name.text) == ["log/a/1"])
        #expect(try store.list("log").count == 2)
    }
}
