import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

/// Commits are gone from the vault that a device has seen.
@Suite("A vault that went back in time")
struct OlderVaultTests {
    /// A device that has listed its newest commit, and the name of that commit.
    private static func stored(hasCursor: Bool) throws -> (TestLibrary, newest: String) {
        let device = try TestLibrary(on: MemoryStore(readsAreDownloads: hasCursor))
        for text in ["one", "two"] {
            try device.write("Essay.md", text)
            try device.backup()
        }
        try device.backup()
        #expect(try device.vault.log.all().count == 2)
        let hasRead = try device.library.store.read { try $0.value(.logCursor) } != nil
        #expect(hasRead == (hasCursor || TestLibrary.hasRows))
        return (device, ObjectRecordLog.name(of: try device.library.device().position).text)
    }

    private static func problem(_ device: TestLibrary) throws -> VaultProblem? {
        try device.library.store.read { try $0.vaultProblem() }
    }

    @Test("Is a problem until a run finds the commits again, also in a log with a cursor", arguments: [false, true])
    func nextRun(hasCursor: Bool) throws {
        let (device, newest) = try Self.stored(hasCursor: hasCursor)
        let bytes = device.store.bytes(of: newest)
        device.store.set(newest, to: nil)
        #expect(throws: VaultError.wentBack(missing: 1)) { try Backup.run(device.context) }
        #expect(try Self.problem(device) == .commitsGone(1))

        device.store.set(newest, to: bytes)
        _ = try Backup.run(device.context)

        #expect(try Self.problem(device) == nil)
    }

    @Test("If a check has found it, only a run that lists the whole log clears it", arguments: [false, true])
    func afterCheck(hasCursor: Bool) throws {
        let (device, _) = try Self.stored(hasCursor: hasCursor)
        try device.library.store.write { try $0.set(.commitsGone(1), as: .checkProblem) }

        _ = try Backup.run(device.context)

        // With a cursor the log is listed from its start once a day.
        #expect(try (Self.problem(device) != nil) == (hasCursor || TestLibrary.hasRows))
        let tomorrow = TestClock(at: Timestamp(milliseconds: Clock.system.now.milliseconds + 90_000_000))
        let library = device.library.with(surroundings: Surroundings(clock: tomorrow.clock))
        _ = try Backup.run(EngineContext(library, device.vault))
        #expect(try Self.problem(device) == nil)
    }
}
