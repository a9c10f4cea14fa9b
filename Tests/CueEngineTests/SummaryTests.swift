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
        let first = try Backup.run(device.library, to: device.vault, reporter: SilentReporter())
        #expect(first.heldBack.count == 6)
        try device.write("7.md", "page 7, edited while the question stood there")
        let made = unsafe mkfifo(device.folder.appending("library/pipe"), 0o600)
        #expect(made == 0)
        Wait.milliseconds(40)
        var options = Backup.Options()
        options.allowDeletions = true
        let second = try Backup.run(device.library, to: device.vault, options, reporter: SilentReporter())

        let both = first.followed(by: second)

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
        first.events.unreadable = ["a batch"]
        (second.events.unreadable, second.notArrived) = (["a batch"], ["a commit"])

        let both = first.followed(by: second)

        #expect(both.lostPacks == 2 && both.newDevice && both.conflicting.count == 1)
        #expect(both.events.unreadable == ["a batch"])
        #expect(both.notArrived == ["a commit"])
    }
}
