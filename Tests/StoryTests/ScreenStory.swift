import CueTestSupport
import Foundation
import Testing

@Suite("Story: what a terminal shows")
struct ScreenStory {
    /// A terminal that can show colours. `more`: variables beside.
    private static func terminal(
        _ cue: Cue, _ words: String..., columns: Int = 80, more: [String: String?] = [:],
        answers: [(after: String, keys: String)] = []
    ) throws -> Running.Result {
        let environment = ["TERM": "xterm", "NO_COLOR": nil, "CUE_PAGER": "cat"].merging(more) { $1 }
        return try Typing.run(
            cue, words, answers: answers, columns: columns, in: cue.library, environment: environment)
    }

    private static func library() throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        try cue.write("My Novel/Chapter 2 – Salt and iron.md", "the lamp went out\n")
        try cue.snapshot()
        try cue.write("My Novel/Chapter 2 – Salt and iron.md", "the lamp went dark\n")
        return cue
    }

    @Test("In a window of 40 columns every sentence breaks between words, and a pipe gets whole lines")
    func wrapping() throws {
        let cue = try Self.library()
        for words in [["bakup"], ["restore", "Nothing of the kind"], ["help"], ["ls"], ["log"], ["diff", "--stat"]] {
            let plain = try cue.start(words, in: cue.library).result()
            let shown = try Typing.run(cue, words, answers: [], columns: 40, in: cue.library)

            let tokens = Set((plain.text + plain.errors).split { $0 == " " || $0 == "\n" })
            for line in shown.text.split(separator: "\n") {
                let parts = line.split(separator: " ")
                #expect(line.count <= 40 || parts.count == 1 || line.hasPrefix("  cue "), "\(words): \(line)")
                for part in parts where !part.contains(where: \.isNumber) {
                    #expect(tokens.contains(part), "\(words): \(part) is a piece of a word")
                }
            }
            #expect(plain.code == shown.code, "\(words)")
        }
    }

    @Test("A person reads long results through the pager, and a program, a pipe and a dumb terminal do without")
    func pager() throws {
        let cue = try Self.library()
        let pager = ["CUE_PAGER": "sed 's/^/P:/'"]
        for words in [
            ["ls"], ["log"], ["show"], ["diff"], ["find", "lamp"], ["help"], ["events"], ["diff", "--help"],
        ] {
            let shown = try Typing.run(
                cue, words, answers: [], in: cue.library,
                environment: ["TERM": "xterm"].merging(pager) { $1 })
            #expect(shown.text.hasPrefix("P:") && shown.code == 0, "\(words): \(shown.text)")
            #expect(!shown.text.contains("\nP:\nP:\nP:"), "\(words)")
        }
        #expect(try !Self.terminal(cue, "ls", more: ["CUE_PAGER": nil, "PAGER": "sed s/^/Q:/"]).text.contains("P:"))
        #expect(try Self.terminal(cue, "ls", more: ["CUE_PAGER": nil, "PAGER": "sed s/^/Q:/"]).text.hasPrefix("Q:"))
        #expect(try Self.terminal(cue, "ls", more: ["CUE_PAGER": "~/no-such-pager"]).text.contains("Salt and iron"))
        #expect(try !Self.terminal(cue, "ls", more: ["CUE_PAGER": ""]).text.contains("P:"))
        #expect(try !Self.terminal(cue, "ls", more: pager.merging(["TERM": "dumb"]) { $1 }).text.contains("P:"))
        #expect(try !Self.terminal(cue, "ls", "--json", more: pager.mapValues { $0 }).text.contains("P:"))
        #expect(try !Self.terminal(cue, "status", more: pager.mapValues { $0 }).text.contains("P:"))
        #expect(try !cue.run("ls", environment: pager.mapValues { $0 }, in: cue.library).text.contains("P:"))
    }

    @Test("Behind a pager errors are seen, exit codes stay, and who leaves it early has done nothing wrong")
    func pagerEnds() throws {
        let cue = try Self.library()
        let pager: [String: String?] = ["CUE_PAGER": "sed 's/^/P:/'"]

        #expect(try Self.terminal(cue, "diff", "--exit-code", more: pager).code == 1)
        let error = try Self.terminal(cue, "log", "No such name", more: pager)
        #expect(error.code == 1 && error.text.contains("error:"), "\(error.text)")
        try cue.write("My Novel/Long.md", String(repeating: "A paragraph of a long chapter.\n\n", count: 20_000))
        for (words, code) in [(["diff"], 0), (["diff", "--exit-code"], 1)] as [([String], Int32)] {
            let left = try Typing.run(
                cue, words, answers: [], in: cue.library, environment: ["TERM": "xterm", "CUE_PAGER": "head -1"])
            #expect(left.code == code && !left.text.contains("error"), "\(left.text)")
        }
        // Ctrl-C is the pager's: it ends as it does alone, and so does the command. (A shell may lose a signal that comes
        // while it starts a program.)
        let waiting = """
            \(Machine.anyPython) -c "import signal as s; s.pthread_sigmask(s.SIG_BLOCK, [s.SIGINT]); \
            print('READY', flush=True); s.sigwait([s.SIGINT]); print('GOT', flush=True)"
            """
        let stopped = try Self.terminal(
            cue, "diff", more: ["CUE_PAGER": waiting], answers: [("READY", "\u{3}")])
        #expect(stopped.code == 0 && stopped.text.contains("GOT"), "\(stopped.text)")
        let secret = try Self.terminal(cue, "ls", more: ["CUE_PAGER": "env"])
        #expect(secret.text.contains("PATH=") && !secret.text.contains("CUE_PASSPHRASE"), "\(secret.text)")
        // A passphrase is asked for before the pager has the terminal.
        let asked = try Self.terminal(
            cue, "ls", "--vault", cue.vault,
            more: pager.merging(cue.elsewhere) { $1 }.merging(["CUE_PASSPHRASE": nil]) { $1 },
            answers: [("code for", ""), (": ", cue.passphrase + "\n")])
        #expect(asked.code == 0 && asked.text.contains("P:"), "\(asked.text)")
    }

    @Test("Colours come on a terminal that has them, and where somebody forces them; --color goes before all")
    func colours() throws {
        let cue = try Self.library()
        let red = "\u{1b}[31m"

        #expect(try Self.terminal(cue, "diff").text.contains("\(red)[-out-]\u{1b}[0m"))
        #expect(try Self.terminal(cue, "bakup").text.contains("\u{1b}[1;31merror:\u{1b}[0m"))
        for more: [String: String?] in [["NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": nil]] {
            #expect(try !Self.terminal(cue, "diff", more: more).text.contains("\u{1b}"), "\(more)")
        }
        #expect(try !Self.terminal(cue, "diff", "--color", "never").text.contains("\u{1b}"))
        #expect(
            try !cue.run("diff", environment: ["NO_COLOR": nil, "TERM": "xterm"], in: cue.library).text.contains(
                "\u{1b}"))
        #expect(
            try cue.run("diff", environment: ["NO_COLOR": nil, "CLICOLOR_FORCE": "1"], in: cue.library).text.contains(
                red))
        #expect(try cue.run("diff", "--color=always", in: cue.library).text.contains(red))
        let wrong = try cue.run("diff", "--color", "sometimes", in: cue.library)
        #expect(wrong.code == 2 && wrong.errors.contains("always"), "\(wrong.errors)")
    }
}
