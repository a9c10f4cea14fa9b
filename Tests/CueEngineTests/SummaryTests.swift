import CueBase
import CueEventLog
import CueEvents
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// Two runs, because a person said in between that deletions are meant, are one to that person.
@Suite("What two runs did together")
struct SummaryTests {
    @Test("A backup that is run again for deletions says what the second run changed, could not read, and stored")
    func backup() throws {
        let device = try TestLibrary()
        for number in 1...8 { try device.write("\(number).md", "page \(number)") }
        try device.backup()
        for number in 1...6 {
            try FileManager.default.removeItem(atPath: device.folder.appending("library/\(number).md"))
        }
        try device.write("New.md", "new")
        Wait.milliseconds(40)
        let first = try Backup.run(device.context)
        #expect(first.heldBack.count == 6)
        try device.write("7.md", "page 7, edited while the question stood there")
        let made = unsafe mkfifo(device.folder.appending("library/pipe"), 0o600)
        #expect(made == 0)
        Wait.milliseconds(40)
        var options = Backup.Options()
        options.allowDeletions = true
        let second = try Backup.run(device.context, options)

        var both = first
        both.merge(second)

        #expect(both.skipped.map(\.path) == second.skipped.map(\.path) && both.skipped.count == 1)
        #expect((both.new, both.changed, both.removed) == (1, 1, 6))
        #expect(both.documents == 3)
        #expect(both.readBytes == first.readBytes + second.readBytes && second.readBytes > 0)
        #expect(both.stored.count == 1)
        #expect(both.heldBack.isEmpty)
        #expect(both.snapshot == second.snapshot)
    }

    @Test("What was said once, in the first run, is not lost; what is said again is said once")
    func once() {
        var (first, second) = (Backup.Summary(), Backup.Summary())
        (first.lostPacks, first.newDevice) = (2, true)
        first.conflicting = [RelativePath(trusted: Array("a.md".utf8))]
        let (batch, commit) = (VaultError.missing(.object("events/a")), HistoryGap.damaged(.missing(.object("log/a"))))
        first.events.unreadable = [.batch(batch)]
        (second.events.unreadable, second.notArrived) = ([.batch(batch)], [commit])

        var both = first
        both.merge(second)

        #expect(both.lostPacks == 2 && both.newDevice && both.conflicting.count == 1)
        #expect(both.events.unreadable == [.batch(batch)])
        #expect(both.notArrived == [commit])
    }

    @Test("What the first run skipped and changed stays, and what both skip is named once")
    func keepsTheFirst() {
        func skipped(_ name: String) -> SkippedPath {
            SkippedPath(path: RelativePath(trusted: Array(name.utf8)), reason: .nameTooLong)
        }
        var (first, second) = (RunSummary(backup: BackupSummary()), RunSummary(backup: BackupSummary()))
        (first.backup.skipped, first.backup.changed, first.backup.new) = ([skipped("a"), skipped("b")], 3, 2)
        (second.backup.skipped, second.backup.changed, second.backup.new) = ([skipped("b"), skipped("c")], 4, 1)
        (first.received, second.received) = ([.root], [RelativePath(trusted: [0x61])])
        (first.waiting, second.waiting) = ([skipped("d")], [skipped("e")])
        first.isDamaged = true

        first.merge(second)

        #expect(first.backup.skipped == [skipped("a"), skipped("b"), skipped("c")])
        #expect((first.backup.changed, first.backup.new) == (7, 3))
        #expect(first.received.count == 2 && first.isDamaged)
        #expect(first.waiting == [skipped("e")], "what waits is what the later run left")
    }
}
