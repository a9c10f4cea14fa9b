import CueSystem
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc

    @Suite("The memory of a watcher")
    struct WatchMemoryTests {
        private final class Piece {
            let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4, 5, 6, 7, 8)
        }

        @Test("What was freed in small pieces goes back to the system, also in front of one that stays")
        func givesBack() {
            // A test beside this one may take the freed pages at once, so one of several tries shows it.
            let tries = (0..<10).lazy.map { _ in residentBeforeAndAfter() }

            #expect(tries.contains { before, after, all in before > all * 9 / 10 && after < all / 4 })
        }

        /// The pages of many small pieces that are in memory, before they are freed and after, and all of them.
        private func residentBeforeAndAfter() -> (Int, Int, Int) {
            var pieces = (0..<400_000).map { _ in Piece() }
            // The very pages they stood on: how large the process is depends on the tests that run beside this one.
            let pages = Set(pieces.map { UInt(bitPattern: ObjectIdentifier($0)) / UInt(getpagesize()) })
            let before = resident(pages)
            let last = pieces.last
            pieces = []
            ProcessLimits.giveBackFreedMemory()
            return (before, withExtendedLifetime(last) { resident(pages) }, pages.count)
        }

        /// How many of the pages are in memory.
        private func resident(_ pages: Set<UInt>) -> Int {
            pages.count { page in
                var state: UInt8 = 0
                let start = unsafe UnsafeMutableRawPointer(bitPattern: page * UInt(getpagesize()))
                return unsafe mincore(start, 1, &state) == 0 && state & 1 == 1
            }
        }
    }
#endif
