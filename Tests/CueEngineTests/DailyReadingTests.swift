import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

@Suite("What the daily reading of a part of the vault notes", .contentInPacks)
struct DailyReadingTests {
    private static let day = 86_400.0
    private let folder = TemporaryFolder()
    private let store = MemoryStore()

    /// A device on a vault that names itself, as a reading asks for after an error.
    private func device(_ name: String) throws -> SyncDevice {
        let device = try SyncDevice(name, in: folder, on: store)
        let header = #"{"format":2,"vault":"\#(device.vault.id)"}"#
        store.set("vault.json", to: Array(header.utf8))
        return device
    }

    private func losePacks() {
        for pack in store.names where pack.hasPrefix("packs/") { store.set(pack, to: nil) }
    }

    /// Reads the part of each of these days.
    private static func read(_ device: SyncDevice, days: Int) throws {
        let time = TestClock()
        let library = device.library.with(surroundings: Surroundings(clock: time.clock))
        for _ in 1...days {
            let check = RollingCheck(EngineContext(library, device.vault))
            var slice = try check.begin()
            while !slice.isDone { try check.step(&slice) }
            _ = try check.finish(slice)
            time.advance(by: day)
        }
    }

    /// Writes a document and syncs, once every file is old enough to be trusted.
    @discardableResult
    private static func store(_ name: String, _ device: SyncDevice) throws -> RunSummary {
        try device.write(name, "the text of \(name)")
        Wait.milliseconds(60)
        return try device.sync()
    }

    @Test("A pack that is gone, and whose content was stored again, does not keep the others waiting")
    func replaced() throws {
        let desk = try device("desk")
        try Self.store("One.md", desk)
        losePacks()
        #expect(try Self.store("Two.md", desk).allStoredAgain.count == 1)

        try Self.read(desk, days: 4)

        #expect(try desk.library.store.read { try $0.neverVerified() } == 0)
    }

    @Test("The same if another device wrote the pack, and this one never compared it")
    func replacedClaim() throws {
        let (desk, laptop) = (try device("desk"), try device("laptop"))
        try Self.store("One.md", desk)
        try Self.store("Letter.md", laptop)
        for pack in try laptop.library.store.read({ try $0.claimedPacks() }) {
            store.set(PackRecord.name(of: pack).text, to: nil)
        }
        #expect(try Self.store("Two.md", desk).allStoredAgain.count == 1)

        try Self.read(laptop, days: 5)

        #expect(try laptop.library.store.read { try $0.neverVerified() } == 0)
    }

    // MARK: What it clears

    private static func problem(_ device: SyncDevice) throws -> VaultProblem? {
        try device.library.store.read { try $0.problem(.vaultProblem) }
    }

    private static func set(_ problem: VaultProblem, _ device: SyncDevice) throws {
        try device.library.store.write { try $0.set(problem, as: .vaultProblem) }
    }

    private static let damage = VaultProblem.damage(.damaged(.object("packs/a"), .cutShort))

    @Test("A part without findings clears the damage that an earlier one found")
    func clears() throws {
        let desk = try device("desk")
        try Self.store("One.md", desk)
        try Self.set(Self.damage, desk)

        try Self.read(desk, days: 1)

        #expect(try Self.problem(desk) == nil)
    }

    @Test("A part without findings leaves lost packs as a problem until they are there again")
    func packsGone() throws {
        let desk = try device("desk")
        try Self.store("One.md", desk)
        let lost = store.names.filter { $0.hasPrefix("packs/") }.map { ($0, store.bytes(of: $0)) }
        losePacks()
        try Self.store("Two.md", desk)

        try Self.read(desk, days: 3)

        #expect(try Self.problem(desk) == .packsGone(1))
        for (pack, bytes) in lost { store.set(pack, to: bytes) }
        try Self.read(desk, days: 1)
        #expect(try Self.problem(desk) == nil)
    }

    @Test("A part without findings leaves a false claim of another device as a problem")
    func falseClaim() throws {
        let desk = try device("desk")
        try Self.store("One.md", desk)
        let claim = VaultProblem.falseClaim(.damaged(.object("packs/a"), .cutShort))
        try Self.set(claim, desk)

        try Self.read(desk, days: 2)

        #expect(try Self.problem(desk) == claim)
    }

    @Test("Damage stays a problem until all packs that were found damaged were read again")
    func otherPacks() throws {
        let desk = try device("desk")
        try Self.store("One.md", desk)
        try Self.store("Two.md", desk)
        let packs = try desk.vault.presentPacks().sizes.keys
        #expect(packs.count == 2)
        try desk.library.store.write { try $0.addBroken(Array(packs)) }
        try Self.set(Self.damage, desk)

        try Self.read(desk, days: 1)

        #expect(try Self.problem(desk) == Self.damage)
        try Self.read(desk, days: 1)
        #expect(try Self.problem(desk) == nil)
    }
}
