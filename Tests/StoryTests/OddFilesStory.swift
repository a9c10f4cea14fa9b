import CueTestSupport
import Foundation
import Testing

@Suite("Story: files with odd names and of odd kinds")
struct OddFilesStory {
    /// Makes files of any bytes; the content is the number of the name.
    private static let makeNames = """
        import os
        names = [b"not utf-8 \\xff\\xfe.md", b"caf\\xe9.md", "caf\\u00e9.md".encode(), "cafe\\u0301.md".encode(), b"two\\nlines.md",
                 b"\\x1b[31mred\\x1b[0m.md", b"\\x1b]0;title\\x07.md", b"\\x9b31m c1.md", b"tab\\there.md", b"-rf.md", b"\\\\x41.md",
                 "right\\u202eto left.md".encode(), b"\\x7f delete.md", b"x" * 255, b"x" * 252 + b".md", b"quote ' \\" `.md", b"...", b" "]
        os.makedirs("library/folder \\udcff\\n")
        for number, name in enumerate(names):
            for folder in (b"library", b"library/folder \\xff\\n", b"library/A.scriv"):
                os.makedirs(folder, exist_ok=True)
                with open(folder + b"/" + name, "wb") as file: file.write(b"number %d" % number)
        """

    /// Bytes that a terminal obeys, or that are no UTF-8.
    private static func isClean(_ output: Data) -> Bool {
        guard let text = String(data: output, encoding: .utf8) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
                    && !(0x202a...0x202e).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
        }
    }

    @Test("Names of any bytes come back as they were, and are never printed raw")
    func names() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.python(Self.makeNames)

        let outputs = try [
            cue.run("status", cue.library), cue.run("status", cue.library, "--json"), cue.run("backup", cue.library),
            cue.run("ls", "--vault", cue.vault), cue.run("ls", "--vault", cue.vault, "--json", "--all"),
            cue.run("ls", "A", "--vault", cue.vault), cue.restore(to: "out"), cue.restore(to: "out"),
            cue.run("log", "A", "--vault", cue.vault), cue.run("check", cue.library, "--read-data"),
        ]

        for result in outputs {
            #expect(result.code == 0, "\(result.errors)")
            #expect(Self.isClean(result.output) && Self.isClean(result.errorBytes), "\(result.text)\(result.errors)")
        }
        #expect(try cue.differences("library", "out") == "")
        #expect(
            outputs[3].text.contains(#"two\nlines.md"#) || outputs[3].text.contains(#"two\x0alines.md"#),
            "\(outputs[3].text)")
    }

    @Test("What is in the way, skipped or unknown is told without a raw byte of its name")
    func errors() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.python(Self.makeNames)
        try cue.python(
            "import os\\nfor n in (b'p\\x1b[2Jipe', b'p\\xff'): os.mkfifo(b'library/' + n)".replacingOccurrences(
                of: "\\n", with: "\n"))
        try cue.shell("mkdir out; for n in library/*.md; do echo mine > \"out/${n#library/}\"; done")

        let outputs = try [
            cue.run("backup", cue.library), cue.run("backup", cue.library, "--json"),
            cue.run("restore", "--vault", cue.vault, "--to", cue.folder.appending("out")),
            cue.restore(to: "out"),
            cue.shell("\"$CUE\" cat $'no\\xff\\x1b[2J' --vault vault"),
            cue.shell("\"$CUE\" restore $'caf\\x1b' --vault vault --to $'out\\xff\\x1b[2J'"),
            cue.shell("\"$CUE\" backup $'no\\xff\\x1b[2J'"),
            cue.shell("\"$CUE\" ls --vault $'no\\xff\\x1b[2J'"),
            cue.shell("\"$CUE\" $'no\\x1b[2J'"),
            cue.shell("\"$CUE\" ls --at $'no\\x1b[2J' --vault vault"),
            cue.shell("\"$CUE\" restore --version $'no\\x1b[2J' --vault vault --to x"),
            cue.shell("\"$CUE\" cat $'A:no\\x1b[2J' --vault vault"),
            cue.shell("\"$CUE\" init library --vault $'s3://no\\x1b[2J'"),
        ]

        for result in outputs {
            #expect(result.code != 0 && result.signal == nil, "\(result)")
            #expect(Self.isClean(result.output) && Self.isClean(result.errorBytes), "\(result.text)\(result.errors)")
        }
    }

    @Test("A name that is not UTF-8 can be given as its bytes, and as ls shows it")
    func namesAsArguments() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.python(Self.makeNames)
        try cue.snapshot()
        let shown = try cue.run("ls", "--vault", cue.vault, "--json").json["documents"].list.map { $0["path"].string }
        let escaped = try #require(shown.first { $0.contains("not utf-8") && !$0.contains("/") })

        let bytes = try cue.shell("\"$CUE\" cat $'not utf-8 \\xff\\xfe.md' --vault vault")
        let text = try cue.run("cat", escaped, "--vault", cue.vault)
        let composed = try cue.shell("\"$CUE\" cat $'caf\\xc3\\xa9.md' --vault vault")
        let decomposed = try cue.shell("\"$CUE\" cat $'cafe\\xcc\\x81.md' --vault vault")

        #expect(bytes.text == "number 0" && text.text == "number 0", "\(bytes.errors)\(text.errors)")
        #expect(composed.text == "number 2" && decomposed.text == "number 3", "\(composed.errors)\(decomposed.errors)")
    }

    @Test("A path of four thousand bytes is backed up, or is named; nothing else suffers")
    func longPaths() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("a.md", "a")
        // The path below the library has just under 4,096 bytes; absolute it has more than any system call takes at
        // once.
        try cue.python(
            """
            import os
            os.chdir("library")
            for level in range(15):
                os.mkdir("f" * 255); os.chdir("f" * 255)
            os.mkdir("g" * 200); os.chdir("g" * 200)
            open("page.md", "w").write("deep")
            """)

        let backup = try cue.backup()
        let restored = try cue.restore(to: "out")

        #expect(backup.code == 0, "\(backup.text)\(backup.errors)")
        #expect(restored.code == 0, "\(restored.text.prefix(500))\(restored.errors)")
        let found = try cue.shell("cd out; while cd f* 2>/dev/null; do :; done; cd g*; cat page.md")
        #expect(found.text == "deep", "\(found.errors)")
        #expect(try cue.run("check", cue.library, "--read-data").code == 0)
    }

    @Test("A path that is longer than the vault takes is named, and the rest is stored")
    func tooLongPath() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("a.md", "a")
        try cue.python(
            """
            import os
            os.chdir("library")
            for level in range(20):
                os.mkdir("f" * 255); os.chdir("f" * 255)
            open("page.md", "w").write("too deep")
            """)

        let backup = try cue.backup()

        #expect(backup.code == 3, "\(backup.text.prefix(300))\(backup.errors)")
        #expect(!backup.json["skipped"].list.isEmpty)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.folder.read("out/a.md") == "a")
    }

    @Test("A FIFO, a socket and a device are skipped and named, and the exit code is 3")
    func specialFiles() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("a.md", "a")
        try cue.write("Novel.scriv/1.rtf", "one")
        try cue.python(
            "import os, socket; os.mkfifo('library/pipe'); os.mkfifo('library/Novel.scriv/pipe'); "
                + "os.chdir('library'); socket.socket(socket.AF_UNIX).bind('plug')")
        if Machine.isRoot { try cue.shell("mknod library/null c 1 3") }

        let backup = try cue.backup()
        let again = try cue.run("backup", cue.library, deadline: 10)
        let restored = try cue.restore(to: "out")

        let names = backup.json["skipped"].list.map { $0["path"].string }
        #expect(backup.code == 3 && again.code == 3, "\(backup)")
        #expect(["pipe", "plug"].allSatisfy(names.contains), "\(names)")
        #expect(!Machine.isRoot || names.contains("null"), "\(names)")
        #expect(names.contains { $0.hasPrefix("Novel.scriv") }, "what a bundle leaves out is named too: \(names)")
        #expect(again.errors.contains("pipe"), "\(again.errors)")
        #expect(restored.code == 0)
        #expect(try cue.shell("cd out && find . | sort").text == ".\n./Novel.scriv\n./Novel.scriv/1.rtf\n./a.md\n")
    }

    @Test("A FIFO in the place of cue's own settings does not hold it up")
    func specialSettings() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Drafts/a.md", "a")
        try cue.shell("mkfifo library/Drafts/.cueignore")

        let backup = try cue.run("backup", cue.library, "--json", deadline: 10)
        try cue.shell("rm library/.cue/library.toml && mkfifo library/.cue/library.toml")
        let broken = try cue.run("backup", cue.library, deadline: 10)

        #expect(backup.signal == nil && backup.code != 0, "\(backup)")
        #expect(broken.signal == nil && broken.code == 1, "\(broken)")
    }

    @Test("Links are stored as links: to nothing, to themselves, to folders outside; nothing behind them is read")
    func links() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.folder.write("outside/secret.md", "not in the library")
        try cue.shell(
            "cd library; ln -s ../outside out; ln -s loop loop; ln -s /nowhere dangling; ln -s ../outside Fake.scriv")
        try cue.snapshot()

        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
        #expect(try cue.run("ls", "--vault", cue.vault, "--all").text.contains("secret") == false)
    }
}
