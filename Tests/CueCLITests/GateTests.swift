import ArgumentParser
import CueEntitlements
import Testing

@testable import CueCLI

@Suite("Gates")
struct GateTests {
    /// A plan that allows nothing at all, not even what is local.
    private struct Nothing: EntitlementsProviding {
        let plan = Plan.free

        func has(_ feature: Feature) -> Bool { false }
    }

    private struct Everything: EntitlementsProviding {
        let plan = Plan.free

        func has(_ feature: Feature) -> Bool { true }
    }

    private static let commands = Cue.configuration.subcommands.compactMap { $0.configuration.commandName }

    /// Whether a command begins on a vault that a service keeps.
    private static func begins(_ command: String, _ entitlements: any EntitlementsProviding) -> Bool {
        (try? Gate.enter(command, of: entitlements)) != nil
    }

    @Test("With a plan that allows nothing, only commands that store at a service are held back, of all there are")
    func heldBack() {
        let held = Self.commands.filter { !Self.begins($0, Nothing()) }

        #expect(held.sorted() == ["backup", "init", "sync", "watch"])
        #expect(Self.commands.count == Cue.configuration.subcommands.count)
    }

    @Test(
        "Bringing documents back, looking at them, and looking whether they are whole is never gated",
        arguments: [
            "restore", "check", "ls", "log", "cat", "diff", "status", "conflicts", "resolve", "key", "project", "nudge",
            "events", "garden", "plan",
        ])
    func neverGated(command: String) {
        #expect(Self.commands.contains(command))
        #expect(Gate.needs[command] == nil && Self.begins(command, Nothing()))
    }

    @Test("Whatever a gate asks for is of a service, and a command of cue asks for it")
    func table() {
        for (command, feature) in Gate.needs {
            #expect(Self.commands.contains(command) && Feature.ofService.contains(feature))
            #expect(Self.begins(command, Everything()))
        }
    }

    @Test("A gated command says what is missing, what still works and what to do, and ends with 1")
    func words() throws {
        let error = try #require(throws: CueError.self) { try Session.require(.cloudStorage, of: Nothing()) }

        #expect(error.outcome == .failed)
        #expect(error.message.contains("cloud-storage") && error.message.contains("plan free"))
        #expect(error.message.hasSuffix("nothing was changed"))
        let hints = error.hints.joined(separator: "\n")
        for word in ["restore", "check", "backup", "cue plan import"] { #expect(hints.contains(word)) }
    }

    @Test("Without an account nothing of a service is there, and everything local is")
    func localProvider() throws {
        #expect(!Self.begins("backup", LocalEntitlements()) && Self.begins("restore", LocalEntitlements()))
        try Session.require(try #require(Feature("restore")), of: LocalEntitlements())
    }
}
