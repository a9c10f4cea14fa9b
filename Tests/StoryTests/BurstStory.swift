import CueTestSupport
import Foundation
import Testing

@Suite("Story: a bundle saved in bursts")
struct BurstStory {
    @Test("An editor that saves a bundle now and then, in one burst, always has one whole state in the vault")
    func bundleSavedInBursts() throws {
        let cue = Cue()
        try cue.initialize()
        let editor = """
            import os, time
            os.makedirs("library/Novel.scriv")
            for round in range(7):
                for n in range(12):
                    path = "library/Novel.scriv/%d.rtf" % n
                    with open(path + ".new", "w") as file: file.write("%08d" % round)
                    os.rename(path + ".new", path)
                    time.sleep(0.004)
                open("ready", "w").close()
                time.sleep(0.35)
            """
        let writer = try Running(Machine.anyPython, ["-c", editor], in: cue.folder.path)
        while !cue.folder.exists("ready") { usleep(2000) }

        var told = 0
        for _ in 0..<12 where writer.isRunning {
            let result = try cue.backup()
            let snapshot = result.json["snapshot"].string
            if result.json["unsettled"].strings == ["Novel.scriv"] { told += 1; continue }
            #expect(try cue.restore(to: "out", "--at", snapshot, "--overwrite").code == 0)
            #expect(try cue.shell("cat out/Novel.scriv/*.rtf | fold -w 8 | sort -u | wc -l").text == "1\n")
            usleep(90_000)
        }
        _ = try writer.result(deadline: 20)
        #expect(told <= 1, "a rest of 350 ms is enough to find a whole state")
    }
}
