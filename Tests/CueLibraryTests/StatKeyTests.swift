import CueBase
import Testing

@testable import CueLibrary

@Suite("What tells whether a file was touched")
struct StatKeyTests {
    private static func key(changed: FileTime) -> StatKey {
        StatKey(inode: 1, size: 1, mode: 0o644, modified: changed, changed: changed)
    }

    @Test("Times as far apart as there are trap nothing", arguments: [Int64.min, -4, 4, .max])
    func farApart(seconds: Int64) {
        let now = FileTime(seconds: seconds < 0 ? .max : .min, nanoseconds: 0)
        let change = Self.key(changed: FileTime(seconds: seconds, nanoseconds: 1))

        #expect(change.isTooFresh(at: now) == (seconds > 0))
        #expect(change.isTooFresh(at: FileTime(seconds: 0, nanoseconds: 0)) == (seconds > 0))
    }

    @Test("A change within the step of a clock is too fresh, and an older one is not")
    func steps() {
        let now = FileTime(seconds: 100, nanoseconds: 500_000_000)

        #expect(Self.key(changed: FileTime(seconds: 100, nanoseconds: 490_000_000)).isTooFresh(at: now))
        #expect(!Self.key(changed: FileTime(seconds: 100, nanoseconds: 470_000_000)).isTooFresh(at: now))
        #expect(Self.key(changed: FileTime(seconds: 99, nanoseconds: 0)).isTooFresh(at: now))
        #expect(!Self.key(changed: FileTime(seconds: 98, nanoseconds: 0)).isTooFresh(at: now))
    }
}
