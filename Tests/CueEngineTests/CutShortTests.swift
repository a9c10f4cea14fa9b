import CueBase
import CueLibrary
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// A document that is less than it was, and that no writer has touched.
@Suite("What a power cut has cut short")
struct CutShortTests {
    private static let long = String(repeating: "a long chapter\n", count: 100)

    private static func devices() throws -> (laptop: SyncDevice, desk: SyncDevice) {
        let (folder, store) = (TemporaryFolder(), MemoryStore())
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        try laptop.write("Part/Chapter.md", long)
        try laptop.write("Novel.scriv/Files/1.rtf", long)
        try laptop.write("Novel.scriv/Files/2.rtf", "two")
        try laptop.write("Other.md", "other")
        // Longer ago than a file system's clock ticks.
        Wait.milliseconds(40)
        try laptop.sync()
        let desk = try SyncDevice("desk", in: folder, on: store)
        try desk.sync()
        return (laptop, desk)
    }

    /// Cuts a file that a sync has placed, keeps its time, and makes the memory of `device` as if that had not moved
    /// `changed` on: a program cannot do this, a power cut does. `asSaved`: as it was saved by a program, so that both
    /// its times are the same.
    static func cut(_ name: String, of device: SyncDevice, to size: Int = 0, asSaved: Bool = false) throws {
        let path = RelativePath(trusted: Array(name.utf8))
        var folders = FolderPath(device.library.root)
        let folder = try folders.openParent(of: path)
        let before = StatKey(try #require(try folder.info(of: path.name)))
        do {
            let file = try folder.openOrCreate(path.name)
            try file.truncate(to: Int64(size))
            if !asSaved { try file.setModified(before.modified) }
        }
        let now = StatKey(try #require(try folder.info(of: path.name)))
        let remembered = now.placed(size: before.size, modified: now.modified)
        try device.library.store.write { transaction in
            for (parent, encoded) in try transaction.folders() {
                for entry in try encoded.entries() {
                    var all = try transaction.entries(of: parent)
                    if parent?.appending(entry.name) == path {
                        for number in all.indices where all[number].name == entry.name { all[number].stat = remembered }
                        try transaction.setFolder(parent, all)
                    } else if entry.kind == .bundle, var members = try transaction.members(of: entry.project) {
                        for number in members.indices
                        where parent?.appending(entry.name).appending(members[number].member.path) == path {
                            members[number].stat = remembered
                        }
                        try transaction.setMembers(members, of: entry.project)
                    }
                }
            }
        }
    }

    @Test(
        "Is not stored, is brought again, and is named", arguments: ["Part/Chapter.md", "Novel.scriv/Files/1.rtf"],
        [0, 7])
    func brought(name: String, size: Int) throws {
        let (laptop, desk) = try Self.devices()
        try Self.cut(name, of: desk, to: size)

        let summary = try desk.sync()
        let next = try desk.sync()
        try laptop.sync()

        let document = name.hasPrefix("Novel") ? "Novel.scriv" : name
        #expect(summary.backup.damaged.map { Display.text($0) } == [document], "\(summary)")
        #expect(summary.received == summary.backup.damaged && summary.backup.changed == 0 && summary.waiting.isEmpty)
        #expect(next.backup.damaged.isEmpty && next.received.isEmpty, "\(next)")
        #expect(try desk.read(name) == Self.long)
        #expect(try laptop.tree() == desk.tree())
    }

    @Test("What was saved here and stored, and then lost by the disk, comes back from the vault too")
    func saved() throws {
        let (laptop, desk) = try Self.devices()
        for name in ["Part/Chapter.md", "Novel.scriv/Files/1.rtf"] { try Self.cut(name, of: laptop, asSaved: true) }

        let summary = try laptop.sync()
        try desk.sync()

        #expect(summary.backup.damaged.count == 2 && summary.received.count == 2, "\(summary)")
        #expect(try laptop.read("Part/Chapter.md") == Self.long && laptop.read("Novel.scriv/Files/1.rtf") == Self.long)
        #expect(try laptop.tree() == desk.tree())
    }

    @Test("A backup alone names it and stores nothing of it, each time")
    func backup() throws {
        let (_, desk) = try Self.devices()
        try Self.cut("Part/Chapter.md", of: desk)
        try Self.cut("Novel.scriv/Files/1.rtf", of: desk)

        for _ in 1...2 {
            let summary = try Backup.run(desk.context)
            let status = try LibraryStatus.of(desk.library)

            #expect(Set(summary.damaged.map { Display.text($0) }) == ["Part/Chapter.md", "Novel.scriv"], "\(summary)")
            #expect(summary.changed == 0 && summary.removed == 0)
            #expect(status.states.contains { $0.path == "Part/Chapter.md" && $0.state == .error }, "\(status.states)")
        }
    }

    @Test("What was written elsewhere in the bundle is stored, and the rest of it comes back")
    func bundleWithEdit() throws {
        let (laptop, desk) = try Self.devices()
        try Self.cut("Novel.scriv/Files/1.rtf", of: desk)
        try desk.write("Novel.scriv/Files/2.rtf", "two, and more")
        Wait.milliseconds(250)

        let summary = try desk.sync()
        try laptop.sync()

        #expect(summary.backup.changed == 1 && summary.backup.damaged.count == 1, "\(summary)")
        for device in [laptop, desk] {
            #expect(try device.read("Novel.scriv/Files/1.rtf") == Self.long)
            #expect(try device.read("Novel.scriv/Files/2.rtf") == "two, and more")
        }
    }

    @Test("A restore may replace it")
    func restored() throws {
        let (_, desk) = try Self.devices()
        try Self.cut("Part/Chapter.md", of: desk)
        var request = RestoreRequest()
        request.names = ["Part/Chapter.md"]

        let summary = try Restore.run(request, VaultContext(desk.vault), to: .library(desk.library))

        #expect(summary.failed.isEmpty)
        #expect(try desk.read("Part/Chapter.md") == Self.long)
    }

    private static let edits = [
        "truncated, and its time put back": "t=$(stat -c %y $f); : > $f; touch -d \"$t\" $f",
        "shortened in place, and its time put back": "t=$(stat -c %y $f); echo short > $f; touch -d \"$t\" $f",
        "replaced by a copy with the same time": "echo short > n; touch -r $f n; mv n $f",
        "written through a hard link": "ln $f l; t=$(stat -c %y $f); echo short > l; touch -d \"$t\" l; rm l",
        "removed and made anew": "t=$(stat -c %y $f); rm $f; echo short > $f; touch -d \"$t\" $f",
        "emptied": ": > $f",
        "longer, and its time put back": "t=$(stat -c %y $f); echo more >> $f; touch -d \"$t\" $f",
    ]

    @Test("What a program does to a document is an edit, whatever it does to the times", arguments: edits.keys.sorted())
    func edited(what: String) throws {
        for name in ["Part/Chapter.md", "Novel.scriv/Files/1.rtf"] {
            let (laptop, desk) = try Self.devices()
            let edit = try Program.run(
                "/bin/bash", ["-ec", "f=\(name); \(Self.edits[what] ?? "false")"], in: desk.path)
            #expect(edit.code == 0)
            let written = try desk.read(name)
            Wait.milliseconds(250)

            let summary = try desk.sync()
            try laptop.sync()

            #expect(summary.backup.damaged.isEmpty && summary.backup.changed == 1, "\(name): \(summary)")
            #expect(try desk.read(name) == written)
            #expect(try laptop.read(name) == written)
        }
    }

    @Test("A touch alone is neither damage nor new text")
    func touched() throws {
        let (_, desk) = try Self.devices()
        #expect(
            try Program.run("/bin/bash", ["-ec", "touch Part/Chapter.md; chmod 600 Other.md"], in: desk.path).code == 0)

        let summary = try desk.sync()

        #expect(summary.backup.damaged.isEmpty && summary.received.isEmpty)
    }
}
