import CueTestSupport
import Testing

@testable import CueEngine

@Suite("Which packs are read back, and when")
struct RollingCheckTests {
    private static let day: Int64 = 86_400_000

    /// Reads a vault for so many days; gives when each pack was last read.
    private func read(
        _ packs: inout [Int64?], for days: Int, growing: Int = 0,
        each: (_ read: [Int], _ day: Int, _ packs: [Int64?]) -> Void = { _, _, _ in }
    ) {
        for day in 1...days {
            packs += [Int64?](repeating: nil, count: growing)
            let now = Int64(day) * Self.day
            let turn = RollingCheck.turn(of: packs, missed: 1, days: 30, now: now)
            #expect(Set(turn).count == turn.count)
            for number in turn { packs[number] = now }
            each(turn, day, packs)
        }
    }

    @Test("A vault that does not grow is read once in 30 days, in equal parts")
    func still() {
        var packs = [Int64?](repeating: nil, count: 100)

        read(&packs, for: 90) { turn, _, _ in #expect(turn.count == 4) }

        #expect(packs.allSatisfy { ($0 ?? 0) > 60 * Self.day })
    }

    @Test("However many packs come, the old ones are read again when their time is up")
    func growing() {
        var packs = [Int64?](repeating: nil, count: 300)
        read(&packs, for: 31)

        var oldest: Int64 = 0
        read(&packs, for: 90, growing: 50) { _, day, packs in
            guard day > 31 else { return }
            oldest = max(oldest, packs.prefix(300).map { Int64(day) * Self.day - ($0 ?? 0) }.max() ?? 0)
        }

        #expect(oldest <= 32 * Self.day, "\(oldest / Self.day) days")
    }

    @Test("New packs get their turn beside the old ones")
    func new() {
        var packs = [Int64?](repeating: nil, count: 300)
        read(&packs, for: 31)

        read(&packs, for: 60, growing: 5)

        let unread = packs.count { $0 == nil }
        #expect(unread == 0, "\(unread) of \(packs.count)")
    }

    @Test("After days without a watcher more is read; a pack read in the future, by a clock that was wrong, is due")
    func odd() {
        let packs: [Int64?] = [5 * Self.day, 900 * Self.day, nil, nil, nil, nil]

        #expect(RollingCheck.turn(of: packs, missed: 1, days: 6, now: 6 * Self.day) == [1, 2])
        #expect(RollingCheck.turn(of: packs, missed: 3, days: 6, now: 6 * Self.day) == [1, 2, 3, 4])
        #expect(RollingCheck.turn(of: [], missed: 1, days: 30, now: 1).isEmpty)
    }
}
