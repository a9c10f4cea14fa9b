import CueBase
import CueLibrary
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// Journals that a sync or a restore has left, followed by the next run.
@Suite("Placing: what a run that was cut off had noted")
struct PlacingRecoveryTests {
    private static let path = RelativePath(trusted: Array("Plan.md".utf8))
    private static let names = TemporaryNames(7)
    private static var temporary: String { String(decoding: names.name(1), as: UTF8.self) }

    private static func device() throws -> SyncDevice {
        let device = try SyncDevice("laptop", in: TemporaryFolder(), on: MemoryStore())
        try device.write("Plan.md", "the plan")
        try device.sync()
        return device
    }

    private static func entry(of device: SyncDevice) throws -> ScanEntry {
        try #require(try StoredEntries(device.library).entry(at: path))
    }

    /// The note that what has this inode is that version of the plan, and belongs in its place.
    private static func placing(_ entry: ScanEntry, _ inode: UInt64) -> PlacingJournal.Note {
        .place(
            PlacingJournal.Placing(
                path: path, kind: .file, project: entry.project, base: entry.base, fingerprint: entry.fingerprint,
                inode: inode, size: 8, modified: entry.stat.modified, temporary: names.name(1)))
    }

    private static func follow(_ notes: [PlacingJournal.Note], on device: SyncDevice) throws {
        let journal = try PlacingJournal(of: device.library)
        try journal.begin(names, in: [.root])
        for note in notes { try journal.note(note) }
        try PlacingJournal.recover(device.library)
    }

    @Test("A version that was stored since is not taken back by a journal that is followed again")
    func followedAgain() throws {
        let device = try Self.device()
        let old = try Self.entry(of: device)
        // In place: it is the same file.
        try FileHandle(forWritingTo: URL(fileURLWithPath: device.path + "/Plan.md")).write(contentsOf: Data("A".utf8))
        try device.sync()
        let new = try Self.entry(of: device)
        try #require(new.base != old.base && new.stat.inode == old.stat.inode)

        try Self.follow([Self.placing(old, old.stat.inode)], on: device)

        #expect(try Self.entry(of: device).base == new.base)
    }

    @Test("What somebody wrote in a draft that had its name for a moment is kept under a name beside it")
    func keptDraft() throws {
        let device = try Self.device()
        try device.write(Self.temporary, "the new plan, and what somebody wrote in it")
        let inode = try #require(try device.library.root.info(of: Self.names.name(1))).inode
        let entry = try Self.entry(of: device)

        try Self.follow(
            [Self.placing(entry, inode), .aside(Self.path, temporary: Self.names.name(1))], on: device)

        let tree = try device.tree().filter { !$0.key.hasPrefix(".cue/") }
        #expect(
            tree == [
                "Plan.md": "the plan", "Plan (kept by sync).md": "the new plan, and what somebody wrote in it",
            ])
        #expect(!PlacingJournal.isLeft(by: device.library))
    }

    @Test(
        "A document that was on its way out of a folder that goes is back in it, also where the folder went",
        arguments: [false, true])
    func carried(isGone: Bool) throws {
        let device = try Self.device()
        try device.write("Notes/in.md", "the note")
        try device.sync()
        try device.rename("Notes/in.md", Self.temporary)
        if isGone { try device.remove("Notes") }

        try Self.follow(
            [.carry(RelativePath(trusted: Array("Notes/in.md".utf8)), temporary: Self.names.name(1))], on: device)

        #expect(try device.read("Notes/in.md") == "the note")
        #expect(try device.sync().backup.removed == 0 && !PlacingJournal.isLeft(by: device.library))
    }

    @Test("A draft is gone, and one whose removal was cut off too")
    func drafts() throws {
        let device = try Self.device()
        try device.write(Self.temporary, "the new plan")
        let inode = try #require(try device.library.root.info(of: Self.names.name(1))).inode
        let gone = String(decoding: Self.names.prefix, as: UTF8.self) + "gone-2.tmp"
        try device.write("\(gone)/TXT.rtf", "half a bundle")
        let entry = try Self.entry(of: device)

        try Self.follow([Self.placing(entry, inode)], on: device)

        #expect(try device.tree().filter { !$0.key.hasPrefix(".cue/") } == ["Plan.md": "the plan"])
    }

    @Test("A bundle that was replaced and is in the vault goes, and leaves no half of it under a name")
    func replacedBundle() throws {
        let device = try Self.device()
        try device.write("Map.rtfd/TXT.rtf", "the map")
        try device.write("Map.rtfd/one.png", "a picture")
        Wait.milliseconds(40)
        try device.sync()
        let path = RelativePath(trusted: Array("Map.rtfd".utf8))
        try device.rename("Map.rtfd", Self.temporary)
        try device.write("Map.rtfd/TXT.rtf", "the new map")

        try Self.follow([.aside(path, temporary: Self.names.name(1))], on: device)

        let tree = try device.tree().filter { !$0.key.hasPrefix(".cue/") }
        #expect(
            tree == ["Plan.md": "the plan", "Map.rtfd/": "", "Map.rtfd/TXT.rtf": "the new map"], "\(tree)")
    }

    @Test("What a restore replaced, and a writer then deleted, is missing and no deletion of another device")
    func restoreIsNoDeletion() throws {
        let device = try Self.device()
        try device.remove("Plan.md")

        try Self.follow(
            [
                .put(Self.path, inode: 1, temporary: Self.names.name(1)),
                .discard(Self.path, temporary: Self.names.name(1)),
            ], on: device)

        #expect(try StoredEntries(device.library).entry(at: Self.path) != nil)
    }
}
