import CueBase
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// A bundle that a device finds in its folder as another device stored it.
@Suite("Bundles that two devices have in one folder")
struct LinkedBundleTests {
    @Test(
        "Two devices that write a bundle by turns, in folders that something else keeps alike, never make a chain too long"
    )
    func byTurns() throws {
        let (folder, store) = (TemporaryFolder(), MemoryStore())
        let devices = [
            try SyncDevice("laptop", in: folder, on: store), try SyncDevice("desk", in: folder, on: store),
        ]
        for number in 0..<8 { try devices[1].write("Novel.scriv/Files/\(number).rtf", "scene \(number)") }
        Wait.milliseconds(250)
        for round in 1...12 {
            let (writer, other) = (devices[round % 2], devices[(round + 1) % 2])
            if round > 1 {
                try? FileManager.default.removeItem(atPath: "\(writer.path)/Novel.scriv")
                let copied = try Program.run(
                    "/bin/cp", ["-a", "\(other.path)/Novel.scriv", "\(writer.path)/Novel.scriv"], in: folder.path)
                #expect(copied.code == 0)
                _ = try Backup.run(writer.context)
                try writer.write("Novel.scriv/Files/1.rtf", "as it is in round \(round)")
                Wait.milliseconds(250)
            }
            _ = try Backup.run(writer.context)
        }

        let history = try History.load(devices[1].vault)
        let chains = history.versions.values.map { version in
            sequence(first: version) { next in
                next.header.isDelta ? next.header.parents.first.flatMap { history.versions[$0] } : nil
            }.reduce(-1) { length, _ in length + 1 }
        }

        // Each device counts from what it linked, of which it does not know how long it is.
        #expect((chains.max() ?? 0) <= 2, "\(chains)")
        for version in history.versions.keys { #expect(throws: Never.self) { try history.members(of: version) } }
    }
}
