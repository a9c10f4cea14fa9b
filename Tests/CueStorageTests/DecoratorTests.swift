import CueStorage
import CueSystem
import CueTestSupport
import Testing

@Suite("A store with a limit")
struct LimitedStoreTests {
    private let name = ObjectName("packs/ab/abcd")

    @Test("A thousand bytes a second are a thousand, in both directions and for all who share them")
    func rate() throws {
        let clock = TestClock()
        let store = LimitedStore(MemoryStore(), upload: 1000, download: 500, clock: clock.clock)

        for number in 0..<4 { try store.put(ObjectName("packs/\(number)"), [UInt8](repeating: 1, count: 500)) }
        #expect(abs(clock.seconds - 2) < 0.001)
        for number in 0..<4 { _ = try store.get(ObjectName("packs/\(number)"), upTo: 500) }
        #expect(abs(clock.seconds - 6) < 0.001)
    }

    @Test("Without a limit nothing waits")
    func unlimited() throws {
        let clock = TestClock()
        let store = LimitedStore(MemoryStore(), upload: nil, download: nil, clock: clock.clock)

        try store.put(name, [UInt8](repeating: 1, count: 1 << 20))
        _ = try store.get(name, upTo: 1 << 20)
        #expect(clock.waits.isEmpty)
    }
}

@Suite("A store with a cache")
struct CachingStoreTests {
    private let folder = TemporaryFolder()
    private let memory = MemoryStore()
    private let name = ObjectName("log/aa/0000000001-bb")

    private func store(limit: Int = 10_000) throws -> (CachingStore, CountingStore) {
        let counting = CountingStore(memory)
        return (try CachingStore(counting, in: folder.bytes, limit: limit), counting)
    }

    @Test("What was read once is read from the copy, also by the next process")
    func copies() throws {
        memory.set(name.text, to: [1, 2, 3])
        let (first, counted) = try store()
        for _ in 0..<3 { #expect(try first.get(name, upTo: 3) == [1, 2, 3]) }
        #expect(counted.traffic.reads == 1)

        let (second, recounted) = try store()
        var bytes: [UInt8] = [0, 0]
        var span = bytes.mutableSpan
        try second.read(name, at: 1, into: &span)
        #expect(bytes == [2, 3] && recounted.traffic.reads == 0)
    }

    @Test("A copy that was damaged is thrown away, and the object is read again")
    func damaged() throws {
        memory.set(name.text, to: [1, 2, 3])
        _ = try store().0.get(name, upTo: 3)
        try folder.write("log_aa_0000000001-bb", "something else that is long enough for a hash of 32 bytes")

        let (again, counted) = try store()
        #expect(try again.get(name, upTo: 3) == [1, 2, 3])
        #expect(counted.traffic.reads == 1)
        #expect(try store().0.get(name, upTo: 3) == [1, 2, 3])
    }

    @Test("The copies take no more than the limit, and the one that was used last stays")
    func bounded() throws {
        let names = (0..<20).map { ObjectName("log/aa/\($0)") }
        for name in names { memory.set(name.text, to: [UInt8](repeating: 1, count: 968)) }
        let (store, counted) = try store(limit: 5000)
        for name in names {
            _ = try store.get(name, upTo: 1000)
            _ = try store.get(names[0], upTo: 1000)
        }

        let kept = try Folder.open(folder.bytes).names()
        #expect((4...5).contains(kept.count) && kept.contains(Array("log_aa_0".utf8)))
        #expect(counted.traffic.reads == 20)
        store.forget(names[0])
        _ = try store.get(names[0], upTo: 1000)
        #expect(counted.traffic.reads == 21)
    }

    @Test("Packs and key slots are not kept, and what is deleted is gone")
    func notKept() throws {
        for name in ["packs/ab/abcd", "keys/00", "vault.json", self.name.text] { memory.set(name, to: [1]) }
        let (store, _) = try store()
        for name in memory.names { _ = try store.get(ObjectName(name), upTo: 1) }
        #expect(try Folder.open(folder.bytes).names().count == 1)

        try store.delete(name)
        #expect(throws: StorageError.notFound(name.text)) { try store.get(name, upTo: 1) }
        #expect(try Folder.open(folder.bytes).names().isEmpty)
    }
}

@Suite("A store that counts")
struct CountingStoreTests {
    @Test("Requests and bytes are what was asked for and moved")
    func counts() throws {
        let store = CountingStore(MemoryStore())
        try store.put(ObjectName("packs/a"), [1, 2, 3])
        _ = try store.get(ObjectName("packs/a"), upTo: 3)
        _ = try store.list("packs")
        try store.delete(ObjectName("packs/a"))

        let traffic = store.traffic
        #expect((traffic.objects, traffic.sizes, traffic.reads, traffic.lists) == (1, 0, 1, 1))
        #expect((traffic.deletions, traffic.bytesWritten, traffic.bytesRead) == (1, 3, 3))
        #expect(traffic.requests == 4)
    }
}
