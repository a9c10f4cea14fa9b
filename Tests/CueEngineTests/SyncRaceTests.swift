import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

@Suite("A writer who saves while a sync replaces")
struct SyncRaceTests {
    enum Saving: CaseIterable, Sendable { case inPlace, byRename, inABundle, bundleByRename, newName, removes }

    /// What a writer does in the library of `device` while its sync is at work.
    private static func save(_ saving: Saving, _ device: SyncDevice) throws {
        switch saving {
        case .inPlace:
            for number in 1...4 {
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(device.path)/\(number).md"))
                try file.truncate(atOffset: 0)
                try file.write(contentsOf: Data("mine \(number)".utf8))
                try file.close()
            }
        case .byRename: for number in 1...4 { try device.write("\(number).md", "mine \(number)") }
        case .inABundle: try device.write("Map.rtfd/TXT.rtf", "mine map")
        case .bundleByRename:
            try device.write("Aside/TXT.rtf", "mine map")
            try device.rename("Map.rtfd", "Old map")
            try device.rename("Aside", "Map.rtfd")
        case .newName: try device.write("New.md", "mine new")
        case .removes: for number in 1...4 { try? device.remove("\(number).md") }
        }
    }

    @Test(
        "What a writer saves in the middle of a sync is on the disk or in the vault afterwards",
        arguments: Saving.allCases)
    func saves(saving: Saving) throws {
        for moment in [1, 4] {
            let folder = TemporaryFolder()
            let store = MemoryStore()
            let devices = try ["laptop", "desk"].map { try SyncDevice($0, in: folder, on: store) }
            for number in 1...4 { try devices[0].write("\(number).md", "old \(number)") }
            try devices[0].write("Map.rtfd/TXT.rtf", "old map")
            try devices[0].write("Map.rtfd/one.png", "old picture")
            for device in devices { try device.sync() }
            for number in 1...4 { try devices[0].write("\(number).md", "new \(number)") }
            try devices[0].write("Map.rtfd/TXT.rtf", "new map")
            try devices[0].write("New.md", "new new")
            try devices[0].sync()
            let device = devices[1]

            try device.sync(reporter: Meanwhile(after: moment) { try Self.save(saving, device) })

            let after = try device.tree()
            #expect(
                !after.keys.contains { $0.contains(".cue-restore-") }, "\(saving) \(moment): \(after.keys.sorted())")
            for _ in 1...2 { for device in devices.reversed() { try device.sync(keep: .both) } }
            let trees = try devices.map { try $0.tree() }
            #expect(trees[0] == trees[1], "\(saving) \(moment)")
            let texts = Set(trees[0].values)
            var mine: [String] = []
            switch saving {
            case .inPlace, .byRename: mine = (1...4).map { "mine \($0)" }
            case .inABundle, .bundleByRename: mine = ["mine map"]
            case .newName: mine = ["mine new"]
            case .removes: break
            }
            for text in mine { #expect(texts.contains(text), "\(saving) \(moment): \(text) is gone; \(trees[0])") }
        }
    }
}
