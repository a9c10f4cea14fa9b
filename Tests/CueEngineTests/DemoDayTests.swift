import CueBase
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// The day that `tools/demo.sh` tells, on the kind of log that the engine's tests run on: the program itself knows the
/// folder's log alone.
@Suite("The demo's day, on either kind of log")
struct DemoDayTests {
    private let folder = TemporaryFolder()
    private let store = MemoryStore()
    private let desk: SyncDevice
    private let laptop: SyncDevice

    init() throws {
        desk = try SyncDevice("desk", in: folder, on: store)
        laptop = try SyncDevice("laptop", in: folder, on: store)
    }

    /// Runs a program of the system in the folder of the test. Its output; throws if it fails.
    @discardableResult
    private func run(_ program: String, _ arguments: String...) throws -> String {
        let result = try Program.run("/usr/bin/env", [program] + arguments, in: folder.path)
        try #require(result.code == 0, "\(program) \(arguments): \(result.text)\(result.errors)")
        return result.text
    }

    /// Restores a state into a new folder, and compares it with a folder of the test in every way.
    private func expect(_ original: String, at snapshot: CommitID? = nil) throws {
        let place = folder.bytes.appending("out")
        var request = RestoreRequest()
        request.at = snapshot?.description
        let summary = try Restore.run(request, VaultContext(desk.vault), to: .folder(place))
        #expect(summary.failed.isEmpty, "\(summary.failed)")
        try compare(original, "out")
        try run("rm", "-rf", "out")
    }

    private func compare(_ original: String, _ copy: String, _ more: String...) throws {
        let compared = try Program.run(
            "/usr/bin/env",
            ["python3", Project.root + "/tools/compare-trees.py", original, copy, "--ignored", ".cue"] + more,
            in: folder.path)
        #expect(compared.code == 0, "\(original): \(compared.text)\(compared.errors)")
    }

    @Test("Documents of all kinds come back as they were: today's, yesterday's, and on the other device")
    func day() throws {
        try run("cp", "-a", Project.root + "/fixtures/library/.", "desk")
        Wait.milliseconds(250)

        let first = try desk.sync()
        let again = try desk.sync()
        #expect(first.backup.new > 10 && again.backup.new + again.backup.changed == 0)
        try run("cp", "-a", "desk", "yesterday")
        try desk.write("Salt and Iron/02 Salt.md", "The tide was late a second time.\n")
        try desk.write("Salt and Iron/06 The boat back.md", "It left at six, with nobody on it.\n")
        try desk.rename(
            "Short stories/The Clockmaker's Apprentice.md", "Short stories/The forty-fifth clock.md")
        try desk.remove("Journal/2024/2024-10-28.txt")
        try run("chmod", "600", "desk/Letter to the editor.docx")
        Wait.milliseconds(250)
        let second = try desk.sync()

        #expect(second.backup.renamed == 1 && second.backup.removed == 1 && second.backup.new == 1)
        try expect("desk")
        try expect("yesterday", at: first.backup.snapshot)
        let check = try Check.run(VaultContext(desk.vault), readData: true)
        #expect(check.damagedDocuments.isEmpty && check.problems.allSatisfy { $0 == .noKeySlot }, "\(check.problems)")

        #expect(try laptop.sync().waiting.isEmpty)
        try compare("desk", "laptop")
        try laptop.write("Salt and Iron/02 Salt.md", "The tide was late on the laptop.\n")
        try desk.write("Salt and Iron/02 Salt.md", "The tide was late at the desk.\n")
        Wait.milliseconds(250)
        try laptop.sync()
        #expect(try desk.sync().conflicts.count == 1)
        #expect(try desk.sync(keep: .both).resolved.count == 1)
        #expect(try laptop.sync().conflicts.isEmpty)
        try compare("desk", "laptop")
        try expect("laptop")
    }
}
