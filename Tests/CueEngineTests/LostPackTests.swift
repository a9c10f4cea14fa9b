import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Synchronization
import Testing

@testable import CueEngine

/// Packs are gone from the vault, and the folder still has what they held.
@Suite("What a lost pack held, and the folder still has", .contentInPacks)
struct LostPackTests {
    private static let texts = ["One.md": "one", "Novel.scriv/1.rtf": "a scene", "Novel.scriv/2.rtf": "another"]

    /// A device whose documents are in the vault.
    private static func stored(
        _ name: String = "desk", in folder: TemporaryFolder = TemporaryFolder(), on store: MemoryStore = MemoryStore()
    ) throws -> SyncDevice {
        let device = try SyncDevice(name, in: folder, on: store)
        for (name, text) in texts { try device.write(name, text) }
        Wait.milliseconds(250)
        try device.sync()
        return device
    }

    private static func losePacks(of device: SyncDevice) throws {
        let store = try #require(device.store as? MemoryStore)
        for pack in store.names where pack.hasPrefix("packs/") { store.set(pack, to: nil) }
    }

    /// Every version in the vault can be restored.
    private static func expectWhole(_ device: SyncDevice, _ comment: Comment? = nil) throws {
        let report = try Check.run(device.context.ofVault, readData: true)
        #expect(report.damagedDocuments.isEmpty, comment)
    }

