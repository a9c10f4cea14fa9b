package import CueBase
package import CueStorage
package import CueVault
import Foundation

/// Finds the snapshot that `--at` names: by its id, by its distance from the latest, or the newest one at a time.
package enum SnapshotSelector {
    /// Finds the snapshot. Times such as "2 days ago" count from `now`. Throws `VaultError.ambiguousSnapshot` or
    /// `unknownSnapshot` for an id, and `EngineError.unreadableTime` or `nothingAt` for a time.
    package static func find(_ text: String, in history: FullHistory, at now: Timestamp) throws -> LogPosition {
        let snapshots = history.snapshots
        let digits = text.lowercased()
        if digits.count >= 4, digits.count <= 16, digits.allSatisfy(\.isHexDigit) {
            let found = snapshots.filter { $0.position.commit.description.hasPrefix(digits) }
            if found.count == 1 { return found[0].position }
            if found.count > 1 { throw VaultError.ambiguousSnapshot(text) }
        }
        if let back = stepsBack(digits) {
            guard snapshots.count > back else {
                throw EngineError.nothingAt(text, first: snapshots.first?.record.time)
            }
            return snapshots[snapshots.count - 1 - back].position
        }
        guard let time = WrittenTime(text, now: now, toward: .past, in: .current) else {
            if !digits.isEmpty && digits.allSatisfy(\.isHexDigit) { throw VaultError.unknownSnapshot(text) }
            throw EngineError.unreadableTime(text)
        }
        guard let found = snapshots.last(where: { $0.record.time <= time.end }) else {
            throw EngineError.nothingAt(text, first: snapshots.first?.record.time)
        }
        return found.position
    }

    /// The number of snapshots before the latest, or of versions before the newest of a document: 0 for `latest`, 1 for
    /// `latest~1`; nil for anything else.
    package static func stepsBack(_ text: String) -> Int? {
        if text == "latest" { return 0 }
        let number = text.dropFirst("latest~".count)
        guard text.hasPrefix("latest~"), (1...6).contains(number.count), number.allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        return Int(number)
    }
}

extension Timestamp {
    /// The same as a `Date`, for calendars.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
