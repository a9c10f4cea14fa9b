import CueBase
import CueEvents
import CueLibrary
import CueSystem
import CueVault
import Foundation

/// The times at which documents are being written in. A session ends after five minutes without a change.
struct EditSessions {
    /// In seconds.
    private static let pause = 300.0
    private var sessions: [RelativePath: (first: Double, last: Double)] = [:]

    /// Notes a change at `now`, in seconds of a monotonic clock.
    mutating func note(_ path: RelativePath, at now: Double) {
        if let session = sessions[path], now - session.last < Self.pause {
            sessions[path]?.last = now
        } else {
            sessions[path] = (now, now)
        }
    }

    /// Forgets the changes that a sync made itself.
    mutating func forget(_ paths: some Sequence<RelativePath>) { for path in paths { sessions[path] = nil } }

    /// The length of each session in seconds. Sessions that are over are returned once more, then dropped.
    mutating func lengths(at now: Double) -> [RelativePath: Double] {
        defer { sessions = sessions.filter { now - $0.value.last < Self.pause } }
        return sessions.mapValues { $0.last - $0.first }
    }
}
