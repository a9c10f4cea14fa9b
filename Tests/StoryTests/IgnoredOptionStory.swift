import Foundation
import Testing

@Suite("Story: no option is ignored")
struct IgnoredOptionStory {
    /// Command lines, and what the refusal names: the options, and often what to do.
    private static let refused: [(line: String, names: [String])] = [
        ("status --verbose --json", ["--verbose", "--json"]),
        ("backup --verbose --json", ["--verbose", "--json"]),
        ("check . --library .", ["the folder", "--library"]),
        ("cat Poem --raw --text", ["--raw", "--text"]),
        ("cat Poem --at now --version 1234-1", ["--at", "--version"]),
        ("restore --at now --version 1234-1", ["--at", "--version"]),
        ("restore --undo Poem", ["--undo", "alone"]),
        ("restore --undo --overwrite", ["--undo", "alone"]),
        ("restore --file a.txt", ["--file", "name that document"]),
        ("diff --stat --json", ["--stat", "--json"]),
        ("find word --rebuild --vault ../vault", ["--rebuild", "--vault"]),
        ("ls --deleted Poem", ["--deleted", "without a name"]),
        ("log --all", ["--all", "name the document"]),
        ("log Stories --all", ["--all", "name the document"]),
        ("log --limit 0", ["--limit", "from 1"]),
        ("log -l=-3", ["--limit", "from 1"]),
        ("log --limit -3", ["--limit", "from 1"]), ("log -l -3", ["--limit", "from 1"]),
        ("resolve Poem --undo --keep this", ["--undo", "--keep"]),
        ("sync --keep 1234-1", ["one conflict", "cue resolve"]),
        ("status --short --json", ["--json", "--short"]),
        ("status --short --quiet", ["--quiet", "--short"]),
        ("status --short --watch", ["--short", "--watch"]),
        ("status --watch --quiet", ["--quiet", "--watch"]),
        ("status --watch --json", ["--watch", "--json"]),
        ("status --watch --exit-code", ["--watch", "--exit-code"]),
        ("status --all --short", ["--all", "--short"]),
        ("status --all --watch", ["--all", "--watch"]),
        ("watch --print", ["--print", "--install"]),
        ("watch --install --uninstall", ["--install", "--uninstall"]),
        ("watch --uninstall --debounce 30s", ["--uninstall", "--debounce"]),
        ("watch --uninstall --poll 30s", ["--uninstall", "--poll"]),
        ("watch --uninstall --verify-days 3", ["--uninstall", "--verify-days"]),
        ("watch --install --passphrase-file x", ["--passphrase-file", "cue backup"]),
        ("watch --install --json", ["--json", "--install"]),
        ("watch --json --quiet", ["--quiet", "--json"]),
        ("events --aside --follow", ["--aside", "--follow"]),
        ("events --aside --type x", ["--aside", "--type"]),
        ("events --clear", ["--clear", "--aside"]),
        ("events --aside --clear --last 3", ["--clear", "--last"]),
        ("events --follow --quiet", ["--follow", "--quiet"]),
        ("events --last -1", ["--last", "from 0"]),
        ("nudge 1h", ["--snooze NAME"]),
        ("nudge --snooze Poem --allow-command", ["--snooze", "--allow-command"]),
        ("project set Poem", ["--deadline"]),
        ("project set Poem --archive --unarchive", ["--archive", "--unarchive"]),
        ("garden --color always --json", ["--color", "--json"]),
        ("garden chart --svg - --json", ["--svg", "--json"]),
        ("garden --events x --library .", ["--events", "--library"]),
        ("garden plant A --on hands-2 --leaf b --events x --project Poem", ["--project", "--events"]),
        ("plan trust", ["--remove"]),
        ("plan trust x --remove 12", ["--remove"]),
    ]

    @Test("An option that would be ignored, or does not go with another, is refused with what to do instead")
    func refusals() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Poem.md", "one")
        try cue.write("Stories/Salt.md", "two")
        try cue.snapshot()
        for (line, names) in Self.refused {
            let result = try cue.start(line.split(separator: " ").map(String.init), in: cue.library).result()
            let words = result.text + result.errors
            #expect(result.code == 2, "\(line): \(words)")
            for name in names { #expect(words.contains(name), "\(line): \(words)") }
        }
    }

    @Test("A limit counts for snapshots as it does for versions")
    func limit() throws {
        let cue = Cue()
        try cue.initialize()
        for number in 1...3 {
            try cue.write("Poem.md", String(repeating: "word ", count: number))
            try cue.snapshot()
        }
        for line in [["log", "-l", "2"], ["log", "Poem", "--limit", "2"]] {
            let text = try cue.start(line, in: cue.library).result().text
            #expect(text.contains("and 1 older: --limit shows more"), "\(text)")
        }
    }
}
