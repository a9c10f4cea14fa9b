import CueBase
import CueStorage

/// Which commits are set aside, because their device was shut out (docs/format.md §12).
struct ShutOuts {
    /// A record that shuts out a device, and the commit that holds it.
    struct Record {
        let holder: LogPosition
        /// Its number among those of its kind in that commit.
        let number: UInt32
        let shutOut: ShutOut
    }

    /// The most records of one device that are looked at (docs/format.md §10).
    private static let most = 64

    /// The records that count.
    private(set) var counting: [Record] = []
    private var bounds: [DeviceID: CommitLines.Bounds] = [:]
    private let lines: [DeviceID: CommitLines]

    /// `notes` may come from a checkpoint too; `previous` names the commit before each of the commits.
    init(_ notes: [Note], among commits: some Sequence<(position: LogPosition, previous: LogPosition?)>) {
        let all = notes.compactMap { note in
            if case .shutOut(let shutOut) = note.content {
                Record(holder: note.position, number: note.number, shutOut: shutOut)
            } else {
                nil
            }
        }.sorted { ($0.holder, $0.number) < ($1.holder, $1.number) }
        var counts: [DeviceID: Int] = [:]
        let records = all.filter { record in
            counts[record.holder.device, default: 0] += 1
            return counts[record.holder.device, default: 0] <= Self.most
        }
        guard !records.isEmpty else {
            lines = [:]
            return
        }
        let devices = Set(records.map(\.shutOut.device))
        var before: [DeviceID: [LogPosition: LogPosition?]] = [:]
        for commit in commits where devices.contains(commit.position.device) {
            before[commit.position.device, default: [:]].updateValue(commit.previous, forKey: commit.position)
        }
        lines = before.mapValues(CommitLines.init)
        counting = Self.counting(records, setsAside)
        for (device, records) in Dictionary(grouping: counting, by: \.shutOut.device) {
            bounds[device] = lines[device]?.bounds(records.lazy.map(\.shutOut.last))
        }
    }

    /// True if a record sets the commit aside, whether it counts or not.
    private func setsAside(_ record: Record, _ position: LogPosition) -> Bool {
        guard record.shutOut.device == position.device, let lines = lines[position.device], lines.holds(position) else {
            return false
        }
        return !lines.isUpTo(record.shutOut.last, position)
    }

    /// True if a record that counts sets the commit aside.
    func setAside(_ position: LogPosition) -> Bool {
        guard let lines = lines[position.device], let bounds = bounds[position.device], lines.holds(position) else {
            return false
        }
        return !lines.isUpTo(bounds, position)
    }

    /// A record does not count if one that counts sets its commit aside, and it does not set aside that one's in turn,
    /// directly or by way of others.
    private static func counting(_ records: [Record], _ setsAside: (Record, LogPosition) -> Bool) -> [Record] {
        // The records that set aside the holder of each.
        let about = Dictionary(grouping: records.indices) { records[$0].shutOut.device }
        let against = records.map { record in
            (about[record.holder.device] ?? []).filter { setsAside(records[$0], record.holder) }
        }
        let groups = Circles.groups(of: against)
        var counts = [Bool?](repeating: nil, count: records.count)
        // Each group follows the groups of the records that undo its members.
        for group in groups {
            let own = Set(group)
            for number in group {
                counts[number] = !against[number].contains { !own.contains($0) && counts[$0] ?? false }
            }
        }
        return zip(records, counts).compactMap { $1 ?? false ? $0 : nil }
    }
}

/// The commits of one device, as a tree by their previous ones: it answers at once whether one comes before another.
private struct CommitLines {
    /// The numbers of a walk through the tree: those of what comes after a commit lie within its own.
    private var ranges: [LogPosition: ClosedRange<Int>] = [:]
    /// The tree in which a commit stands: the number of its root, and the root's generation. That is 1, unless the commit
    /// before it is not there.
    private var trees: [LogPosition: (root: Int, first: UInt64)] = [:]

    init(_ previous: [LogPosition: LogPosition?]) {
        var after: [LogPosition: [LogPosition]] = [:]
        var roots: [LogPosition] = []
        for (position, before) in previous {
            if let before, previous[before] != nil {
                after[before, default: []].append(position)
            } else {
                roots.append(position)
            }
        }
        // Generations fall along `previous`, so there are no circles.
        var count = 0
        for root in roots {
            let number = count + 1
            var open: [(position: LogPosition, first: Int?)] = [(root, nil)]
            while let (position, first) = open.popLast() {
                if let first {
                    ranges[position] = first...count
                    continue
                }
                count += 1
                trees[position] = (number, root.generation)
                open.append((position, count))
                for next in after[position] ?? [] { open.append((next, nil)) }
            }
        }
    }

    func holds(_ position: LogPosition) -> Bool { ranges[position] != nil }

    /// Several commits as one bound, so that many records about a device cost no more than one for each commit.
    struct Bounds {
        /// Of each tree, by the number of its root: the least and the greatest number among the commits.
        fileprivate var trees: [Int: (numbers: ClosedRange<Int>, first: UInt64)] = [:]
        /// The least generation of those that are not there.
        fileprivate var absent = UInt64.max
    }

    /// The bound that all of these commits make.
    func bounds(_ ends: some Sequence<LogPosition>) -> Bounds {
        var bounds = Bounds()
        for end in ends {
            guard let number = ranges[end]?.lowerBound, let tree = trees[end] else {
                bounds.absent = min(bounds.absent, end.generation)
                continue
            }
            let known = bounds.trees[tree.root]?.numbers ?? number...number
            bounds.trees[tree.root] = (min(known.lowerBound, number)...max(known.upperBound, number), tree.first)
        }
        return bounds
    }

    /// True if the commit is up to all of the commits of a bound.
    func isUpTo(_ bounds: Bounds, _ position: LogPosition) -> Bool {
        guard let own = ranges[position], bounds.absent == .max || position.generation < bounds.absent else {
            return false
        }
        return bounds.trees.values.allSatisfy { tree in
            own.contains(tree.numbers.lowerBound) && own.contains(tree.numbers.upperBound)
                || position.generation < tree.first
        }
    }

    /// True if the commit is the last one or comes before it. Where the way is broken, because a commit is not there,
    /// generations decide: what came before must not vanish while one is late.
    func isUpTo(_ last: LogPosition, _ position: LogPosition) -> Bool {
        isUpTo(bounds(CollectionOfOne(last)), position)
    }
}
