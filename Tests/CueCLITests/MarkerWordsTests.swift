import Testing

@testable import CueCLI
@testable import CueLibrary

@Suite("Sentences about library.toml")
struct MarkerWordsTests {
    private static let head = "library = \"00112233445566778899aabbccddeeff\"\nvault = \"/v\"\n"

    @Test(
        "A wrong setting is refused by its name, with what is valid",
        arguments: [
            ("notify = 1", "`notify` is a table: [notify] command, backup_days, ping"),
            ("[notify]\nsound = true", "unknown setting `sound` in [notify]; there are command, backup_days, ping"),
            ("[notify]\ncommand = 1", "[notify] command is a text"),
            ("[notify]\ncommand = \" \"", "[notify] command is a text"),
            ("[notify]\ncommand = [\"a\"]", "[notify] command is a text"),
            ("[notify]\nbackup_days = \"7\"", "backup_days is a whole number from 0 (never) to 3650"),
            ("[notify]\nbackup_days = -1", "backup_days is a whole number from 0"),
            ("[notify]\nbackup_days = 1.5", "backup_days is a whole number from 0"),
            ("[notify]\nbackup_days = 3651", "backup_days is a whole number from 0"),
            ("[notfiy]\ncommand = \"a\"", "line 3: unknown setting `notfiy`"),
            (
                "[watch]\n\n  interval = 1",
                "line 5: unknown setting `interval` in [watch]; there are debounce, verify_days"
            ),
            ("[watch]\ndebounce = \"5\"", "line 4: [watch] debounce is a number of seconds from 0.1 to 3600"),
            ("[watch]\ndebounce = 0", "line 4: [watch] debounce is a number of seconds"),
            ("[watch]\ndebounce = nan", "line 4: [watch] debounce is a number of seconds"),
            (
                "[watch]\ndebounce = 5\nverify_days = 1.5",
                "line 5: [watch] verify_days is a whole number from 0 (never)"
            ),
            ("watch = { debounce = 9999 }", "line 3: [watch] debounce is a number of seconds"),
            ("watch.verify_days = -1", "line 3: [watch] verify_days is a whole number"),
            ("watch = 3", "line 3: `watch` is a table: [watch] debounce, verify_days"),
            ("ping = \"https://hc-ping.com/1\"", "line 3: `ping` belongs in [notify]"),
            ("[watch]\nping = \"https://hc-ping.com/1\"", "line 4: `ping` belongs in [notify]"),
            ("[notify]\nping = \"hc-ping.com/1\"", "line 4: [notify] ping is an address such as"),
            ("[notify]\nping = 1", "line 4: [notify] ping is an address such as"),
            ("[key]\nremember = \"no\"", "line 4: [key] remember is true or false"),
            ("[key]\nforget = true", "line 4: unknown setting `forget` in [key]; there are remember"),
            ("[bundles]\nendings = \".myapp\"", "line 4: [bundles] endings is a list of texts"),
            ("[bundles]\nendings = [\".a\", 1]", "line 4: [bundles] endings is a list of texts"),
        ])
    func wrong(text: String, part: String) {
        #expect {
            try LibraryMarker(parsing: Self.head + text)
        } throws: { error in
            if case LibraryError.markerInvalid(let flaw) = error { flaw.words.contains(part) } else { false }
        }
    }
}
