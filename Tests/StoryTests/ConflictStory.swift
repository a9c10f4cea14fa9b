import CueTestSupport
import Foundation
import Testing

/// A person before a conflict, on a terminal.
@Suite("Story: what the questions about conflicts say")
struct ConflictStory {
    private static let question = "Your choice (nothing is lost by it): "
    private static let windows = [(24, 80), (24, 40)]

    /// Two devices that have the same documents, and then changed them. Both scripts run in the folder of the test.
    private static func devices(
        _ documents: [String: String], here: String, there: String
    ) throws -> (Cue, SecondDevice) {
        let cue = Cue()
        try cue.initialize("--name", "desk")
        for (name, text) in documents { try cue.write(name, text) }
        try #require(try cue.run("sync", cue.library).code == 0)
        let other = try SecondDevice(cue)
        try #require(try other.sync().code == 0)
        #expect(try cue.shell(here).code == 0 && cue.shell(there).code == 0)
        try #require(try cue.run("sync", cue.library).code == 0)
        try #require(try other.sync().code == 4)
        return (cue, other)
    }

    private static func ask(
        _ cue: Cue, _ other: SecondDevice, _ keys: [String], _ window: (rows: Int, columns: Int) = (24, 80),
        sizes: [Int: [Int]] = [:], resolve name: String? = nil
    ) throws -> Running.Result {
        try Typing.run(
            cue, name.map { ["resolve", $0, "--library", "other"] } ?? ["sync", "other"],
            answers: keys.map { (question, $0) }, rows: window.rows, columns: window.columns, sizes: sizes,
            environment: other.environment)
    }

    /// The rows that a window of so many columns shows from the last line with `title` to the question behind it.
    private static func rows(from title: String, in text: String, number: Int = 0, columns: Int) throws -> Int {
        let screens = text.components(separatedBy: question)
        let screen = try #require(screens.indices.contains(number) ? screens[number] + question : nil)
        let start = try #require(screen.range(of: title, options: .backwards)?.lowerBound, "\(screen)")
        return screen[start...].components(separatedBy: "\n").reduce(0) {
            $0 + max(1, ($1.count + columns - 1) / columns)
        }
    }

    @Test("Title, versions and letters fit the window, however long the text is, and so they do after it was resized")
    func fits() throws {
        let long = (1...30).map { "Paragraph \($0): " + String(repeating: "word ", count: 60) }.joined(separator: "\n")
        let name = "A chapter with a name that is much longer than a window of forty columns is wide.md"
        let (cue, other) = try Self.devices(
            [name: long, "Second.md": long], here: "sed -i s/word/here/ library/*.md",
            there: "sed -i 's/word ./there t/' other/*.md")

        for window in Self.windows {
            let text = try Self.ask(cue, other, ["s\n", "s\n"], window).text
            for number in 0...1 {
                let title = "Conflict \(number + 1) of 2: "
                let rows = try Self.rows(from: title, in: text, number: number, columns: window.1)
                #expect(rows <= window.0, "\(window): \(rows) rows\n\(text)")
            }
            #expect(text.contains("(d shows all)"), "\(text)")
        }
        // The second question is asked in the window as it is then.
        let resized = try Self.ask(cue, other, ["s\n", "s\n"], sizes: [0: [16, 40]]).text
        let rows = try Self.rows(from: "Conflict 2 of 2: Second.md", in: resized, number: 1, columns: 40)
        #expect(rows <= 16, "\(rows) rows\n\(resized)")
        // A long difference comes in pages.
        let paged = try Typing.run(
            cue, ["sync", "other"],
            answers: [(Self.question, "d\n"), ("q ends ", "q\n"), (Self.question, "\u{4}")],
            environment: other.environment
        ).text
        #expect(paged.contains("more lines: Enter shows them"), "\(paged)")
    }

    @Test("A picture is shown with both sizes and times and no words, and in a bundle the files that differ are named")
    func pictures() throws {
        let (cue, other) = try Self.devices(
            [
                "harbour.png": "picture", "Light.rtfd/TXT.rtf": #"{\rtf1\ansi A lamp\par}"#,
                "Light.rtfd/lamp.png": "lamp",
            ], here: "printf 1234567890 | tee library/harbour.png > library/Light.rtfd/lamp.png; sleep 0.3",
            there: "printf 123456789012 | tee other/harbour.png > other/Light.rtfd/lamp.png; sleep 0.3")

        for window in Self.windows {
            let text = try Self.ask(cue, other, ["d\n", "s\n", "d\n", "v\n", "s\n"], window).text
            let flat = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(
                flat.contains("The text is the same in both. Files in it that differ: lamp.png: here 12 bytes of 20"))
            #expect(flat.contains(", there 10 bytes of 20"), "\(text)")
            #expect(flat.contains("harbour.png") && flat.contains("cue reads no text in this kind of document"))
            #expect(!text.contains("as many as before") && !text.contains("[-only here-]"), "\(text)")
            #expect(text.contains("\"d\" is none of the letters."), "\(text)")
            #expect(text.contains("/harbour.png'\n") && flat.contains("here is no desktop"), "\(text)")
        }
    }

    @Test("Where one device deleted what the other wrote in, d shows what was written")
    func deletion() throws {
        let (cue, other) = try Self.devices(
            ["Poem.md": "the first line\n"], here: "rm library/Poem.md", there: "echo 'by the sea' >> other/Poem.md")

        for window in Self.windows {
            let result = try Self.ask(cue, other, ["d\n", "\u{3}"], window)
            let flat = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(flat.contains("Since then this device wrote 3 words, and removed 0."), "\(result.text)")
            #expect(flat.contains("[t] this device ("), "\(result.text)")
            #expect(result.text.components(separatedBy: "written: by the sea").count == 3, "\(result.text)")
            #expect(!result.text.contains("cannot show") && result.code == 4, "\(result.text)")
        }
    }

