import CueTestSupport
import Foundation
import Testing

@Suite("Story: the words of a writer")
struct WriterWordsStory {
    @Test("cue status FOLDER says what waits below it, and cue status of a document speaks of that alone")
    func statusBelow() throws {
        let cue = try Cue.small()
        try cue.write("Stories/The Clockmaker.md", "tick tock")
        try cue.write("Stories/Two.md", "two")
        try cue.write("Essay.md", "a longer essay")

        let all = try cue.run("status", cue.library, "--json").json
        let below = try cue.run("status", "library/Stories", "--json").json
        let text = try cue.run("status", "Stories", in: cue.library)
        let poems = try cue.run("status", "Poems", "--exit-code", in: cue.library)
        let document = try cue.run("status", "library/Novel.scriv/Files", "--json").json

        #expect(all["changed"].strings.count == 2 && all["documents"].int == 5)
        #expect(below["changed"].strings == ["Stories/The Clockmaker.md"] && below["new"].strings == ["Stories/Two.md"])
        #expect(below["below"].string == "Stories" && text.text.contains("\nonly     Stories\n"), "\(text.text)")
        #expect(below["documents"].int == 2 && below["states"].list.count == 2)
        #expect(text.text.hasPrefix("2 changes wait for `cue backup`"), "\(text.text)")
        #expect(!text.text.contains("Essay"), "\(text.text)")
        #expect(poems.code == 0 && poems.text.hasPrefix("The one document is in the vault"), "\(poems.text)")
        #expect(document["documents"].int == 1 && document["needs_sync"].bool == false)
    }

    @Test("A document that went to another folder is a change of both, and one that is gone has a status of its own")
    func moved() throws {
        let cue = try Cue.small()
        try cue.write("Novel/One.md", "the ferry\n")
        try cue.write("Other/Two.md", "the lamp\n")
        try cue.snapshot()
        try cue.rename("library/Novel/One.md", "library/Other/One.md")
        func status(_ place: String) throws -> Running.Result {
            try cue.run("status", place, "--exit-code", in: cue.library)
        }

        for folder in ["Novel", "Other"] {
            let shown = try status(folder)
            #expect(shown.code == 1 && shown.text.hasPrefix("1 change waits"), "\(shown.text)")
            #expect(shown.text.contains("Novel/One.md → Other/One.md  (renamed"), "\(shown.text)")
        }
        #expect(try status("Novel/One.md").code == 1)
        #expect(try status("novel/one").text.contains("One.md"))
        #expect(try status("no such thing").errors.contains("nothing in this library is called no such thing"))
    }

    @Test("A renamed document is one change, with both names; programs have it as new and gone, and as renamed")
    func renamed() throws {
        let cue = try Cue.small()
        try cue.rename("library/Essay.md", "library/On clocks.md")

        let text = try cue.run("status", cue.library).text
        let json = try cue.run("status", cue.library, "--json").json

        #expect(text.hasPrefix("1 change waits for `cue backup`"), "\(text)")
        #expect(text.contains("Essay.md → On clocks.md  (renamed"), "\(text)")
        #expect(!text.contains("gone"), "\(text)")
        #expect(json["new"].strings == ["On clocks.md"] && json["gone"].strings == ["Essay.md"])
        #expect(json["renamed"].list.map { $0["from"].string + ">" + $0["to"].string } == ["Essay.md>On clocks.md"])
    }

    @Test(
        "A project shows its title, when it was made, edited and stored, and whether it needs a sync, in lines of its own"
    )
    func project() throws {
        let cue = try Cue.small()
        try cue.run("project", "set", "Essay.md", "--nudge", "daily", "--library", cue.library)
        // What was set is stored too.
        try cue.snapshot()
        func shown() throws -> JSON {
            try #require(
                try cue.run("project", "show", "Essay.md", "--library", cue.library, "--json").json["projects"].list
                    .first)
        }

        let stored = try shown()
        try cue.write("Essay.md", "a longer essay")
        let edited = try shown()
        let lines = try cue.run("project", "show", "--library", cue.library).text.split(separator: "\n").map(
            String.init)

