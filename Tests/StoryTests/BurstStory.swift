import CueTestSupport
import Foundation
import Testing

@Suite("Story: a bundle saved in bursts")
struct BurstStory {
    /// Writes a line when a change is about to be made, and when it was: round, and seconds of the monotonic clock.
    private static let editor = """
        import os, time
        os.makedirs("library/Novel.scriv")
        log = open("steps", "w", buffering=1)
        def step(round): print(round, time.monotonic(), file=log)
        for round in range(7):
            for n in range(12):
                path = "library/Novel.scriv/%d.rtf" % n
                step(round)
                with open(path + ".new", "w") as file: file.write("%08d" % round)
                step(round)
                os.rename(path + ".new", path)
                step(round)
                time.sleep(0.015)
            open("ready", "w").close()
            time.sleep(0.5)
        """

    /// What the editor really did: a machine that is busy with other things makes pauses of its own.
    private struct Bursts {
        private let times: [[Double]]

        init(_ log: String) throws {
            var times: [[Double]] = []
            for line in log.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count == 2, let round = Int(words[0]), let time = Double(words[1]) else { continue }
                while times.count <= round { times.append([]) }
                times[round].append(time)
            }
            self.times = times
        }

        /// Whether within this burst nothing may have been changed for as long as a rest is.
        func pauses(in round: Int) -> Bool {
            let steps = times[round]
            // A change is made somewhere between two steps. A file's time may be 10 ms older than the change.
            return zip(steps, steps.dropFirst(2)).contains { $1 - $0 >= 0.19 }
        }

        /// Whether between two moments the editor was as quick, and rested as long, as it was meant to.
        func areAsMeant(from start: Double, to end: Double) -> Bool {
            for round in times.indices {
                guard let first = times[round].first, let last = times[round].last else { continue }
                let next = round + 1 < times.count ? times[round + 1].first ?? end : .infinity
                guard first <= end, next >= start else { continue }
                if last - first > 0.3 || next - last < 0.35 { return false }
            }
            return true
        }
    }

    /// The clock of the editor's log.
    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    @Test("An editor that saves a bundle now and then, in one burst, always has one whole state in the vault")
    func bundleSavedInBursts() throws {
        let cue = Cue()
        try cue.initialize()
        let writer = try Running(Machine.anyPython, ["-c", Self.editor], in: cue.folder.path)
        defer { writer.send(SIGKILL) }
        while !cue.folder.exists("ready") && writer.isRunning { usleep(2000) }

        var told: [(start: Double, end: Double)] = []
        var mixed: [[Int]] = []
        for _ in 0..<12 where writer.isRunning {
            let start = Self.now
            let result = try cue.backup()
            let snapshot = result.json["snapshot"].string
            if result.json["unsettled"].strings == ["Novel.scriv"] {
                told.append((start, Self.now))
                continue
            }
            #expect(try cue.restore(to: "out", "--at", snapshot, "--overwrite").code == 0)
            let states = try (0..<12).map { try #require(Int(cue.folder.read("out/Novel.scriv/\($0).rtf"))) }
            if Set(states).count > 1 { mixed.append(states) }
            usleep(90_000)
        }
        #expect(try writer.result(deadline: 60).code == 0)
        let bursts = try Bursts(cue.folder.read("steps"))

        for states in mixed {
            // One moment within a burst: the first files are of this round, all others of the one before.
            let new = states.prefix { $0 == states[0] }
            let isOneMoment = states[new.count...].allSatisfy { $0 == states[0] - 1 }
            #expect(isOneMoment && bursts.pauses(in: states[0]), "\(states)")
        }
        let toldInRest = told.count { bursts.areAsMeant(from: $0.start, to: $0.end) }
        #expect(toldInRest <= 1, "the rest between bursts is enough to find a whole state")
    }
}
