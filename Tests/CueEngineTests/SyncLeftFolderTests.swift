import CueBase
import CueLibrary
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// Folders that one device deletes or renames, and that are not empty on another one when it hears of it.
@Suite("Folders that could not go at once")
struct SyncLeftFolderTests {
    private let devices: [SyncDevice]
    private var here: SyncDevice { devices[0] }
    private var there: SyncDevice { devices[1] }

    init() throws {
        let (folder, store) = (TemporaryFolder(), MemoryStore())
        devices = try ["laptop", "desk"].map { try SyncDevice($0, in: folder, on: store) }
        try devices[0].write("Notes/in.md", "text")
        try devices[0].write("Other.md", "other")
        for device in devices { try device.sync() }
    }

    /// Both have the same, nothing waits, and nothing moves any more.
    private func expectCalm(_ names: Set<String>) throws {
        for device in [here, there, here] { try device.sync() }
        for device in devices {
            let found = try Set(device.tree().keys)
            #expect(found == names, "\(device.name)")
        }
        for device in devices {
            let last = try device.sync()
            #expect(last.waiting.isEmpty && last.received.isEmpty && last.removed.isEmpty && last.backup.new == 0)
        }
    }

    @Test("A folder in which a document was open goes with the sync that takes the document, and its name is free")
    func openDocument() throws {
        try there.write("Notes/.~lock.in.md#", "open")
        try here.remove("Notes")
        try here.sync()
        #expect(try there.sync().waiting.count == 1)
        #expect(there.exists("Notes/in.md"))
        try there.remove("Notes/.~lock.in.md#")

        try there.sync()

        #expect(!there.exists("Notes"))
        try here.write("Notes", "a document of that name")
        try here.sync()
        #expect(try there.sync().waiting.isEmpty)
        #expect(try there.read("Notes") == "a document of that name")
    }

    @Test("A folder in which only ignored files are stays and is named, and goes for good once they are gone")
    func ignoredFiles() throws {
        try there.write("Notes/scratch.tmp", "a writer's own")
        try here.remove("Notes")
        try here.sync()
        for _ in 1...2 {
            let waiting = try there.sync().waiting
            #expect(waiting.map(\.path) == [RelativePath(trusted: Array("Notes".utf8))], "\(waiting)")
            #expect(waiting.first?.reason == .holdsIgnored(Array("scratch.tmp".utf8), more: 0))
            #expect(try there.read("Notes/scratch.tmp") == "a writer's own")
        }
        try there.remove("Notes/scratch.tmp")

        try there.sync()

        #expect(!there.exists("Notes"))
        try here.sync()
        #expect(!here.exists("Notes"))
        try expectCalm(["Other.md"])
    }

    @Test("Folders in a folder go with it, the deepest first, also where each held something")
    func nested() throws {
        try here.write("Notes/Old/very/one.md", "one")
        for device in devices { try device.sync() }
        try there.write("Notes/Old/very/scratch.tmp", "")
        try there.write("Notes/Old/.DS_Store", "")
        try here.remove("Notes")
        try here.sync()
        #expect(try there.sync().waiting.map(\.path?.name) == [Array("very".utf8)])
        try there.remove("Notes/Old/very/scratch.tmp")

        try there.sync()

        #expect(!there.exists("Notes"))
        try expectCalm(["Other.md"])
    }

    @Test("A folder that was renamed elsewhere while a document in it was open leaves no empty one behind")
    func renamedElsewhere() throws {
        try there.write("Notes/.~lock.in.md#", "open")
        try here.rename("Notes", "Letters")
        try here.sync()
        #expect(try !there.sync().waiting.isEmpty)
        try here.sync()
        try there.remove("Notes/.~lock.in.md#")

        try expectCalm(["Other.md", "Letters/", "Letters/in.md"])
    }

    @Test("A folder that was to go is in use again once something new is in it, and every device has it")
    func usedAgain() throws {
        try there.write("Notes/scratch.tmp", "")
        try here.remove("Notes")
        try here.sync()
        try there.sync()
        try there.write("Notes/new.md", "new")
        try there.sync()
        try there.remove("Notes/scratch.tmp")

        try expectCalm(["Other.md", "Notes/", "Notes/new.md"])

        try here.remove("Notes")
        try expectCalm(["Other.md"])
    }

    @Test("A folder that was to go may be removed or renamed by hand")
    func byHand() throws {
        try here.write("Letters/one.md", "one")
        for device in devices { try device.sync() }
        for folder in ["Notes", "Letters"] {
            try there.write("\(folder)/scratch.tmp", "")
            try here.remove(folder)
        }
        try here.sync()
        #expect(try there.sync().waiting.count == 2)
        try there.remove("Notes")
        try there.rename("Letters", "Mine")
        try there.sync()
        try there.remove("Mine/scratch.tmp")

        try expectCalm(["Other.md", "Mine/"])
    }

    @Test(
        "A folder that was deleted elsewhere, with a document that a rule covers here, does not come back on other devices"
    )
    func ignoredDocument() throws {
        try here.remove("Notes")
        try here.sync()
        try there.write(".cueignore", "in.md\n")

        for _ in 1...2 {
            try there.sync()
            try here.sync()
        }

        #expect(!here.exists("Notes"))
        #expect(try there.read("Notes/in.md") == "text")
    }

    private static func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("A folder that a killed sync left with another mode gets that of the vault, and the other devices keep it")
    func modeOfKilledSync() throws {
        let (folder, store) = (TemporaryFolder(), MemoryStore())
        let devices = try ["laptop", "desk"].map { try SyncDevice($0, in: folder, on: store) }
        try devices[0].write("Archive/old.md", "old")
        try Self.setMode(0o555, of: "\(devices[0].path)/Archive")
        try devices[0].sync()
        // As a sync makes it before its files are there.
        try devices[1].write("Archive/old.md", "old")
        try Self.setMode(0o755, of: "\(devices[1].path)/Archive")
        try devices[1].library.store.write { try $0.set(.wasCutOff, to: true) }

        for device in devices + devices { #expect(try device.sync().conflicts.isEmpty) }

        for device in devices {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(device.path)/Archive")
            #expect(attributes[.posixPermissions] as? Int == 0o555, "\(device.name)")
            try Self.setMode(0o755, of: "\(device.path)/Archive")
        }
    }
}
