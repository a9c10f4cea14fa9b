import CueBase
import CueStorage

/// Which commits a checkpoint sums up: all of a device up to a generation. Only for logs without branches.
struct Coverage {
    private let upTo: [DeviceID: UInt64]
    private let ends: [LogPosition]

    init(_ positions: [LogPosition]) {
        ends = positions
        upTo = Dictionary(positions.map { ($0.device, $0.generation) }, uniquingKeysWith: max)
    }

    /// Whether all those commits are in a log, and no other in the place of one: `count` is their number by the checkpoint's name.
    func isWhole(in entries: [LogEntry], _ count: Int) -> Bool {
        let held = Set(entries.lazy.map(\.position).filter(mayHold))
        return held.count == count && ends.allSatisfy(held.contains)
    }

    /// Whether all these versions came with commits that are summed up.
    func brought(_ versions: [RecordObject.Version], _ entries: [LogEntry]) -> Bool {
        let held = Dictionary(
            entries.lazy.map(\.position).filter(mayHold).map { ($0.commit, $0.device) }, uniquingKeysWith: { $1 })
        return versions.allSatisfy { held[$0.id.commit] == $0.device }
    }

    func mayHold(_ position: LogPosition) -> Bool { upTo[position.device].map { position.generation <= $0 } ?? false }

    /// Whether a device's log has branched as far as it is summed up: then generations do not tell which branch was.
    ///
    /// Reading only that device's commits again would not do: a version that others went on from would be a head once more.
    func hasBranches(among all: [LogPosition]) -> Bool {
        var seen: Set<[UInt64]> = []
        return all.contains { position in
            mayHold(position)
                && !seen.insert([position.device.high, position.device.low, position.generation]).inserted
        }
    }
}
