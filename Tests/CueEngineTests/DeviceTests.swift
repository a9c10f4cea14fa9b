import CueBase
import CueEventLog
import CueEvents
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

/// Devices that join, and devices that are shut out, with the real backups and syncs.
@Suite("Devices of a vault")
struct DeviceTests {
    private let folder = TemporaryFolder()
    private let store = MemoryStore()

    private func device(_ name: String) throws -> SyncDevice { try SyncDevice(name, in: folder, on: store) }

    /// Two devices that have one document.
    private func pair() throws -> (SyncDevice, SyncDevice) {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        try desk.write("a.md", "a")
        try desk.sync()
        try laptop.sync()
        return (desk, laptop)
    }

    private func shutOut(_ name: String, by device: SyncDevice, since: Timestamp? = nil) throws -> DeviceShutOut {
        try DeviceShutOut.run(name, since: since, device.context)
    }

    @Test("A device that joins is said once, and not to the device that joins")
    func joined() throws {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        try desk.write("a.md", "a")
        try desk.sync()
        try laptop.write("b.md", "b")
        try laptop.sync()
        try desk.sync()

        #expect(DeviceNews.untold(of: laptop.library) == DeviceNews())
        let news = DeviceNews.untold(of: desk.library)
        #expect(news.joined.map(\.id) == [try laptop.library.device().id])
        DeviceNews.note(told: news, in: desk.library)
        try laptop.write("b.md", "more")
        try laptop.sync()
        try desk.sync()
        #expect(DeviceNews.untold(of: desk.library) == DeviceNews())
    }

    @Test("What a device stores after it was shut out changes nothing on the disk of another, and deletes nothing")
    func aside() throws {
        let (desk, laptop) = try pair()
        try laptop.write("b.md", "b")
        try laptop.sync()
        try desk.sync()
        // A stolen laptop's program is another one: it goes on with the vault as it was before.
        let stolen = MemoryStore()
        stolen.merge(store)

        let done = try shutOut("laptop", by: desk)
        #expect(done.device.shutOut?.commitsAside == 0)
        try laptop.remove("a.md")
        try laptop.write("b.md", "junk")
        try laptop.write("c.md", "junk")
        try laptop.sync(on: stolen)
        store.merge(stolen)

        let before = try desk.tree()
        try desk.sync()
        #expect(try desk.tree() == before)
        let listed = try VaultDevice.all(in: desk.vault).first { $0.name == "laptop" }
        #expect(listed?.shutOut?.commitsAside == 1)
        #expect(try desk.isVaultWhole())
    }

    @Test("Documents that came from commits which are set aside later stay on the disk, and can be edited on")
    func alreadyHere() throws {
        let (desk, laptop) = try pair()
        try laptop.write("a.md", "from the laptop")
        try laptop.write("b.md", "new there")
        try laptop.sync()
        try desk.sync()
        #expect(try desk.read("b.md") == "new there")

        let phone = try device("phone")
        try phone.sync()
        _ = try shutOut("laptop", by: desk, since: Timestamp(milliseconds: 0))
        for device in [desk, phone] {
            try device.sync()
            #expect(
                try device.read("b.md") == "new there" && device.read("a.md") == "from the laptop", "\(device.name)")
        }

        // They are stored again, as nobody's word counts for them but that of those who have them.
        let fresh = try device("fresh")
        try fresh.sync()
        #expect(try fresh.tree() == desk.tree())
        #expect(try Conflicts.of(desk.context).all.isEmpty)

