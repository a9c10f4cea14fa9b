import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// The id that a sync prints is a receipt: a restore at it holds what was stored.
@Suite("The snapshot that a sync names")
struct SyncSnapshotTests {
    /// What a document holds at a snapshot.
    private static func restored(_ id: CommitID?, _ document: String, from device: SyncDevice) throws -> String {
        var request = RestoreRequest()
        request.at = id?.description
        let name = "out \(UUID().uuidString)"
        let place = device.folder.bytes.appending(name)
        _ = try Restore.run(request, VaultContext(device.vault), to: .folder(place))
        return try device.folder.read("\(name)/\(document)")
    }

    @Test("It holds what this device stored, also where another stored at the same time, and its clock is ahead")
    func atOnce() throws {
        let folder = TemporaryFolder()
        let (here, there) = (MemoryStore(), MemoryStore())
        let ahead = TestClock()
        ahead.advance(by: 3600)
        let desk = try SyncDevice("desk", in: folder, on: here, clock: TestClock().clock)
        let laptop = try SyncDevice("laptop", in: folder, on: there, clock: ahead.clock)
        try desk.write("one.md", "one")
        try desk.write("two.md", "two")
        try desk.sync()
        there.merge(here)
        try laptop.sync()
        here.merge(there)
        // Both store, and know nothing of each other; the laptop's clock says that it was later. Nothing is left to
        // write for a sync.
        try desk.write("one.md", "a chapter")
        _ = try Backup.run(desk.context)
        try laptop.write("two.md", "two, and more")
        try laptop.sync()
        here.merge(there)

        let summary = try desk.sync()

        #expect(summary.received.count == 1)
        let one = try Self.restored(summary.backup.snapshot, "one.md", from: desk)
        #expect(one == "a chapter")
        let kept = try desk.library.store.read { try $0.value(.snapshot) }
        #expect(kept == summary.backup.snapshot)
        #expect(try desk.sync().backup.snapshot == summary.backup.snapshot)
    }

    @Test("It is the other device's where that has seen what this one stored")
    func seen() throws {
        let (folder, store) = (TemporaryFolder(), MemoryStore())
        let desk = try SyncDevice("desk", in: folder, on: store)
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        try desk.write("one.md", "one")
        try desk.sync()
        try laptop.write("two.md", "two")
        let theirs = try laptop.sync().backup.snapshot

        let summary = try desk.sync()

        #expect(summary.backup.snapshot == theirs)
        #expect(try Self.restored(theirs, "one.md", from: desk) == "one")
    }

    @Test("A device that has just joined names one that holds what all others stored")
    func newcomer() throws {
        let (folder, store) = (TemporaryFolder(), MemoryStore())
        let desk = try SyncDevice("desk", in: folder, on: store)
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        try desk.write("one.md", "one")
        try desk.sync()
        try laptop.sync()
        try laptop.write("two.md", "two")
        try laptop.sync()
        let third = try SyncDevice("third", in: folder, on: store)

        let summary = try third.sync()

        #expect(try Self.restored(summary.backup.snapshot, "two.md", from: third) == "two")
    }
}
