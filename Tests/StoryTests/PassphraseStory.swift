import CueTestSupport
import Foundation
import Testing

@Suite("Story: choosing and typing a passphrase")
struct PassphraseStory {
    private static let choose = "are best): "
    private static let noPassphrase: [String: String?] = ["CUE_PASSPHRASE": nil]

    private func making(
        _ cue: Cue, _ answers: [(after: String, keys: String)], _ more: String...
    ) throws -> Running.Result {
        try cue.shell("mkdir -p library")
        return try Typing.run(
            cue, ["init", cue.library, "--vault", cue.vault, "--kdf-memory", "64"] + more, answers: answers,
            environment: Self.noPassphrase)
    }

    private func opens(_ cue: Cue, _ passphrase: String) throws -> Bool {
        let machine = cue.elsewhere.merging(["CUE_PASSPHRASE": passphrase]) { $1 }
        return try cue.run("ls", "--vault", cue.vault, environment: machine).code == 0
    }

    @Test("A passphrase that is quickly guessed is asked about, Enter chooses another, and y takes it all the same")
    func weak() throws {
        let cue = Cue()

        let made = try making(
            cue,
            [
                (Self.choose, "hunter2\n"), ("another one: ", "yellow submarine beetle\n"), ("another one: ", "\n"),
                (Self.choose, "Liverpool1\n"), ("another one: ", "y\n"),
                ("once more: ", "Liverpool1\n"),
            ])

        #expect(made.code == 0 && made.text.contains("can guess this passphrase"), "\(made.text)")
        #expect(made.text.contains("it was visible on the screen"), "\(made.text)")
        #expect(made.text.contains("Made a vault"))
        #expect(try opens(cue, "Liverpool1"))
    }

    @Test("Six random words are offered in its place, have to be typed as they are, and open the vault")
    func offered() throws {
        let cue = Cue()
        let asked = try making(cue, [(Self.choose, "hunter2\n"), ("another one: ", "w\n"), ("spaces: ", "\u{3}")])
        #expect(asked.code == 130 && asked.text.contains("stopped; nothing was made"), "\(asked.text)")
        #expect(!cue.folder.exists("vault"))

        let wrong = try making(
            cue, [("spaces: ", "one\n"), ("(2 of 3): ", "two\n"), ("(3 of 3): ", "three\n")], "--suggest")
        #expect(wrong.code == 1 && wrong.text.contains("three times; nothing was made"), "\(wrong.text)")
        #expect(!cue.folder.exists("vault"))

        let made = try making(cue, [("spaces: ", Typing.copied + "\n")], "--suggest")
        #expect(made.code == 0, "\(made.text)")
        let words = try #require(made.text.firstMatch(of: /six random words:\n\n    (.*)\n/)).output.1
        #expect(try opens(cue, String(words)))
    }

    @Test("--suggest gives a program the words as a key, and a script as lines; a vault that is there keeps its own")
    func suggested() throws {
        let cue = Cue()
        let words = try cue.initialize("--suggest").json["passphrase"].string
        #expect(words.split(separator: " ").count == 6)
        #expect(try opens(cue, words))
        #expect(try !opens(cue, cue.passphrase))

        try cue.refuses(
            ["init", cue.library, "--vault", cue.vault, "--suggest"], 2,
            "has its passphrase: --suggest is for a new one")

        let other = Cue()
        try other.shell("mkdir library")
        let quiet = try other.run("init", "library", "--vault", "vault", "--kdf-memory", "64", "--suggest", "-q")
        let lines = quiet.text.split(separator: "\n").map(String.init)
        #expect(quiet.code == 0 && lines.count == 2, "\(quiet)")
        #expect(try opens(other, lines[0]))
        #expect(try opens(other, lines[1]))
    }

    @Test("A script's weak passphrase is taken with a warning, which is not in the JSON")
    func script() throws {
        let cue = Cue()
        try cue.shell("mkdir library")
        let weak = ["CUE_PASSPHRASE": "hunter2"]

        let made = try cue.run("init", "library", "--vault", "vault", "--kdf-memory", "64", environment: weak)
        let json = try cue.run("init", "library", "--vault", "v2", "--kdf-memory", "64", "--json", environment: weak)

        #expect(made.code == 0 && made.errors.contains("can guess this passphrase within a minute"), "\(made)")
        #expect(made.errors.contains("cue init --suggest"))
        #expect(json.errors.isEmpty, "\(json.errors)")
    }

    @Test("Two typings that differ are asked for again, three times at most")
    func mistyped() throws {
        let (good, cue) = ("six lanterns over the frozen harbour", Cue())
        let once: [(after: String, keys: String)] = [
            (Self.choose, good + "\n"), ("once more: ", "six\n"), ("(2 of 3): ", good + "\n"),
            ("once more: ", good + "\n"),
        ]
        let thrice =
            once.dropLast() + [
                ("once more: ", "six\n"), ("(3 of 3): ", good + "\n"), ("once more: ", "six\n"),
            ]

        let given = try making(cue, Array(thrice))
        #expect(given.code == 1 && given.text.contains("three times; nothing was made"), "\(given.text)")
        #expect(!cue.folder.exists("vault"))

        let made = try making(cue, once)
        #expect(made.code == 0, "\(made.text)")
        #expect(try opens(cue, good))
    }

    @Test("A wrong passphrase may be typed again on a terminal, three times in all; one of a variable is tried once")
    func opening() throws {
        let cue = Cue()
        try cue.initialize()
        func list(_ typed: String...) throws -> Running.Result {
            let questions = ["\(cue.vault): ", "(2 of 3): ", "(3 of 3): "]
            return try Typing.run(
                cue, ["ls", "--vault", cue.vault], answers: zip(questions, typed).map { ($0, $1 + "\n") },
                environment: Self.noPassphrase.merging(cue.elsewhere) { $1 })
        }

        let second = try list("wrong", cue.passphrase)
        let never = try list("wrong", "Wrong", "WRONG")
        #expect(second.code == 0 && second.text.contains("Nothing is stored"), "\(second.text)")
        #expect(never.code == 5 && never.text.contains("cue: error: wrong passphrase"), "\(never.text)")

        let machine = cue.elsewhere.merging(["CUE_PASSPHRASE": "wrong"]) { $1 }
        try cue.refuses(["ls", "--vault", cue.vault], 5, "wrong passphrase", environment: machine)
    }
}