        try desk.write("b.md", "new there, and more")
        try desk.write("a.md", "from the laptop, and more")
        try desk.sync()
        let other = try device("other")
        try other.sync()
        #expect(try other.tree() == desk.tree())
        #expect(try desk.isVaultWhole())
    }

    @Test("The device that was shut out says so, stores nothing, and keeps its folder as it is")
    func own() throws {
        let (desk, laptop) = try pair()
        try laptop.write("b.md", "b")
        try laptop.sync()
        _ = try shutOut("laptop", by: desk)
        try laptop.write("c.md", "c")
        let (before, names) = (try laptop.tree(), store.names)

        for _ in 0..<2 {
            do {
                try laptop.sync()
                Issue.record("it went on")
            } catch VaultError.deviceShutOut(let by, _) { #expect(by == "desk") }
        }

        #expect(try laptop.tree() == before && store.names == names)
        let problem = try laptop.library.store.read { try $0.problem(.historyProblem) }
        let isSaid = if case .damage(.deviceShutOut)? = problem { true } else { false }
        #expect(isSaid, "\(String(describing: problem))")
    }

    @Test(
        "Of a device whose key a thief uses beside it, what others saw first counts, and no branch keeps it from being shut out"
    )
    func forked() throws {
        let (desk, laptop) = try pair()
        // The thief goes on from the vault and the disk as they are now, under the laptop's id.
        let (thief, place) = (try laptop.cloned("thief"), MemoryStore())
        place.merge(store)
        try laptop.write("b.md", "b")
        try laptop.sync()
        try desk.sync()
        for number in 0..<3 {
            try thief.write("junk\(number).md", "junk")
            try thief.sync(on: place)
        }
        store.merge(place)

        let done = try shutOut("laptop", by: desk)
        #expect(done.isForked)
        #expect(done.device.shutOut?.commitsAside == 3)
        try desk.sync()
        let fresh = try device("fresh")
        try fresh.sync()
        #expect(try fresh.tree() == desk.tree())
        #expect(try fresh.read("b.md") == "b" && desk.isVaultWhole())
    }

    @Test("A device is named by its name or its digits, and neither by few digits nor itself")
    func names() throws {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        for device in [desk, laptop] {
            try device.write("\(device.name).md", "x")
            try device.sync()
        }
        let id = try laptop.library.device().id.description
        #expect(throws: DeviceShutOut.Refusal.unknown("nobody")) { try shutOut("nobody", by: desk) }
        #expect(throws: DeviceShutOut.Refusal.unknown("abc")) { try shutOut("abc", by: desk) }
        // A name that looks like the digits of another device is no way around it.
        let twin = try device(String(id.prefix(8)))
        try twin.write("c.md", "x")
        try twin.sync()
        #expect(throws: DeviceShutOut.Refusal.self) { try shutOut(String(id.prefix(8)), by: desk) }
        #expect(throws: DeviceShutOut.Refusal.own) { try shutOut("desk", by: desk) }
        #expect(try shutOut(String(id.prefix(6)), by: desk).device.name == "laptop")
    }

    @Test("Events that a device brings after it was shut out are passed over")
    func events() throws {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        func add(_ id: String, _ device: SyncDevice) throws {
            try device.library.store.write {
                _ = try $0.add(
                    Event(
                        clientID: id, type: "note", time: Timestamp(milliseconds: 0), payload: .null,
                        createdAt: Timestamp(milliseconds: 0)))
            }
        }
        func ids(_ device: SyncDevice) throws -> Set<String> {
            var ids: Set<String> = []
            try device.library.store.read { try $0.forEachEvent { if $0.type == "note" { ids.insert($0.clientID) } } }
            return ids
        }
        try desk.write("a.md", "a")
        try desk.sync()
        try laptop.write("b.md", "b")
        try add("before", laptop)
        try laptop.sync()
        try desk.sync()
        let stolen = MemoryStore()
        stolen.merge(store)
        _ = try shutOut("laptop", by: desk)
        try add("after", laptop)
        try laptop.sync(on: stolen)
        store.merge(stolen)

        try desk.sync()
        let other = try device("other")
        try other.sync()

        #expect(try ids(desk) == ["before"] && ids(other) == ["before"])
    }
}

extension SyncDevice {
    /// Whether a check that reads everything finds nothing but that the vaults of tests have no key slot.
    func isVaultWhole() throws -> Bool {
        let report = try Check.run(context.ofVault, readData: true)
        return report.problems == [.noKeySlot] && report.damagedDocuments.isEmpty
    }
}
