import CueTestSupport
import Foundation
import Testing

@Suite("Story: shells complete commands, options and documents")
struct CompletionStory {
    /// Those that `make install` installs, which `ManualStory` proves.
    private static let scripts = Project.root + "/tools/completions"
    private static let ferry = "My Novel/Chapter 1 – The ferry.md"

    /// A library of which the vault is gone: what is completed comes from this device.
    private static func library() throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        for (name, text) in [
            (ferry, "the ferry"), ("My Novel/Chapter 2 – Salt.md", "salt"), ("It's \"quoted\" $HOME.md", "quoted"),
            ("Ärger: Söhne.txt", "colon"), ("-hyphen.md", "hyphen"), ("two\nlines.md", "lines"),
        ] { try cue.write(name, text) }
        try cue.snapshot()
        try cue.rename("vault", "away")
        try cue.shell("mkdir bin && ln -s \"$CUE\" bin/cue")
        return cue
    }

    /// What the installed script answers in bash for a line that ends at the cursor.
    private static func bash(_ line: String, _ cue: Cue) throws -> [String] {
        let script = """
            PATH=$PWD/bin:$PATH; . "$1/cue.bash"; cd library
            COMP_LINE=$2 COMP_POINT=${#2}; _cue cue "" ""; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let environment: [String: String?] = ["CUE_PASSPHRASE": nil]
        return try cue.shell(script, Self.scripts, line, environment: environment).text.split(separator: "\n").map(
            String.init)
    }

    @Test("bash gets commands, options, values, documents, snapshots and folders, without vault and passphrase")
    func answers() throws {
        let cue = try Self.library()
        let snapshot = try cue.run("events", "--json", in: cue.library).json["events"].list.last?["payload"]["snapshot"]
        let snapshots = [String(try #require(snapshot?.string).prefix(8)), "latest", "yesterday", "today"]
        for (line, answer) in [
            ("cue ba", ["backup"]), ("cue garden wa", ["water"]), ("cue compl", []),
            ("cue log --li", ["--limit", "--library"]),
            ("cue sync --keep ", ["this", "other", "both"]), ("cue sync --keep=o", ["other"]),
            ("cue log Chapter\\ 1", ["Chapter 1 – The ferry.md"]), ("cue log \"My N", ["My Novel/"]),
            ("cue log 'My Novel/Chapter 1", [Self.ferry]), ("cue restore --to x It", []),
            ("cue cat Ärger:", [" Söhne.txt"]), ("cue cat \"Ärger:", ["Ärger: Söhne.txt"]),
            ("cue cat tw", ["two\\nlines.md"]),
            ("cue cat -- -", ["-hyphen.md"]),
            (
                "cue cat ",
                ["./-hyphen.md", "My Novel/", "two\\nlines.md", "Ärger: Söhne.txt"]
            ), ("cue show ", snapshots),
            ("cue restore x --at ", snapshots), ("cue diff x ", snapshots),
            ("cue garden plant x --on han", (0..<8).map { "hands-\($0)" }),
            ("cue garden plant x --for ", ["2w", "1m", "3m", "6m", "1y"]), ("cue nothing ", []), ("cue find ", []),
        ] { #expect(try Self.bash(line, cue) == answer, "\(line)") }
    }

    /// Keys for a shell at a real terminal; gives all that it showed.
    @discardableResult
    private static func type(_ keys: String, _ shell: [String], _ cue: Cue) throws -> String {
        let path = cue.folder.appending("bin:") + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        return try Typing.run(
            cue, Array(shell.dropFirst()), answers: [("READY>", keys), ("END>", "exit\n")], in: cue.library,
            environment: ["PATH": path, "HOME": cue.folder.path, "ZDOTDIR": cue.folder.path, "PS1": nil],
            program: shell[0]
        ).text
    }

    @Test("In a real bash, the tab key quotes a name with spaces and an en dash, and the command finds the document")
    func realBash() throws {
        let cue = try Self.library()
        try cue.folder.write(
            "rc", "PS1='READY> '; bind 'set bell-style none'; . \(Self.scripts)/cue.bash\n")
        let bash = ["/bin/bash", "--noprofile", "--rcfile", cue.folder.appending("rc"), "-i"]

        for line in [
            "project show My\tChapter\\ 1\t", "project show \"My Novel/Chapter 1\t", "project show Chapter\\ 1\t",
        ] {
            let text = try Self.type("cue \(line)\necho E\"\"ND\\>\n", bash, cue)
            #expect(text.contains("set       nothing") && text.contains("The ferry"), "\(text)")
        }
    }

    @Test("In a real bash, the name of a document runs no command, also where no such file is in the current folder")
    func hostileName() throws {
        let cue = try Self.library()
        try cue.folder.write(
            "rc", "PS1='READY> '; bind 'set bell-style none'; . \(Self.scripts)/cue.bash\n")
        try cue.folder.write("bin/hostile", "#!/bin/sh\ntouch \"\(cue.folder.appending("ran"))\"\n")
        try cue.shell("chmod +x bin/hostile; mv away vault")
        try cue.write("Deep/mm`hostile`.md", "a name that a stranger gave")
        try cue.write("Deep/nn$(hostile).md", "another")
        try cue.snapshot()
        let bash = ["/bin/bash", "--noprofile", "--rcfile", cue.folder.appending("rc"), "-i"]

        for begun in ["mm", "nn", "Deep/m"] {
            try Self.type("cue cat \(begun)\t\necho E\"\"ND\\>\n", bash, cue)
            #expect(!FileManager.default.fileExists(atPath: cue.folder.appending("ran")), "\(begun)")
        }
    }

    @Test("In a real zsh, the tab key does the same", .enabled(if: Machine.has("zsh"), "no zsh is here"))
    func realZsh() throws {
        let cue = try Self.library()
        try cue.folder.write(
            ".zshrc",
            """
            fpath=(\(Self.scripts) $fpath); autoload -Uz compinit; compinit -u -D
            PS1='READY> '

            """)
        let zsh = ["/usr/bin/env", "zsh", "-i"]

        for line in ["project show My\tChapter\\ 1\t", "project show \"My Novel/Chapter 1\t"] {
            let text = try Self.type("cue \(line)\necho E\"\"ND\\>\n", zsh, cue)
            #expect(text.contains("set       nothing") && text.contains("The ferry"), "\(text)")
        }
    }

    @Test("fish completes the same", .enabled(if: Machine.has("fish"), "no fish is here"))
    func fish() throws {
        let cue = try Self.library()
        let script = """
            PATH=$PWD/bin:$PATH; cd library; exec fish --no-config -c \
            'source $argv[1]/cue.fish; complete -C $argv[2]' -- "$1" "$2"
            """
        for (line, answer) in [
            ("cue log My", "My Novel/\n"), ("cue log \"My Novel/Chapter 1", Self.ferry + "\n"),
            ("cue log Chapter\\ 1", "Chapter 1 – The ferry.md\n"), ("cue sync --keep=o", "--keep=other\n"),
            ("cue sync --keep ", "this\nother\nboth\n"),
        ] {
            let result = try cue.shell(script, Self.scripts, line, environment: ["HOME": cue.folder.path])
            #expect(result.text == answer, "\(line): \(result.errors)")
        }
    }
}