    @Test("Is stored again by the backup that notices, at whatever moment others were stopped before")
    func stopped() throws {
        for call in 1... {
            let device = try Self.stored()
            try Self.losePacks(of: device)
            try device.write("New.md", "new")
            let asked = Mutex(0)
            let stopping = device.library.with(
                surroundings: Surroundings(
                    cancellation: Cancellation {
                        asked.withLock {
                            $0 += 1; return $0 >= call
                        }
                    }))
            let isStopped: Bool
            do {
                _ = try Backup.run(EngineContext(stopping, device.vault))
                isStopped = false
            } catch is Interrupted { isStopped = true }

            if isStopped { _ = try Backup.run(device.context) }

            try Self.expectWhole(device, "stopped at \(call)")
            #expect(try Backup.run(device.context).storedAgain.isEmpty, "stopped at \(call)")
            guard isStopped else { return #expect(call > 5) }
        }
    }

    /// Writes over a file as a failing disk does: size and times are afterwards as the device knows them.
    private static func rot(_ name: String, in document: String, of device: SyncDevice) throws {
        let text = try device.read(name)
        try device.write(name, String(repeating: "?", count: text.utf8.count))
        let path = RelativePath(trusted: Array(document.utf8))
        var edits = FolderEdits(device.library.store)
        var folders = FolderPath(device.library.root)
        var entry = try #require(try StoredEntries(device.library).entry(at: path))
        if entry.kind == .bundle {
            let listing = try BundleListing(folders.open(path))
            let known = try #require(try device.library.store.read { try $0.members(of: entry.project) })
            let members = zip(known, listing.items).map { MemberEntry(stat: StatKey($1.info), member: $0.member) }
            try device.library.store.write { try $0.setMembers(members, of: entry.project) }
        } else {
            let info = try #require(try folders.openParent(of: path).info(of: path.name))
            entry.stat = StatKey(info)
            try edits.put(entry, at: path)
            let changed = edits
            try device.library.store.write { try changed.save($0) }
        }
    }

    @Test("Is named and not stored if the disk has damaged it meanwhile", arguments: ["One.md", "Novel.scriv/1.rtf"])
    func rotten(name: String) throws {
        let folder = TemporaryFolder()
        let store = MemoryStore()
        let (desk, laptop) = (try Self.stored(in: folder, on: store), try SyncDevice("laptop", in: folder, on: store))
        try laptop.sync()
        let document = name.split(separator: "/").first.map(String.init) ?? name
        try Self.rot(name, in: document, of: desk)
        #expect(try desk.sync().backup.changed == 0)
        try Self.losePacks(of: desk)
        try desk.write("New.md", "new")
        Wait.milliseconds(250)

        let found = try Backup.run(desk.context)

        #expect(found.damaged.map { Display.text($0) } == [document] && found.changed == 0, "\(found)")
        try laptop.sync()
        #expect(try laptop.read(name) == Self.texts[name])
        // The laptop has the good text, and stores it again once it notices.
        try laptop.write("Newer.md", "newer")
        Wait.milliseconds(250)
        try laptop.sync()
        try Self.expectWhole(laptop)
        try desk.sync()
        #expect(try desk.read(name) == Self.texts[name])
    }

    @Test("Is no edit and no damage where the file system did not keep a time or mode of the stored version")
    func otherTimes() throws {
        let device = try Self.stored()
        let path = RelativePath(trusted: Array("One.md".utf8))
        var entry = try #require(try StoredEntries(device.library).entry(at: path))
        entry.fingerprint &+= 1
        var edits = FolderEdits(device.library.store)
        try edits.put(entry, at: path)
        let changed = edits
        try device.library.store.write { try changed.save($0) }
        try Self.losePacks(of: device)
        try device.library.store.write { try $0.set(.isContentLost, to: true) }

        let summary = try Backup.run(device.context)

        #expect(summary.damaged.isEmpty && summary.changed == 0 && summary.storedAgain.count == 2, "\(summary)")
        try Self.expectWhole(device)
    }

    @Test("Is stored again under the name that another device gave it in the same run")
    func renamedElsewhere() throws {
        let folder = TemporaryFolder()
        let store = MemoryStore()
        let (desk, laptop) = (try Self.stored(in: folder, on: store), try SyncDevice("laptop", in: folder, on: store))
        try laptop.sync()
        try laptop.rename("One.md", "Renamed.md")
        try laptop.sync()
        try Self.losePacks(of: desk)
        try desk.write("New.md", "new")
        Wait.milliseconds(250)

        let summary = try desk.sync()

        #expect(summary.renamed.count == 1 && summary.allStoredAgain.count == 2, "\(summary)")
        try Self.expectWhole(desk)
    }

    @Test("Stays the same document if it is renamed and edited before it is stored again")
    func renamedAndEdited() throws {
        let device = try Self.stored()
        try Self.losePacks(of: device)
        try device.library.store.write { try $0.set(.isContentLost, to: true) }
        try device.rename("One.md", "Renamed.md")
        try device.write("Renamed.md", "one and more")
        try device.rename("Novel.scriv", "Book.scriv")
        try device.write("Book.scriv/3.rtf", "a third")
        Wait.milliseconds(250)

        let summary = try Backup.run(device.context)

        #expect(summary.new == 0 && summary.removed == 0 && summary.changed == 2, "\(summary)")
    }

    @Test("A document that was edited meanwhile is not named as stored again")
    func editedMeanwhile() throws {
        let device = try Self.stored()
        try Self.losePacks(of: device)
        try device.library.store.write { try $0.set(.isContentLost, to: true) }
        try device.write("One.md", "quite another text")
        Wait.milliseconds(250)

        let summary = try Backup.run(device.context)

        #expect(summary.changed == 1 && summary.storedAgain.map { Display.text($0) } == ["Novel.scriv"], "\(summary)")
    }

    @Test("Is named by the name that the folder gives it now")
    func renamedMeanwhile() throws {
        let device = try Self.stored()
        try Self.losePacks(of: device)
        try device.library.store.write { try $0.set(.isContentLost, to: true) }
        try device.rename("One.md", "Renamed.md")
        try device.remove("Novel.scriv")
        Wait.milliseconds(250)

        let summary = try Backup.run(device.context)

        #expect(summary.renamed == 1 && summary.storedAgain.map { Display.text($0) } == ["Renamed.md"], "\(summary)")
    }
}
