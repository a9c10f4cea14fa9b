import CueTestSupport
import Foundation
import Testing

@Suite("Story: what a watcher tells a monitor")
struct WatchLineStory {
    /// The lines that were printed until now.
    private static func lines(_ text: String) -> [JSON] {
        text.split(separator: "\n").map { JSON(Data($0.utf8)) }
    }

    /// The names of the events, without those that come at times of their own.
    private static func events(_ lines: [JSON]) -> [String] {
        lines.map { $0["event"].string }.filter { !["verified", "rescan", "changed"].contains($0) }
    }

    @Test("With --json each event is one line: started, syncs with counts, a vault that goes and comes back, the end")
    func life() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Secret name.md", "one")
        let watcher = try cue.start(["watch", cue.library, "--json", "--debounce", "0.3s", "--poll", "1"])
        defer { watcher.send(SIGKILL) }
        func comes(_ event: String, after count: Int = 0) throws -> JSON? {
            _ = try eventually(within: 60) {
                Self.lines(try watcher.textSoFar()).dropFirst(count).contains { $0["event"].string == event }
            }
            return Self.lines(try watcher.textSoFar()).dropFirst(count).first { $0["event"].string == event }
        }
        let first = try #require(try comes("sync_finished"))
        #expect(first["stored"].int == 1 && first["complete"].bool == true && first["conflicts"].int == 0)
        #expect(
            first["snapshot"].string.count == 16 && first["time"].string.hasSuffix("Z") && first["seconds"].value != nil
        )

        var count = Self.lines(try watcher.textSoFar()).count
        try cue.write("Secret name.md", "one two")
        #expect(try comes("changed", after: count)?["waiting"].int == 1)
        #expect(try comes("sync_finished", after: count)?["stored"].int == 1)

        count = Self.lines(try watcher.textSoFar()).count
        try cue.rename("vault", "away")
        try cue.write("Secret name.md", "one two three")
        let offline = try #require(try comes("offline", after: count))
        #expect(offline["code"].int == 7 && !offline["message"].string.isEmpty && offline["next_try"].value != nil)
        try cue.rename("away", "vault")
        #expect(try comes("back", after: count)?["vault"].bool == true)
        #expect(try comes("sync_finished", after: count)?["stored"].int == 1)

        watcher.send(SIGTERM)
        let result = try watcher.result()
        #expect(result.code == 0 && result.errors == "", "\(result.errors)")
        let lines = Self.lines(result.text)
        let events = Self.events(lines)
        #expect(lines.allSatisfy { !$0["event"].string.isEmpty && !$0["time"].string.isEmpty }, "\(result.text)")
        #expect(events.first == "started" && events.last == "ended" && lines[0]["folders"].int == 1, "\(events)")
        #expect(events.dropFirst().first == "sync_started" && events.contains("stopping"), "\(events)")
        // A monitor may be a stranger's.
        #expect(!result.text.contains("Secret"))
    }
}
