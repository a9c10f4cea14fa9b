import CueBase
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

@Suite("Copies of a vault")
struct VaultCopyTests {
    private let memory = MemoryStore(readsAreDownloads: true)

    /// A vault with some saves of a library.
    private func vault(of saves: Int = 3) throws -> TestLibrary {
        let device = try TestLibrary(on: memory)
        memory.set("vault.json", to: header())
        var generator = SystemRandomNumberGenerator()
        for number in 1...saves {
            // Too much for a commit, and nothing that compresses.
            try device.write("\(number).md", (0..<10_000).map { _ in generator.next().hexadecimal }.joined())
            try device.backup()
        }
        return device
    }

    private func header(_ digit: String = "1") -> [UInt8] {
        Array("{\"format\": 2, \"vault\": \"\(String(repeating: digit, count: 32))\"}".utf8)
    }

    private func copy(to target: any ObjectStore, from source: (any ObjectStore)? = nil) throws -> VaultCopy.Summary {
        try VaultCopy(from: source ?? memory, to: target).run(targetName: "there")
    }

    @Test("A copy has every object, and a second run copies nothing")
    func copies() throws {
        _ = try vault()
        let target = MemoryStore()

        let first = try copy(to: target)
        #expect(first.copied == memory.names.count && target.names == memory.names)
        for name in memory.names { #expect(target.bytes(of: name) == memory.bytes(of: name)) }
        let second = try copy(to: target)
        #expect(second.copied == 0 && second.there == memory.names.count - 1 && second.extra == 0)
    }

    @Test("Two copies that both went on become one with a copy each way")
    func merges() throws {
        let device = try vault()
        let target = MemoryStore()
        _ = try copy(to: target)
        try device.write("4.md", "only here")
        try device.backup()
        target.set("log/\(String(repeating: "2", count: 32))/0000000001-3333333333333333", to: [1, 2, 3])

        let there = try copy(to: target)
        #expect(there.copied > 0 && there.extra == 1)
        let back = try copy(to: memory, from: target)
        #expect(back.copied == 1 && memory.names == target.names)
    }

    @Test("Cut off at any call, half a copy is no vault and names nothing that is not there; the next run completes it")
    func cutOff() throws {
        _ = try vault(of: 2)
        let whole = FaultyStore(MemoryStore())
        _ = try copy(to: whole)
        for call in 1...whole.calls {
            let target = MemoryStore()
            #expect(throws: VaultCopy.OfTarget.self) { try copy(to: FaultyStore(target, failingAt: call)) }
            #expect(target.bytes(of: "vault.json") == nil || target.names == memory.names)
            if target.names.contains(where: { $0.hasPrefix("log/") }) {
                #expect(
                    target.names.filter { $0.hasPrefix("packs/") } == memory.names.filter { $0.hasPrefix("packs/") })
            }
            _ = try copy(to: target)
            #expect(target.names == memory.names)
        }
    }

    @Test("A place with another vault, or with other objects, is left as it is")
    func otherVault() throws {
        _ = try vault(of: 1)
        let other = MemoryStore()
        other.set("vault.json", to: header("7"))
        let strange = MemoryStore()
        strange.set("packs/ab/abcd", to: [1])

        for target in [other, strange] {
            let before = target.names
            #expect(throws: VaultCopy.OfTarget.self) { try copy(to: target) }
            #expect(target.names == before)
        }
        #expect(throws: VaultError.notAVault) { try copy(to: MemoryStore(), from: MemoryStore()) }
    }

    @Test("A comparison names what is missing and what is not the same, and changes nothing")
    func compares() throws {
        _ = try vault()
        let target = MemoryStore()
        _ = try copy(to: target)
        let packs = target.names.filter { $0.hasPrefix("packs/") }
        let logs = target.names.filter { $0.hasPrefix("log/") }
        target.set(packs[0], to: target.bytes(of: packs[0])?.map { $0 ^ 1 })
        target.set(logs[0], to: [1])
        target.set(logs[1], to: nil)
        let compare = VaultCopy(from: memory, to: target)

        let sizes = try compare.compare(readingAll: false, targetName: "there")
        #expect(sizes.missing == [logs[1]] && sizes.different == [logs[0]])
        let all = try compare.compare(readingAll: true, targetName: "there")
        #expect(all.missing == [logs[1]] && Set(all.different) == [logs[0], packs[0]])
        #expect(target.bytes(of: logs[1]) == nil)
        // What differs is never replaced.
        let run = try copy(to: target)
        #expect(run.copied == 1 && run.different == [logs[0]] && target.bytes(of: logs[0]) == [1])
    }

    @Test("An object that is shorter than it was listed is not copied")
    func shorter() throws {
        _ = try vault(of: 1)
        let source = HookedStore(memory, { _, writer in writer })
        let pack = try #require(memory.names.first { $0.hasPrefix("packs/") })
        let lying = LyingStore(source, about: pack)
        let target = MemoryStore()

        #expect(throws: StorageError.shortRead(pack)) { try copy(to: target, from: lying) }
        #expect(target.bytes(of: pack) == nil)
    }
}

/// Lists one object as larger than it is.
private final class LyingStore: ObjectStore {
    private let inner: any ObjectStore
    private let name: String

    init(_ inner: any ObjectStore, about name: String) { (self.inner, self.name) = (inner, name) }

    func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter { try inner.makeWriter(for: name) }
    func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        try inner.read(name, at: offset, into: &buffer)
    }
    func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }
    func delete(_ name: ObjectName) throws(StorageError) { try inner.delete(name) }
    func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        let page = try inner.list(folder, after: after)
        return ObjectPage(
            page.entries.map { ObjectEntry(name: $0.name, size: $0.name.text == name ? $0.size + 5 : $0.size) },
            next: page.next)
    }
}
