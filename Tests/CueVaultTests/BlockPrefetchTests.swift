import CueBase
import CueStorage
import CueSystem
import CueTestSupport
import Synchronization
import Testing

@testable import CueVault

/// Reading ahead, for stores where each read waits for its answer.
@Suite("Blocks that are read before they are asked for")
struct BlockPrefetchTests {
    /// A store behind a network. Reads of packs wait until so many are under way, or for a minute.
    private static func store(_ inner: MemoryStore, together: Int, _ most: Shared) -> HookedStore {
        HookedStore(
            inner, { _, writer throws(StorageError) in writer },
            onRead: { name, offset in
                guard name.text.hasPrefix("packs/"), offset > 0 else { return }
                most.value.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                for _ in 0..<6_000 where most.value.withLock({ $0.most < together }) { Wait.milliseconds(10) }
                most.value.withLock { $0.now -= 1 }
            })
    }

    private final class Shared: Sendable {
        let value = Mutex((now: 0, most: 0))
    }

    private static func chunks() -> [[UInt8]] {
        var generator = SeededGenerator(seed: 21)
        return (0..<24).map { _ in generator.bytes(1 << 20) }
    }

    /// A store behind a network that has the chunks, with their ids and packs.
    private static func stored() throws -> (MemoryStore, [ChunkID], [PackRecord]) {
        let store = MemoryStore(readsAreDownloads: true)
        let (ids, packs) = try TestVault.store(chunks(), in: TestVault.open(store))
        return (store, ids, packs)
    }