    @Test("Every letter that is offered is explained, and any other answer repeats them with the document's name")
    func letters() throws {
        let (cue, other) = try Self.devices(
            ["one.txt": "base", "two.txt": "base"], here: "for n in one two; do echo here > library/$n.txt; done",
            there: "for n in one two; do echo there > other/$n.txt; done")

        for window in Self.windows {
            let result = try Typing.run(
                cue, ["sync", "other"],
                answers: [
                    (Self.question, "?\n"), ("q ends ", "\n"), (Self.question, "x\n"), (Self.question, "a\n"),
                    ("For all 2: ", "x\n"), ("For all 2: ", "\n"), (Self.question, "\n"), (Self.question, "\u{4}"),
                ].filter { window.1 == 40 || $0.0 != "q ends " }, rows: window.0, columns: window.1,
                environment: other.environment)
            let text = result.text
            for letter in ["t", "o", "b", "d", "v", "s", "?", "a"] {
                #expect(text.contains("\n  \(letter)  "), "\(letter): \(text)")
            }
            #expect(text.contains("\"x\" is none of the letters.\none.txt: t this, o other, b both,"), "\(text)")
            #expect(text.contains("\"x\" is none of t, o and b.") && text.contains("No answer was given for all."))
            #expect(text.contains("Nothing is chosen yet.\none.txt: t this,"), "\(text)")
            #expect(text.contains("Left for later: one.txt and 1 more."), "\(text)")
            #expect(result.code == 4)
        }
        let keep = try cue.run("resolve", "one.txt", "--keep", "that", "--library", "other")
        #expect(keep.code == 2 && keep.errors.contains("this") && keep.errors.contains("both"), "\(keep.errors)")
    }

    @Test("Ctrl-C at a later question keeps the answers before it, and says so")
    func stopped() throws {
        let (cue, other) = try Self.devices(
            ["one.txt": "base", "two.txt": "base"], here: "for n in one two; do echo here > library/$n.txt; done",
            there: "for n in one two; do echo there > other/$n.txt; done")

        let result = try Self.ask(cue, other, ["o\n", "\u{3}"])

        #expect(result.code == 4, "\(result.text)")
        #expect(result.text.contains("1 of 2 answered; that counts. Left for later: two.txt."), "\(result.text)")
        #expect(result.text.contains("kept the other one.txt"), "\(result.text)")
        #expect(try cue.shell("cat other/one.txt other/two.txt").text == "here\nthere\n")
        let undone = try other.run("resolve", "--undo", "one.txt")
        #expect(undone.text.contains("the conflict is open again"), "\(undone.text)")
        #expect(try cue.shell("cat other/one.txt").text == "there\n")
    }

    @Test("Of three versions d shows what each wrote, and all three can be kept")
    func three() throws {
        let (cue, other) = try SecondDevice.both(["Poem.md": "the first line\n"])
        try other.joinThird(writingIn: "Poem.md")

        for window in Self.windows {
            let text = try Self.ask(cue, other, ["d\n", "s\n"], window).text
            for device in ["library", "other", "third"] { #expect(text.contains("written: from \(device)"), "\(text)") }
            #expect(!text.contains("cue diff"), "\(text)")
            #expect(try Self.rows(from: "Conflict 1 of 1: Poem.md", in: text, columns: window.1) <= window.0, "\(text)")
        }
        let one = try Self.ask(cue, other, ["2\n"], resolve: "Poem")
        #expect(one.text.contains("; the two others stay in its history"), "\(one.text)")
        #expect(try other.run("resolve", "--undo", "Poem").code == 0)
        let all = try Self.ask(cue, other, ["b\n"], resolve: "Poem")
        #expect(all.code == 0 && all.text.contains("kept all three: Poem.md, and beside it "), "\(all.text)")
    }

    @Test("Scenes are compared under their titles, and a much shorter version is kept only after a question")
    func scenes() throws {
        let binder = """
            <ScrivenerProject><Binder><BinderItem UUID="A" Type="Text"><Title>The cellar</Title></BinderItem>
            <BinderItem UUID="B" Type="Text"><Title>Dawn</Title></BinderItem></Binder></ScrivenerProject>
            """
        let dawn = #"{\rtf1\ansi It was the first light of the day\par}"#
        let (cue, other) = try Self.devices(
            [
                "Salt.scriv/Salt.scrivx": binder, "Salt.scriv/Files/Data/A/content.rtf": #"{\rtf1\ansi One\par}"#,
                "Salt.scriv/Files/Data/B/content.rtf": dawn,
            ], here: "sed -i s/first/last/ library/Salt.scriv/Files/Data/B/content.rtf; sleep 0.3",
            there: "echo '{\\rtf1\\ansi }' > other/Salt.scriv/Files/Data/B/content.rtf; sleep 0.3")

        let result = try Typing.run(
            cue, ["resolve", "Salt", "--library", "other"],
            answers: [
                (Self.question, "d\n"), (Self.question, "t\n"), ("[y] yes  [n] no: ", "n\n"), (Self.question, "o\n"),
            ], environment: other.environment)

        #expect(result.text.contains("\nDawn\n  paragraph 1\n"), "\(result.text)")
        #expect(result.text.contains("This version has 1 word, the other 9. Keep the shorter one?"), "\(result.text)")
        #expect(result.code == 0 && result.text.contains("kept the other Salt.scriv"), "\(result.text)")
    }
}
