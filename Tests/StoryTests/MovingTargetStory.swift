import CueTestSupport
import Foundation
import Testing

@Suite("Story: documents change while they are backed up")
struct MovingTargetStory {
    /// Writes for as long as the folder `go` is there. Every state of a file is one letter over and over, so a mix
    /// shows.
    private static let writer = """
        import itertools, os, sys, time
        kind, size = sys.argv[1], int(sys.argv[2])
        def fresh(path, data):
            with open(path + ".new", "wb") as file: file.write(data)
            os.rename(path + ".new", path)
        if kind == "in place": fresh("library/text.md", b"a" * size)
        if kind == "bundle":
            os.makedirs("library/Novel.scriv/Files", exist_ok=True)
        open("ready", "w").close()
        for round in itertools.count():
            if not os.path.exists("go"): break
            letter = b"abcdefghijklmnopqrstuvwxyz"[round % 26:round % 26 + 1]
            if kind == "in place":
                with open("library/text.md", "r+b", buffering=0) as file:
                    for start in range(0, size, 65536): file.write(letter * min(65536, size - start))
            elif kind == "replaced": fresh("library/text.md", letter * size)
            elif kind == "grows":
                # Faster than it can be read at one go, and never a danger to the disk.
                if round < 600:
                    with open("library/text.md", "ab", buffering=0) as file: file.write(b"x" * 65536)
                time.sleep(0.002)
            elif kind == "shrinks":
                fresh("library/text.md", b"x" * size)
                os.truncate("library/text.md", size // 2); os.truncate("library/text.md", 10)
            elif kind == "vanishes":
                for n in range(20): fresh("library/page %d.md" % n, letter * size)
                for n in range(20): os.unlink("library/page %d.md" % n)
            elif kind == "bundle":
                stamp = b"%08d" % round
                for n in range(8): fresh("library/Novel.scriv/Files/%d.rtf" % n, stamp + b" " * size)
                fresh("library/Novel.scriv/binder", stamp)
        """

    /// Backs up while a writer is at work; gives the results.
    private static func backups(_ cue: Cue, _ kind: String, size: Int, rounds: Int) throws -> [Running.Result] {
        try cue.folder.write("go", "")
        let writer = try Running(Machine.anyPython, ["-c", writer, kind, String(size)], in: cue.folder.path)
        defer { writer.send(9) }
        while !cue.folder.exists("ready") && writer.isRunning { usleep(2000) }
        let results = try (0..<rounds).map { _ in try cue.run("backup", cue.library, "--json", "--allow-deletions") }
        try cue.remove("go")
        let end = try writer.result(deadline: 20)
        #expect(end.code == 0, "\(end.errors)")
        return results
    }

    /// Whether the first blocks are of one round and all others of the round before, as between two writes in place. A
    /// torn read has it the other way round: the reader was overtaken.
    private static func isWithinRound(_ data: Data) -> Bool {
        guard data.count == 1 << 20, let new = data.first, let old = data.last else { return false }
        let count = data.prefix { $0 == new }.count
        let before = new == UInt8(ascii: "a") ? UInt8(ascii: "z") : new - 1
        return count % 65536 == 0 && old == before && data.dropFirst(count).allSatisfy { $0 == old }
    }

    /// What one file was in a snapshot; nil if it was not there.
    private static func content(_ name: String, at snapshot: String, _ cue: Cue) throws -> Data? {
        let result = try cue.run("cat", name, "--at", snapshot, "--vault", cue.vault)
        return result.code == 0 ? result.output : nil
    }

    @Test(
        "A file that is rewritten all the time is stored as it was at one moment, or is said to be unsettled",
        arguments: ["in place", "replaced", "shrinks"])
    func rewritten(kind: String) throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("calm.md", "calm")

        for result in try Self.backups(cue, kind, size: 1 << 20, rounds: 3) {
            #expect(result.code == 0, "\(result.text)\(result.errors)")
            let snapshot = result.json["snapshot"].string
            guard let data = try Self.content("text.md", at: snapshot, cue) else { continue }
            let isWhole = Set(data).count <= 1 && [0, 10, 1 << 19, 1 << 20].contains(data.count)
            let isTold = result.json["unsettled"].strings.contains("text.md")
            // A writer that stands still within a round leaves such a state for as long as it does.
            let isOneMoment = kind == "in place" && Self.isWithinRound(data)
            #expect(isWhole || isTold || isOneMoment, "\(data.count) bytes, \(Set(data).count) states in one")
        }

        // Once the writer rests, so does the backup.
        try cue.shell("sleep 0.05")
        #expect(try cue.backup().json["unsettled"].strings == [])
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test("A file that grows without end is stored as a beginning of it, and the backup ends")
    func grows() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("text.md", String(repeating: "x", count: 1 << 20))

        for result in try Self.backups(cue, "grows", size: 0, rounds: 3) {
            #expect(result.code == 0 && result.signal == nil, "\(result.errors)")
            let data = try #require(try Self.content("text.md", at: result.json["snapshot"].string, cue))
            #expect(data.count >= 1 << 20 && Set(data).count == 1)
        }
        try cue.snapshot()
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test("Files that come and go are stored whole or not at all, and nothing is called damaged or lost")
    func vanishes() throws {
        let cue = Cue()
        try cue.initialize()
        try cue.write("calm.md", "calm")

        for result in try Self.backups(cue, "vanishes", size: 30_000, rounds: 4) {
            #expect(result.code == 0, "\(result.text)\(result.errors)")
            let snapshot = result.json["snapshot"].string
            #expect(try cue.restore(to: "out \(snapshot)", "--at", snapshot).code == 0)
            let check =
                "import glob; assert all(len(set(open(f,'rb').read())) <= 1 for f in glob.glob('out \(snapshot)/page*'))"
            #expect(try cue.python(check).code == 0)
            #expect(try cue.folder.read("out \(snapshot)/calm.md") == "calm")
        }
        #expect(try cue.run("backup", cue.library, "--allow-deletions").code == 0)
        #expect(try cue.restore(to: "end").code == 0)
        #expect(try cue.differences("library", "end") == "")
    }

    @Test(
        "Every stored state of a bundle that is being saved is one state in all its files, or is said to be unsettled")
    func bundleBeingSaved() throws {
        let cue = Cue()
        try cue.initialize()

        for result in try Self.backups(cue, "bundle", size: 2000, rounds: 4) {
            #expect(result.code == 0, "\(result.text)\(result.errors)")
            let (snapshot, isTold) = (
                result.json["snapshot"].string, result.json["unsettled"].strings == ["Novel.scriv"]
            )
            guard try cue.restore(to: "out \(snapshot)", "--at", snapshot).code == 0 else { continue }
            let script = "find 'out \(snapshot)' -type f -exec head -c 8 {} \\; -exec echo \\; | sort -u"
            let stamps = try cue.shell(script).text.split(separator: "\n")
            // Between two of its files the editor is at two states itself: no snapshot can have one stamp then, only be
            // told.
            #expect(stamps.count <= 1 || isTold || stamps.count == 2 && Self.areNeighbours(stamps), "\(stamps)")
        }
        try cue.shell("sleep 0.05")
        #expect(try cue.backup().json["unsettled"].strings == [])
        #expect(try cue.restore(to: "end").code == 0)
        #expect(try cue.differences("library", "end") == "")
    }

    /// One save in the middle: the state that a reader of the folder sees at a single moment.
    private static func areNeighbours(_ stamps: [Substring]) -> Bool {
        guard let first = Int(stamps[0]), let second = Int(stamps[1]) else { return false }
        return second == first + 1
    }
}
