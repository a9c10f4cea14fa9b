import CueBase
import CueTestSupport
import Testing

@testable import CueEngine

@Suite("When a watcher saves")
struct WatchScheduleTests {
    private func path(_ name: String) -> RelativePath { RelativePath.root.appending(Array(name.utf8)) }

    @Test("A document is due when it was left alone for the debounce")
    func debounce() {
        var schedule = WatchSchedule(debounce: 30, limit: 300)
        #expect(schedule.next == nil && schedule.isEmpty)

        schedule.note(path("a"), at: 100)
        #expect(schedule.next == 130)
        schedule.note(path("a"), at: 110)

        #expect(schedule.next == 140)
        #expect(schedule.resting(at: 139) == [path("a")])
        #expect(schedule.resting(at: 140) == [])
    }

    @Test("One that is written in all the time is due after the limit, counted from its first edit")
    func limit() {
        var schedule = WatchSchedule(debounce: 30, limit: 300)

        for time in stride(from: 0.0, through: 290, by: 10) { schedule.note(path("a"), at: time) }

        #expect(schedule.next == 300)
        schedule.saved(at: 300)
        #expect(schedule.isEmpty)
        schedule.note(path("a"), at: 310)
        #expect(schedule.next == 340, "the next edit begins anew")
    }

    @Test("A limit below the debounce is raised to it")
    func smallLimit() {
        #expect(WatchSchedule(debounce: 30, limit: 5).limit == 30)
    }

    @Test("One that is still written in keeps no other waiting, and waits on when the other was saved")
    func eachForItself() {
        var schedule = WatchSchedule(debounce: 30, limit: 300)
        schedule.note(path("a"), at: 0)
        schedule.note(path("b"), at: 20)

        #expect(schedule.next == 30)
        #expect(schedule.resting(at: 30) == [path("b")])
        schedule.saved(at: 30)

        #expect(schedule.paths == [path("b")])
        #expect(schedule.next == 50)
    }

    @Test("After a save of everything only what came later waits")
    func savedAll() {
        var schedule = WatchSchedule(debounce: 30, limit: 300)
        schedule.note(path("a"), at: 0)
        schedule.note(path("b"), at: 10)
        schedule.note(path("b"), at: 21)

        schedule.savedAll(at: 20)

        #expect(schedule.paths == [path("b")])
    }

    @Test("What a sync did to a document is no edit; what was written before it is one")
    func forget() {
        var schedule = WatchSchedule(debounce: 30, limit: 300)
        schedule.note(path("mine"), at: 5)
        schedule.note(path("mine"), at: 12)
        schedule.note(path("received"), at: 12)
        schedule.note(path("other"), at: 13)

        schedule.forget([path("mine"), path("received"), path("never noted")], since: 10)

        #expect(schedule.paths == [path("mine"), path("other")])
    }

    @Test(
        "Whatever is written when: nothing is saved before it rests or the limit is over, nothing later, and nothing is lost"
    )
    func property() {
        for seed in 1...200 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let debounce = Double.random(in: 1...40, using: &generator)
            let limit = Double.random(in: 1...400, using: &generator)
            var schedule = WatchSchedule(debounce: debounce, limit: limit)
            let most = max(debounce, limit)
            var (now, unsaved): (Double, [RelativePath: (first: Double, last: Double)]) = (0, [:])
            for _ in 0..<200 {
                now += Double.random(in: 0...debounce, using: &generator)
                // Saves happen when they are due.
                while let next = schedule.next, next <= now {
                    let resting = schedule.resting(at: next)
                    let due = unsaved.filter { !resting.contains($0.key) }
                    #expect(!due.isEmpty, "seed \(seed)")
                    for (path, times) in due {
                        #expect(next >= min(times.last + debounce, times.first + most) - 1e-9, "seed \(seed), \(path)")
                        #expect(next <= times.first + most + 1e-9, "seed \(seed), \(path)")
                        unsaved[path] = nil
                    }
                    schedule.saved(at: next)
                    #expect(Set(schedule.paths) == Set(unsaved.keys), "seed \(seed)")
                }
                let document = path("\(Int.random(in: 0..<5, using: &generator))")
                schedule.note(document, at: now)
                unsaved[document] = (unsaved[document]?.first ?? now, now)
            }
        }
    }
}

@Suite("When a watcher tries again")
struct BackOffTests {
    @Test("After each failure between half and all of 1, 2, 4 … 60 s, and after a success from the beginning")
    func bounds() {
        for seed in 1...50 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var backOff = BackOff()

            for ceiling in [1.0, 2, 4, 8, 16, 32, 60, 60, 60] {
                let wait = backOff.next(using: &generator)
                #expect(wait >= ceiling / 2 && wait <= ceiling, "seed \(seed)")
            }
            #expect(backOff.failures == 9)
            backOff.reset()

            #expect(backOff.failures == 0)
            #expect(backOff.next(using: &generator) <= 1, "seed \(seed)")
        }
    }

    @Test("Two that fail at one moment do not try again at one moment")
    func jitter() {
        var (one, two) = (SeededGenerator(seed: 1), SeededGenerator(seed: 2))
        var (a, b) = (BackOff(), BackOff())

        let pairs = (0..<20).map { _ in (a.next(using: &one), b.next(using: &two)) }

        #expect(pairs.allSatisfy { $0 != $1 })
    }

    @Test("A thousand failures overflow nothing")
    func many() {
        var (generator, backOff) = (SeededGenerator(seed: 3), BackOff())

        for _ in 0..<1000 { #expect(backOff.next(using: &generator) <= 60) }
    }
}
