import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import Testing

@testable import CueEngine

/// Documents that are saved just before they are stored: the clock of the file system ticks in steps.
@Suite("Documents saved just now")
struct FreshFileTests {
    @Test("Edit and sync in quick succession leave no change that a status reports")
    func noPhantom() throws {
        let desk = try SyncDevice("desk", in: TemporaryFolder(), on: MemoryStore())
        for number in 0..<10 {
            try desk.write("a.md", "text \(number)")
            try desk.sync()
            #expect(try LibraryStatus.of(desk.library).changed.isEmpty, "after save \(number)")
        }
    }

    @Test("A key rests for what is left of two ticks; in the future, and without a fine clock, it never does")
    func rest() {
        func key(_ seconds: Int64, _ nanoseconds: UInt32) -> StatKey {
            let time = FileTime(seconds: seconds, nanoseconds: nanoseconds)
            return StatKey(inode: 1, size: 1, mode: 0o644, modified: time, changed: time)
        }
        let now = FileTime(seconds: 100, nanoseconds: 5_000_000)

        #expect(key(100, 4_000_000).millisecondsToRest(at: now) == 20)
        #expect(key(99, 990_000_000).millisecondsToRest(at: now) == 6)
        #expect(key(99, 985_000_000).millisecondsToRest(at: now) == nil)
        #expect(key(100, 6_000_000).millisecondsToRest(at: now) == nil)
        #expect(key(100, 0).millisecondsToRest(at: now) == nil)
        #expect(key(Int64.min, 1).millisecondsToRest(at: now) == nil && key(.max, 1).millisecondsToRest(at: now) == nil)
    }
}
