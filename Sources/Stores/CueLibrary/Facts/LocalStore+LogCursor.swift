package import CueBase
package import CueStorage

extension LocalStore.Transaction {
    /// How long a cursor counts, in milliseconds: a record of a cloned device may come late, below what was read.
    private static var cursorLife: Int64 { 86_400_000 }

    /// From where a log is listed: from its start once a day. `listed`: when it last was.
    package func cursor(
        _ cursor: Fact<LogCursor>, listed: Fact<Timestamp>, at now: Timestamp
    ) throws -> LogCursor {
        guard let last = try value(listed), last <= now,
            now.milliseconds.saturatingAdding(-last.milliseconds) < Self.cursorLife
        else { return .start }
        return try value(cursor) ?? .start
    }

    /// Notes how far a log was read. Nothing is noted where it is listed whole each time.
    package func take(
        _ news: LogNews, as cursor: Fact<LogCursor>, listed: Fact<Timestamp>, at now: Timestamp
    ) throws {
        guard news.cursor != .start else { return }
        try set(cursor, to: news.cursor)
        if news.isWhole { try set(listed, to: now) }
    }
}
