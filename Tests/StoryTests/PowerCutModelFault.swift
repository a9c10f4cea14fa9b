import CueTestSupport
import Foundation
import Testing

/// Power cuts on every machine: a library put before the C library's records what a command does to the disk, and
/// `tools/power-cut.py --model` builds what a cut could leave of it.
@Suite("Fault: a modelled power cut after something was put into the library")
struct PowerCutModelFault {
    private static let canModel: Bool = {
        #if os(Linux)
            Machine.has("cc") && Machine.has("python3")
        #else
            false
        #endif
    }()

    private static func run(_ arguments: String...) throws -> Running.Result {
        let tool = [Project.root + "/tools/power-cut.py", "--model", "--cue", Cue.binary]
        return try Running(Machine.anyPython, tool + arguments).result(deadline: 240)
    }

    @Test(
        "Whatever of the changes that are not durable a cut leaves, both devices keep every document",
        .enabled(if: canModel, "needs Linux, cc and python3"),
        arguments: [("journal", "other"), ("journal", "second"), ("folders", "same")])
    func cut(disk: String, state: String) throws {
        let commands = "sync,watch,restore,undo"

        let result = try Self.run("--fs", disk, "--state", state, "--command", commands, "--cuts", "8", "--seed", "1")

        #expect(result.code == 0, "\(result.text)\(result.errors)")
    }

    @Test(
        "Without the calls that make it durable, the modelled cut hurts",
        .enabled(if: canModel, "needs Linux, cc and python3"))
    func control() throws {
        // With this seed the first cut keeps names and loses contents.
        let result = try Self.run(
            "--control", "--fs", "journal", "--state", "other", "--command", "sync", "--cuts", "2", "--seed", "7")

        #expect(result.code == 0 && result.text.contains("(empty)"), "\(result.text)\(result.errors)")
    }
}