        #expect(stored["title"].string == "Essay" && stored["needs_sync"].bool == false)
        for key in ["created_at", "last_edited_at", "last_synced_at"] {
            #expect(stored[key].string.hasSuffix("Z"), "\(key)")
        }
        #expect(edited["needs_sync"].bool == true && edited["last_synced_at"].string == stored["last_synced_at"].string)
        #expect(lines.first == "Essay.md" && lines.contains { $0.hasPrefix("  nudge     daily at 09:00") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("  stored    not as it is now") }, "\(lines)")
    }

    @Test("cue log -v names the documents of each snapshot, newest first, as cue show does for one")
    func log() throws {
        let cue = try Cue.small()
        try cue.write("Essay.md", "a longer essay")
        try cue.snapshot()

        let text = try cue.run("log", "-v", "--library", cue.library).text
        let one = try cue.run("log", "-v", "-l", "1", "--library", cue.library).text
        let shown = try cue.run("show", "--library", cue.library).text
        let json = try cue.run("log", "-v", "--json", "--library", cue.library).json["snapshots"].list
        let plain = try cue.run("log", "--json", "--library", cue.library).json["snapshots"].list
        let below = try cue.run("log", "Stories", "-v", "--library", cue.library).text

        #expect(text.split(separator: "\n").count == 7, "\(text)")
        let line = try #require(shown.split(separator: "\n").first { $0.contains("Essay.md") })
        #expect(one.contains(line) && one.contains("and 1 older"), "\(one)")
        #expect(json.map { $0["documents"].list.count } == [1, 4])
        #expect(plain.allSatisfy { $0["documents"].value == nil })
        #expect(below.contains("Stories/The Clockmaker.md") && !below.contains("Essay"), "\(below)")
        #expect(try cue.run("log", "Essay.md", "-v", "--library", cue.library).code == 2)
    }

    @Test("The log of events says in words what cue noted, and shows what is a program's as it is")
    func events() throws {
        let cue = try Cue.small()
        let words = #"{"document":"My Novel/Chapter 2 – Salt.md","words":13,"day":"2026-12-09","total":500}"#
        try cue.run("events", "add", "words_written", "--payload", words, "--library", cue.library)
        try cue.run("events", "add", "walk_taken", "--payload", #"{"km":3}"#, "--library", cue.library)

        let lines = try cue.run("events", "--library", cue.library).text.split(separator: "\n").map { $0.dropFirst(18) }

        #expect(lines.first?.hasPrefix("stored  4 new  (snapshot ") == true, "\(lines)")
        #expect(lines.dropFirst().first == "Chapter 2 – Salt  +13 words on 2026-12-09", "\(lines)")
        #expect(lines.last == "walk_taken          {\"km\":3}", "\(lines)")
    }

    @Test("While an event waits the status says so, and after a sync no more")
    func waitingEvents() throws {
        let cue = try Cue.small()
        try cue.run("events", "add", "walk_taken", "--library", cue.library)

        let before = try cue.run("status", cue.library, "--json").json
        let synced = try cue.run("sync", cue.library)
        let after = try cue.run("status", cue.library, "--json").json

        #expect(
            before["headline"].string.hasSuffix(
                "1 note of the event log is not in the vault yet: the next backup takes it."), "\(before)")
        #expect(before["events_waiting"].int == 1 && after["events_waiting"].int == 0)
        #expect(synced.text.contains("event") && !synced.text.contains("nothing to do"), "\(synced.text)")
        #expect(!after["headline"].string.contains("event"))
    }

    @Test("What the first programs called note is kept and named, and copies in one file count once")
    func firstPrograms() throws {
        let cue = try Cue.small()
        let planted = """
            {"type":"sprout_planted","payload":{"sproutId":"s1","twigId":"branch-0-twig-0","title":"Act two","season":"1m",\
            "environment":"firm","soilCost":3},"clientId":"c1","timestamp":"2026-01-02T10:00:00Z"}
            """
        let watered = """
            {"type":"sprout_watered","payload":{"sproutId":"s1","note":"wrote the ferry"},"clientId":"c2",\
            "timestamp":"2026-01-02T11:00:00Z","synced":true}
            """
        try cue.folder.write("in.jsonl", [planted, watered, watered, planted].joined(separator: "\n"))

        let imported = try cue.run(
            "events", "import", cue.folder.appending("in.jsonl"), "--library", cue.library, "--json")
        let garden = try cue.run("garden", "--library", cue.library, "--json")

        #expect(imported.code == 0, "\(imported)")
        #expect(garden.json["skipped"].list.count == 1 && garden.text.contains("c2 (sprout_watered)"), "\(garden)")
        let types = try cue.run("events", "status", "--library", cue.library, "--json").json["types"]
        #expect(types["sprout_planted"].int == 1 && types["sprout_watered"].int == 1, "\(types)")
    }
}