    @Test("Reads go on several at a time, and the content is what was stored, in whatever order it is asked for")
    func together() throws {
        let (inner, most) = (MemoryStore(readsAreDownloads: true), Shared())
        let (ids, packs) = try TestVault.store(Self.chunks(), in: TestVault.open(inner))
        let vault = TestVault.open(Self.store(inner, together: 4, most))
        let index = ChunkIndex(packs)

        let prefetch = try #require(try BlockPrefetch(of: vault, index, vault.presentPacks(), order: ids))
        defer { prefetch.stop() }
        let reader = try ContentReader(of: vault, index, try vault.presentPacks(), prefetch: prefetch)
        let wanted = Array(zip(ids, Self.chunks()))
        for (id, chunk) in wanted + wanted.reversed() { #expect(try reader.bytes(of: id) == chunk) }

        #expect(most.value.withLock(\.most) >= 4)
    }

    @Test("Blocks that stand side by side are one read, and nothing is read twice")
    func adjoining() throws {
        let (inner, ids, packs) = try Self.stored()
        let store = CountingStore(inner)
        let (vault, index) = (TestVault.open(store), ChunkIndex(packs))
        let prefetch = try #require(try BlockPrefetch(of: vault, index, vault.presentPacks(), order: ids))
        defer { prefetch.stop() }
        let reader = try ContentReader(of: vault, index, try vault.presentPacks(), prefetch: prefetch)
        for (id, chunk) in zip(ids, Self.chunks()) { #expect(try reader.bytes(of: id) == chunk) }

        // The blocks of 1 MiB three at a time, the first of a pack with its header.
        #expect(store.traffic.reads <= 24 / 3 + packs.count, "\(store.traffic)")
        #expect(store.traffic.bytesRead < 25 << 20)
    }

    @Test("Readers that share it and need the same block bring it once")
    func shared() throws {
        let (inner, ids, packs) = try Self.stored()
        let store = CountingStore(inner)
        let (vault, index) = (TestVault.open(store), ChunkIndex(packs))
        let present = try vault.presentPacks()
        let prefetch = try #require(BlockPrefetch(of: vault, index, present, order: ids))
        defer { prefetch.stop() }
        let readers = try (0..<2).map { _ in try ContentReader(of: vault, index, present, prefetch: prefetch) }
        for (id, chunk) in zip(ids, Self.chunks()) {
            for reader in readers { #expect(try reader.bytes(of: id) == chunk) }
        }

        #expect(store.traffic.bytesRead < 25 << 20, "\(store.traffic)")
    }

    @Test("What cannot be read ahead of time is read when it is asked for, and its error is that of the reader")
    func missing() throws {
        let (store, ids, packs) = try Self.stored()
        let (vault, index) = (TestVault.open(store), ChunkIndex(packs))
        let present = try vault.presentPacks()
        let name = PackRecord.name(of: packs[0].id).text
        let bytes = store.bytes(of: name)
        store.set(name, to: nil)
        let prefetch = try #require(try BlockPrefetch(of: vault, index, vault.presentPacks(), order: ids))
        defer { prefetch.stop() }
        let reader = try ContentReader(of: vault, index, present, prefetch: prefetch)

        #expect(throws: VaultError.self) { try reader.bytes(of: ids[0]) }
        store.set(name, to: bytes)
        for (id, chunk) in zip(ids, Self.chunks()) { #expect(try reader.bytes(of: id) == chunk) }
    }

    @Test("A pack that came after the packs were listed is read when it is asked for")
    func late() throws {
        let (store, ids, packs) = try Self.stored()
        let (vault, index) = (TestVault.open(store), ChunkIndex(packs))
        let present = try vault.presentPacks()
        let name = PackRecord.name(of: packs[0].id).text
        let bytes = store.bytes(of: name)
        store.set(name, to: nil)
        let before = try vault.presentPacks()
        store.set(name, to: bytes)

        let prefetch = try #require(BlockPrefetch(of: vault, index, before, order: ids))
        defer { prefetch.stop() }
        let reader = try ContentReader(of: vault, index, present, prefetch: prefetch)
        for (id, chunk) in zip(ids, Self.chunks()) { #expect(try reader.bytes(of: id) == chunk) }
    }

    @Test("Damage is found in what was read ahead of time too")
    func damaged() throws {
        let (store, ids, packs) = try Self.stored()
        let name = PackRecord.name(of: packs[0].id).text
        var bytes = try #require(store.bytes(of: name))
        bytes[bytes.count / 2] ^= 1
        store.set(name, to: bytes)
        let (vault, index) = (TestVault.open(store), ChunkIndex(packs))
        let prefetch = try #require(try BlockPrefetch(of: vault, index, vault.presentPacks(), order: ids))
        defer { prefetch.stop() }
        let reader = try ContentReader(of: vault, index, try vault.presentPacks(), prefetch: prefetch)

        #expect(ids.count { (try? reader.bytes(of: $0)) == nil } == 1)
    }

    @Test("A vault in a folder has none: its reads wait for nothing")
    func folder() throws {
        let vault = TestVault.open(MemoryStore())
        let (ids, packs) = try TestVault.store([[1, 2, 3]], in: vault)
        #expect(try BlockPrefetch(of: vault, ChunkIndex(packs), vault.presentPacks(), order: ids) == nil)
    }

    @Test("A value is given once, those that were passed over make room, and none is begun after the end")
    func values() {
        let made = Mutex<[Int]>([])
        let prefetcher = Prefetcher(count: 1_000, threads: 3, room: 10) { _ in
            1
        } make: { number in
            made.withLock { $0.append(number) }
            return number
        }
        func isMade(_ number: Int) -> Bool { made.withLock { $0.contains(number) } }
        func waitFor(_ number: Int) {
            for _ in 0..<6_000 where !isMade(number) { Wait.milliseconds(10) }
        }
        waitFor(9)
        #expect(prefetcher.value(of: 0) == 0 && prefetcher.value(of: 0) == nil)
        // The others that are made fill the room until somebody is far ahead of them.
        #expect(prefetcher.value(of: 500) == 500)
        waitFor(501)
        #expect(isMade(501) && !isMade(100))
        #expect(prefetcher.value(of: 501) == 501 && prefetcher.value(of: 5) == nil)
        prefetcher.stop()

        let all = made.withLock { $0 }
        #expect(all.count == Set(all).count)
        #expect(prefetcher.value(of: 999) == 999 && prefetcher.value(of: 999) == nil)
    }
}
