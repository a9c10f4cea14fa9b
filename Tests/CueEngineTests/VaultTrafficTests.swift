import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

/// What a vault behind a network would be asked for.
@Suite("Requests to a vault")
struct VaultTrafficTests {
    private let memory = MemoryStore(readsAreDownloads: true)

    private func traffic(_ device: TestLibrary, _ body: (Vault) throws -> Void) throws -> Traffic {
        let store = CountingStore(memory)
        try body(TestLibrary.vault(on: store))
        return store.traffic
    }

    @Test("Nothing to back up costs the same few requests, however long the history is")
    func nothingToDo() throws {
        let device = try TestLibrary(on: memory)
        var counts: Set<Int> = []
        for round in 1...3 {
            for number in 1...15 {
                try device.write("\(number).md", "text \(round) \(number)")
                try device.backup()
            }
            let traffic = try traffic(device) { vault in
                Wait.milliseconds(40)
                _ = try Backup.run(device.library, to: vault, reporter: SilentReporter())
            }
            counts.insert(traffic.requests)
            #expect(traffic.requests <= 8 && traffic.objects == 0, "\(traffic)")
        }
        #expect(counts.count == 1, "\(counts)")
    }

    @Test("One commit of another device is brought without a list of all commits, and without reading them again")
    func onePull() throws {
        let (device, other) = (try TestLibrary(on: memory), try TestLibrary(on: memory))
        for number in 1...40 {
            try other.write("\(number).md", "text \(number)")
            try other.backup()
        }
        try device.backup()
        try other.write("1.md", "another text")
        try other.backup()

        let traffic = try traffic(device) { vault in
            _ = try Pull.run(device.library, vault, try device.library.device())
        }

        #expect(traffic.lists <= 8, "\(traffic)")
        #expect(try device.library.store.read { try $0.value(.logCursor) } != nil)
    }

    @Test("With logs of rows no record is an object")
    func rows() throws {
        let device = try TestLibrary()
        try device.write("1.md", "text")
        try device.backup()

        #expect(try device.vault.objects.list("log").isEmpty == TestLibrary.hasRows)
        #expect(try device.vault.log.all().count == 1)
    }
}
