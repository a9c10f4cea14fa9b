import CueBase
import CueLibrary
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// A sync that ends at each of its calls to the vault in turn, as where a stick is pulled out, and what its owner does
/// before the next one.
@Suite("A sync that is cut off, and what a writer does then", .contentInPacks)
struct SyncFaultTests {
    enum Then: CaseIterable, Sendable {
        case nothing, renamesTheFolder, renamesADocument, editsADocument, deletesADocument, deletesTheFolder
    }

    /// A device with documents in folders that another one has none of, and changes to those that it has.
    private static func devices(on store: MemoryStore) throws -> [SyncDevice] {
        let folder = TemporaryFolder()
        let devices = try ["laptop", "desk"].map { try SyncDevice($0, in: folder, on: store) }
        for name in ["Old.md", "Plan.md", "Gone.md"] { try devices[0].write(name, "the old \(name)") }
        try devices[0].write("Map.rtfd/TXT.rtf", "the old map")
        for device in devices { try device.sync() }
        try devices[0].write("Drafts/Old/One.md", "one")
        try devices[0].write("Drafts/Old/Two.rtfd/TXT.rtf", "two")
        try devices[0].write("Drafts/Three.md", "three")
        try devices[0].write("Plan.md", "the new Plan.md")
        try devices[0].write("Map.rtfd/TXT.rtf", "the new map")
        try devices[0].write("Map.rtfd/one.png", "a picture")
        try devices[0].rename("Old.md", "Drafts/New.md")
        try devices[0].remove("Gone.md")
        try devices[0].sync()
        return devices
    }

    private static func act(_ then: Then, on device: SyncDevice) throws {
        switch then {
        case .nothing: break
        case .renamesTheFolder:
            if device.exists("Drafts") { try device.rename("Drafts", "Letters") }
        case .renamesADocument:
            if device.exists("Drafts/Old/One.md") { try device.rename("Drafts/Old/One.md", "1.md") }
        case .editsADocument:
            if device.exists("Drafts/Old/One.md") { try device.write("Drafts/Old/One.md", "one, and more") }
        case .deletesADocument:
            if device.exists("Drafts/Three.md") { try device.remove("Drafts/Three.md") }
        case .deletesTheFolder:
            if device.exists("Drafts") { try device.remove("Drafts") }
        }
    }

    @Test("Cut off anywhere, the next sync completes, and both have the same", arguments: Then.allCases)
    func cutOff(then: Then) throws {
        let first = MemoryStore()
        let counting = FaultyStore(first)
        try Self.devices(on: first)[1].sync(on: counting)
        // The last ones are those between which documents are placed; the others all find the disk as it was.
        for call in [1] + Array(counting.calls - 4...counting.calls) {
            let store = MemoryStore()
            let devices = try Self.devices(on: store)
            #expect(throws: (any Error).self) { try devices[1].sync(on: FaultyStore(store, failingAt: call)) }
            let cut = try devices[1].tree()
            try Self.act(then, on: devices[1])
            let acted = try devices[1].tree()

            for _ in 1...2 { for device in devices { _ = try device.sync(keep: .both) } }

            let trees = try devices.map { try $0.tree() }
            #expect(trees[0] == trees[1], "call \(call), \(then)")
            #expect(!trees[1].keys.contains { $0.contains(".cue-restore-") }, "call \(call): \(trees[1].keys.sorted())")
            for (name, text) in acted where cut[name] != text && !name.hasSuffix("/") {
                #expect(trees[1].values.contains(text), "call \(call), \(then): \(name) lost what was written in it")
            }
            let deleted = Set(cut.values).subtracting(acted.values)
            for text in ["one", "two", "three", "the new Plan.md", "the new map", "the old Old.md"]
            where !deleted.contains(text) && !(then == .editsADocument && text == "one") {
                #expect(trees[1].values.contains(text), "call \(call), \(then): \(text) is gone")
            }
            for text in deleted where !text.isEmpty {
                #expect(!trees[1].values.contains(text), "call \(call), \(then): \(text) is back")
            }
        }
    }

