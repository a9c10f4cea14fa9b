import CueTestSupport
import Foundation
import Testing

@Suite("Story: the words of a day")
struct WordsStory {
    @Test("A day's words on a document water the sprout that is tied to it, once, and no text need be typed")
    func watering() throws {
        DayChange.letPass()
        let cue = Cue()
        try cue.write("Novel.md", "one two three")
        try cue.write("Other.md", "a b c d e f g")
        try cue.initialize()
        try cue.run("backup", cue.library)
        func garden(_ arguments: String...) throws -> Running.Result {
            try cue.start(["garden"] + arguments + ["--library", cue.library]).result()
        }
        #expect(try garden("leaf", "hands-2", "Saga").code == 0)
        #expect(try garden("plant", "Act one", "--on", "hands-2", "--leaf", "Saga", "--project", "Novel").code == 0)
        #expect(try garden("plant", "Act two", "--on", "hands-2", "--leaf", "Saga").code == 0)

        let early = try garden("water", "Act one")
        #expect(early.code == 1 && early.errors.contains("cue saw no new words today"), "\(early)")
        try cue.write("Novel.md", "one two three four five six")
        try cue.write("Other.md", "gone")
        try cue.run("backup", cue.library)
        let watered = try garden("water", "Act one")
        let untied = try garden("water", "Act two")

        #expect(watered.code == 0 && watered.text.hasPrefix("Watered Act one: 3 words on Novel.md."), "\(watered)")
        #expect(untied.code == 2 && untied.errors.contains("what did you do for Act two?"), "\(untied)")
        #expect(try garden("water", "Act one").errors.contains("was watered today"))
        let log = try cue.run("events", "export", "--library", cue.library).text
        #expect(log.contains(#""content":"3 words on Novel.md""#), "\(log)")
    }

    @Test("When a day is over, what was written on it becomes an event, once")
    func dayIsOver() throws {
        DayChange.letPass()
        let cue = Cue()
        try cue.write("Novel.md", "one two three")
        try cue.initialize()
        try cue.run("backup", cue.library)
        try cue.write("Novel.md", "one two three four")
        try cue.run("backup", cue.library)
        try cue.write("Novel.md", "one two")
        try cue.run("backup", cue.library)
        // Yesterday comes by moving what was noted back by a day.
        try cue.python(
            """
            import glob, sqlite3
            for path in glob.glob("home/libraries/*/store.db"):
                store = sqlite3.connect(path)
                store.execute("UPDATE words_of_day SET day = '2026-01-02'")
                store.commit()
            """)

        try cue.run("backup", cue.library)
        try cue.run("sync", cue.library)

        let log = try cue.run("events", "export", "--library", cue.library).text
        let events = log.split(separator: "\n").filter { $0.contains("words_written") }
        #expect(events.count == 1, "\(log)")
        #expect(events.first?.contains(#""day":"2026-01-02","document":"Novel.md""#) == true)
        #expect(events.first?.contains(#""total":2,"words":-1"#) == true, "\(events)")
    }
}
