import CueBase
package import CueStorage

/// What every `RecordLog` promises, one rule at a time; run against each implementation.
package enum RecordLogSuite {
    package struct Rule: Sendable, CustomStringConvertible {
        package let description: String
        package let check: @Sendable (any RecordLog) throws -> Void

        init(_ description: String, _ check: @escaping @Sendable (any RecordLog) throws -> Void) {
            (self.description, self.check) = (description, check)
        }
    }

    private static func position(_ device: UInt64, _ generation: UInt64, _ commit: UInt64 = 7) -> LogPosition {
        LogPosition(device: DeviceID(high: device, low: device), generation: generation, commit: CommitID(commit))
    }

    private static func bytes(of entry: LogEntry, in log: any RecordLog) throws -> [UInt8] {
        let source = try log.source(of: entry)
        var bytes = [UInt8](repeating: 0xee, count: source.size)
        var span = bytes.mutableSpan
        try source.read(at: 0, into: &span)
        return bytes
    }

    package static let rules: [Rule] = [
        Rule("What was appended is listed with its size, and read back in any range") { log in
            try log.append([1, 2, 3, 4, 5], at: position(1, 1))
            let entries = try log.all()
            try demand(entries == [LogEntry(position: position(1, 1), size: 5)], "listed \(entries)")
            try demand(try bytes(of: entries[0], in: log) == [1, 2, 3, 4, 5], "other bytes")
            var part = [UInt8](repeating: 0, count: 2)
            var span = part.mutableSpan
            try log.source(of: entries[0]).read(at: 3, into: &span)
            try demand(part == [4, 5], "other bytes of a range")
        },
        Rule("A record is never replaced") { log in
            try log.append([1], at: position(1, 1))
            do { try log.append([2], at: position(1, 1)) } catch StorageError.alreadyThere {
                try demand(try bytes(of: try log.all()[0], in: log) == [1], "the first one changed")
                return
            }
            throw Unmet("it was replaced")
        },
        Rule("Two records of one device and generation are both there") { log in
            try log.append([1], at: position(1, 1, 5))
            try log.append([2], at: position(1, 1, 6))
            try demand(try log.all().map { try bytes(of: $0, in: log) } == [[1], [2]], "one is gone")
        },
        Rule("Everything is listed by device and then by generation") { log in
            let all = [position(1, 1), position(1, 10), position(2, 1, 3), position(2, 1, 8), position(2, 2)]
            for position in all.reversed() { try log.append([1], at: position) }
            let listed = try log.all().map(\.position)
            try demand(listed == all, "listed \(listed)")
        },
        Rule("After a cursor there is everything that is new, from every device, and nothing else unless all is given")
        { log in
            for generation in 1...9 { try log.append([1], at: position(2, UInt64(generation))) }
            try log.append([1], at: position(4, 1))
            let cursor = try log.news(after: .start).cursor
            try demand(try fresh(log, cursor).isEmpty, "something is new")
            let new = [
                position(1, 1), position(2, 10), position(2, 11), position(3, 1), position(4, 2), position(5, 1),
            ]
            for position in new { try log.append([1], at: position) }
            let news = try log.news(after: cursor)
            try demand(Set(news.entries.map(\.position)).isSuperset(of: new), "some are left out")
            try demand(news.isWhole || news.entries.map(\.position) == new, "old ones are given")
            try demand(try fresh(log, news.cursor).isEmpty, "they are new again")
        },
        Rule("A record that comes out of order is given when it comes, and those beyond it once only") { log in
            try log.append([1], at: position(1, 1))
            try log.append([1], at: position(1, 4))
            let cursor = try log.news(after: .start).cursor
            try log.append([1], at: position(1, 3))
            let news = try log.news(after: cursor)
            try demand(news.isWhole || news.entries.map(\.position) == [position(1, 3)], "\(news.entries)")
            try log.append([1], at: position(1, 2))
            let last = try log.news(after: news.cursor)
            try demand(last.entries.contains { $0.position == position(1, 2) }, "the late one is left out")
            try demand(try fresh(log, last.cursor).isEmpty, "something is new")
        },
        Rule("A log with nothing in it gives nothing") { log in
            let news = try log.news(after: .start)
            try demand(news.entries.isEmpty && news.lost.isEmpty, "\(news)")
            try demand(try log.news(after: news.cursor).entries.isEmpty, "something is new")
        },
    ]

    /// What a cursor does not cover; nothing where the log gives everything each time.
    private static func fresh(_ log: any RecordLog, _ cursor: LogCursor) throws -> [LogEntry] {
        let news = try log.news(after: cursor)
        try demand(news.lost.isEmpty, "lost \(news.lost)")
        return news.isWhole ? [] : news.entries
    }
}