    @Test("What a killed sync left in a folder that has another name since is found there")
    func foundElsewhere() throws {
        let device = try SyncDevice("laptop", in: TemporaryFolder(), on: MemoryStore())
        try device.write("Drafts/Old/One.md", "one")
        try device.write("Drafts/Old/Two.rtfd/TXT.rtf", "two")
        try device.write("Other/Three.md", "three")
        try device.sync()
        let names = TemporaryNames(7)
        let temporary = (1...3).map { String(decoding: names.name($0), as: UTF8.self) }
        let old = RelativePath(trusted: Array("Drafts/Old".utf8))
        let journal = try PlacingJournal(of: device.library)
        try journal.note(.begin(run: 7, folders: [old]))
        try journal.note(.aside(old.appending(Array("One.md".utf8)), temporary: names.name(1)))
        try journal.note(.aside(old.appending(Array("Two.rtfd".utf8)), temporary: names.name(2)))
        try device.rename("Drafts/Old/One.md", "Drafts/Old/\(temporary[0])")
        try device.rename("Drafts/Old/Two.rtfd", "Drafts/Old/\(temporary[1])")
        try device.write("Drafts/Old/\(temporary[2])", "half a dra")

        try device.rename("Drafts", "Letters")
        let summary = try device.sync()

        let tree = try device.tree()
        #expect(tree["Letters/Old/One.md"] == "one" && tree["Letters/Old/Two.rtfd/TXT.rtf"] == "two", "\(tree)")
        #expect(!tree.keys.contains { $0.contains(".cue-restore-") }, "\(tree.keys.sorted())")
        #expect(summary.backup.removed == 0 && summary.backup.renamed == 2, "\(summary.backup)")
        #expect(!PlacingJournal.isLeft(by: device.library))
    }

    @Test("A document that was deleted and written anew stays, where the commit that deleted it comes last")
    func deletionComesLate() throws {
        for _ in 1...6 {
            let (folder, here, there) = (TemporaryFolder(), MemoryStore(), MemoryStore())
            let laptop = try SyncDevice("laptop", in: folder, on: here)
            let desk = try SyncDevice("desk", in: folder, on: there)
            for name in ["Draft.md", "A.md", "B.md", "C.md"] { try laptop.write(name, "the text of \(name)") }
            try laptop.sync()
            there.merge(here)
            try desk.sync()
            try laptop.remove("Draft.md")
            try laptop.sync()
            let late = here.names.filter { $0.hasPrefix("log/") && there.bytes(of: $0) == nil }
            try laptop.write("Draft.md", "the text of Draft.md")
            try laptop.sync()
            there.merge(here)
            for name in late { there.set(name, to: nil) }

            let first = try desk.sync()
            #expect(!first.waiting.isEmpty, "it is known that something is on its way")
            there.merge(here)
            try desk.sync()
            here.merge(there)
            try laptop.sync()

            #expect(try laptop.exists("Draft.md") && desk.tree() == laptop.tree())
        }
    }

    @Test("A document of many files whose content has not arrived is named once, and so is each other one")
    func waitsOnce() throws {
        let (folder, store) = (TemporaryFolder(), MemoryStore())
        let (laptop, desk) = (
            try SyncDevice("laptop", in: folder, on: store), try SyncDevice("desk", in: folder, on: store)
        )
        for number in 1...3 { try laptop.write("Map.rtfd/Sheets/\(number).rtf", "sheet \(number)") }
        for name in ["One.md", "Two.md"] { try laptop.write("Drafts/\(name)", "the text of \(name)") }
        Wait.milliseconds(250)
        try laptop.sync()
        for pack in store.names where pack.hasPrefix("packs/") { store.set(pack, to: nil) }

        let summary = try desk.sync()

        let waiting = summary.waiting.compactMap { $0.path.map { Display.text($0) } }
        #expect(waiting.sorted() == ["Drafts/One.md", "Drafts/Two.md", "Map.rtfd"], "\(summary.waiting)")
    }

    @Test("An answer takes the place of all heads, also of one that says the same as another")
    func equalDeletions() throws {
        let folder = TemporaryFolder()
        let stores = (1...3).map { _ in MemoryStore() }
        let devices = try zip(["laptop", "desk", "phone"], stores).map { try SyncDevice($0, in: folder, on: $1) }
        for name in ["Draft.md", "A.md", "B.md", "C.md"] { try devices[0].write(name, "the text of \(name)") }
        try devices[0].sync()
        for number in 1...2 {
            stores[number].merge(stores[0])
            try devices[number].sync()
        }
        try devices[0].remove("Draft.md")
        try devices[1].remove("Draft.md")
        try devices[2].write("Draft.md", "the text of Draft.md")
        try devices[2].write("Draft.md", "another text")
        for device in devices { try device.sync() }
        for number in 1...2 { stores[0].merge(stores[number]) }

        let answered = try devices[0].sync(keep: .other)
        let after = try devices[0].sync()

        #expect(answered.resolved.count == 1)
        #expect(after.conflicts.isEmpty && after.removed.isEmpty)
        #expect(try devices[0].read("Draft.md") == "another text")
        for number in 1...2 {
            stores[number].merge(stores[0])
            #expect(try devices[number].sync().conflicts.isEmpty)
            #expect(try devices[number].tree() == devices[0].tree())
        }
    }
}
