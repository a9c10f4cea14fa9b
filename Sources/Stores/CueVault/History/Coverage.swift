import CueBase
import CueStorage

/// The commits that a checkpoint covers: of each device all up to a generation. Correct only for logs without forks.
struct Coverage {
    private let upTo: [DeviceID: UInt64]
    private let ends: [LogPosition]

    /// The coverage with these last commits (docs/format.md §8).
    init(_ marks: [CommitMark]) {
        let positions = marks.map(\.position)
        ends = positions
        upTo = Dictionary(positions.map { ($0.device, $0.generation) }, uniquingKeysWith: max)
    }

    /// True if a log has all covered commits and no other in their place. `count` is their number in the checkpoint's
    /// name.
    func isWhole(in entries: [LogEntry], _ count: Int) -> Bool {
        let held = Set(entries.lazy.map(\.position).filter(mayHold))
        return held.count == count && ends.allSatisfy(held.contains)
    }

    /// True if all these versions belong to covered commits of their devices that the log has.
    func brought(_ versions: [RecordObject.Version], _ entries: [LogEntry]) -> Bool {
        let held = Dictionary(
            entries.lazy.map(\.position).filter(mayHold).map { ($0.commit, $0.device) }, uniquingKeysWith: { $1 })
        return versions.allSatisfy { held[$0.id.commit] == $0.device }
    }

    /// True if the commit is not newer than the last covered one of its device.
    func mayHold(_ position: LogPosition) -> Bool { upTo[position.device].map { position.generation <= $0 } ?? false }

    /// True if a device has two commits of one generation among the covered ones. Then generations do not show which
    /// branch is covered.
    ///
    /// It would not do to read that device's commits again: a version that others went on from would become a head once
    /// more.
    func hasBranches(among all: [LogPosition]) -> Bool {
        var seen: Set<[UInt64]> = []
        return all.contains { position in
            mayHold(position)
                && !seen.insert([position.device.high, position.device.low, position.generation]).inserted
        }
    }
}
