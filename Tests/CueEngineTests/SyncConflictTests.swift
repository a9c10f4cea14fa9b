import CueBase
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// Conflicts between devices that each have a copy of the vault, and act before they have seen what the others did.
@Suite("Conflicts of devices that act at once")
struct SyncConflictTests {
    /// Devices with a copy of the vault each, all with `Letter.md`.
    private static func devices(_ count: Int) throws -> [SyncDevice] {
        let folder = TemporaryFolder()
        let devices = try (1...count).map { try SyncDevice("device \($0)", in: folder, on: MemoryStore()) }
        try devices[0].write("Letter.md", "as it was")
        try devices[0].sync()
        for device in devices.dropFirst() {
            exchange(devices)
            try device.sync()
        }
        exchange(devices)
        return devices
    }

    /// Every copy of the vault gets everything.
    private static func exchange(_ devices: [SyncDevice]) {
        let stores = devices.compactMap { $0.store as? MemoryStore }
        for store in stores { for other in stores { store.merge(other) } }
    }

    /// Lets every device edit the letter, and see what the others did.
    private static func fork(_ devices: [SyncDevice]) throws {
        for device in devices {
            try device.write("Letter.md", "as \(device.name) wrote it")
            try device.sync()
        }
        exchange(devices)
    }

    @Test("Resolved differently on two devices at once, it is a conflict again", arguments: 1...8)
    func crossedAnswers(round: Int) throws {
        let devices = try Self.devices(2)
        try Self.fork(devices)
        for device in devices { #expect(try device.sync(keep: .this).resolved.count == 1) }
        Self.exchange(devices)

        for device in devices {
            #expect(try device.sync().conflicts.count == 1)
            #expect(try device.read("Letter.md") == "as \(device.name) wrote it")
        }

        #expect(try devices[0].sync(keep: .other).resolved.count == 1)
        Self.exchange(devices)
        for device in devices {
            #expect(try device.sync().conflicts.isEmpty)
            #expect(try device.read("Letter.md") == "as device 2 wrote it")
        }
    }

    @Test("Resolved alike on two devices at once, nobody is asked again", arguments: 1...4)
    func sameAnswers(round: Int) throws {
        let devices = try Self.devices(2)
        try Self.fork(devices)
        #expect(try devices[0].sync(keep: .this).resolved.count == 1)
        #expect(try devices[1].sync(keep: .other).resolved.count == 1)
        Self.exchange(devices)

        for _ in 1...2 {
            for device in devices { #expect(try device.sync().conflicts.isEmpty) }
            Self.exchange(devices)
        }

        for device in devices { #expect(try device.read("Letter.md") == "as device 1 wrote it") }
    }

    @Test("An edit after two devices have joined the same heads at once is no conflict", arguments: 1...4)
    func editAfterCrossedJoins(round: Int) throws {
        let devices = try Self.devices(2)
        try devices[0].rename("Letter.md", "Brief.md")
        try devices[0].sync()
        try devices[1].write("Letter.md", "changed there")
        try devices[1].sync()
        Self.exchange(devices)
        for device in devices {
            #expect(try device.sync().conflicts.isEmpty)
            #expect(try device.read("Brief.md") == "changed there")
        }
        try devices[0].write("Brief.md", "and then here")
        try devices[0].sync()
        Self.exchange(devices)

        for _ in 1...2 {
            for device in devices { #expect(try device.sync().conflicts.isEmpty) }
            Self.exchange(devices)
        }

        for device in devices { #expect(try device.read("Brief.md") == "and then here") }
    }

    @Test("Two answers that cross are asked about again, also where a third device only renamed", arguments: 1...8)
    func crossedAnswersAndRename(round: Int) throws {
        let devices = try Self.devices(3)
        try devices[0].write("Letter.md", "as device 1 wrote it")
        try devices[0].sync()
        Self.exchange(devices)
        try devices[2].sync()
        try devices[2].rename("Letter.md", "Brief.md")
        try devices[1].write("Letter.md", "as device 2 wrote it")
        try devices[1].sync()
        // The second device forks from what the first had before; the third renames what the first wrote.
        try devices[2].sync()
        Self.exchange([devices[0], devices[1]])
        for device in devices[..<2] { _ = try device.sync(keep: .this) }
        Self.exchange(devices)

        for device in devices { #expect(try device.sync().conflicts.count == 1, "\(device.name)") }
    }

    @Test("Answers that cross again and again neither take ever longer nor lose anything", .timeLimit(.minutes(1)))
    func crossingForEver() throws {
        let devices = try Self.devices(3)
        try Self.fork(devices)
        for round in 1...7 {
            for device in devices { #expect(try device.sync(keep: .this).conflicts.isEmpty, "round \(round)") }
            Self.exchange(devices)
            for device in devices { #expect(try device.sync().conflicts.count == 1, "round \(round)") }
            Self.exchange(devices)
        }

        #expect(try devices[0].sync(keep: .this).resolved.count == 1)
        Self.exchange(devices)
        for device in devices {
            #expect(try device.sync().conflicts.isEmpty)
            #expect(try device.read("Letter.md") == "as device 1 wrote it")
        }
    }

    @Test(
        "Resolved alike on two devices, and written on by one before it saw the other's answer, nobody is asked",
        arguments: 0...1, 1...4)
    func sameAnswersAndAnEdit(writer: Int, round: Int) throws {
        let devices = try Self.devices(2)
        try Self.fork(devices)
        #expect(try devices[0].sync(keep: .this).resolved.count == 1)
        #expect(try devices[1].sync(keep: .other).resolved.count == 1)
        for text in ["and more", "and more again"] {
            try devices[writer].write("Letter.md", text)
            try devices[writer].sync()
        }
        Self.exchange(devices)

        for _ in 1...2 {
            for device in devices { #expect(try device.sync().conflicts.isEmpty) }
            Self.exchange(devices)
        }

        for device in devices { #expect(try device.read("Letter.md") == "and more again") }
    }

    @Test("Resolved alike on two devices, and written on by both, it is asked about")
    func sameAnswersAndTwoEdits() throws {
        let devices = try Self.devices(2)
        try Self.fork(devices)
        #expect(try devices[0].sync(keep: .this).resolved.count == 1)
        #expect(try devices[1].sync(keep: .other).resolved.count == 1)
        for device in devices {
            try device.write("Letter.md", "more by \(device.name)")
            try device.sync()
        }
        Self.exchange(devices)

        for device in devices { #expect(try device.sync().conflicts.count == 1) }
    }

    // MARK: Who wrote it

    @Test("After an undo, what is kept beside is named after the device that wrote its text, not the one that undid")
    func keptBothAfterUndo() throws {
        let devices = try Self.devices(2)
        try Self.fork(devices)
        #expect(try devices[1].sync(keep: .this).resolved.count == 1)
        _ = try Sync.undo("Letter.md", devices[1].context)

        #expect(try devices[1].sync(keep: .both).resolved.count == 1)

        #expect(try devices[1].read("Letter (device 1).md") == "as device 1 wrote it")
    }

    @Test("After an undo, a deletion is told of the device that deleted, not of the one that undid")
    func deletionAfterUndo() throws {
        let devices = try Self.devices(2)
        try devices[0].remove("Letter.md")
        try devices[0].sync()
        try devices[1].write("Letter.md", "as device 2 wrote it")
        try devices[1].sync()
        Self.exchange(devices)
        #expect(try devices[1].sync(keep: .this).resolved.count == 1)
        _ = try Sync.undo("Letter.md", devices[1].context)

        let conflicts = try Conflicts.of(devices[1].context)

        let sides = try conflicts.details(of: #require(conflicts.all.first)).sides
        #expect(sides.first { $0.side.isDeletion }?.device == "device 1")
        #expect(sides.first { !$0.side.isDeletion }?.device == "device 2")
    }

    @Test("After a join, what is kept beside is named after the device that wrote its text, not the one that joined")
    func keptBothAfterJoin() throws {
        let devices = try Self.devices(3)
        try devices[0].write("Letter.md", "as device 1 wrote it")
        try devices[0].sync()
        try devices[1].rename("Letter.md", "Brief.md")
        try devices[1].sync()
        Self.exchange([devices[0], devices[1]])
        try devices[1].sync()
        try devices[2].write("Letter.md", "as device 3 wrote it")
        try devices[2].sync()
        Self.exchange(devices)

        let resolved = try devices[2].sync(keep: .both).resolved

        #expect(resolved.flatMap(\.copies).map { Display.text($0) } == ["Letter (device 1).md"])
    }

    @Test("What is kept on one device after an undo on another is one version, also after it was touched")
    func touchedAfterUndo() throws {
        let devices = try Self.devices(2)
        try Self.fork(devices)
        #expect(try devices[1].sync(keep: .both).resolved.count == 1)
        _ = try Sync.undo("Letter.md", devices[1].context)
        Self.exchange(devices)
        try devices[0].sync()
        #expect(try devices[0].sync(keep: .both).resolved.count == 1)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: devices[0].path + "/Letter.md")

        _ = try Backup.run(devices[0].context)

        let history = try History.load(devices[0].vault)
        #expect(history.state().live.allSatisfy { !$0.isConflict })
        #expect(try Conflicts.of(devices[0].context).all.isEmpty)
    }
}
