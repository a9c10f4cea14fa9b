/// Pairs the items of two sequences, in order, and as many as can be found in bounded time.
///
/// If the sequences differ little, this is the shortest edit (Myers: An O(ND) Difference Algorithm and Its Variations,
/// 1986). If they differ much, items that stand once on either side divide them (Cohen's patience diff). A part in
/// which the search gives up counts as rewritten.
struct Alignment {
    /// A run of equal items on both sides.
    struct Run: Equatable {
        let old: Int
        let new: Int
        var count: Int
    }

    /// The most edits of one search: its traces then take 2 MB.
    private static let mostEdits = 1_000
    private static let deepest = 32

    private let old: [Int32]
    private let new: [Int32]
    private var runs: [Run] = []
    private var places: [Place]
    /// The steps that are left. They bound the time for any pair of texts to a few times that of their length.
    private var work: Int

    /// Returns the runs in order. Items are numbers from 0, all below `count`.
    static func runs(_ old: [Int32], _ new: [Int32], count: Int) -> [Run] {
        var alignment = Alignment(old, new, count: count)
        alignment.align(0..<old.count, 0..<new.count, depth: 0)
        return alignment.runs
    }

    private init(_ old: [Int32], _ new: [Int32], count: Int) {
        (self.old, self.new) = (old, new)
        places = [Place](repeating: Place(), count: count)
        work = 64 * (old.count + new.count) + 4_000_000
    }

    private mutating func align(_ old: Range<Int>, _ new: Range<Int>, depth: Int) {
        let head = commonHead(old, new)
        add(old.lowerBound, new.lowerBound, head)
        let tail = commonTail(old.dropFirst(head), new.dropFirst(head))
        let (oldRest, newRest) = (old.dropFirst(head).dropLast(tail), new.dropFirst(head).dropLast(tail))
        if !oldRest.isEmpty && !newRest.isEmpty && !addShortest(oldRest, newRest) && depth < Self.deepest {
            part(oldRest, newRest, depth: depth)
        }
        add(old.upperBound - tail, new.upperBound - tail, tail)
    }

    private mutating func commonHead(_ old: Range<Int>, _ new: Range<Int>) -> Int {
        let most = min(old.count, new.count)
        var count = 0
        while count < most, self.old[old.lowerBound + count] == self.new[new.lowerBound + count] { count += 1 }
        work -= count
        return count
    }

    private mutating func commonTail(_ old: Range<Int>, _ new: Range<Int>) -> Int {
        let most = min(old.count, new.count)
        var count = 0
        while count < most, self.old[old.upperBound - 1 - count] == self.new[new.upperBound - 1 - count] { count += 1 }
        work -= count
        return count
    }

    private mutating func add(_ old: Int, _ new: Int, _ count: Int) {
        if count == 0 { return }
        if let last = runs.last, last.old + last.count == old, last.new + last.count == new {
            runs[runs.count - 1].count += count
        } else {
            runs.append(Run(old: old, new: new, count: count))
        }
    }
}

// MARK: - The shortest edit

extension Alignment {
    /// Adds the runs of the shortest edit; false if it is too long for the search.
    private mutating func addShortest(_ old: Range<Int>, _ new: Range<Int>) -> Bool {
        guard let trace = trace(old, new) else { return false }
        var backwards: [Run] = []
        var (x, y) = (old.count, new.count)
        for edits in stride(from: trace.edits, to: 0, by: -1) {
            let diagonal = x - y
            let isInsertion = trace.isInsertion(edits, diagonal)
            let fromX = trace.furthest(edits - 1, isInsertion ? diagonal + 1 : diagonal - 1)
            let fromY = fromX - (isInsertion ? diagonal + 1 : diagonal - 1)
            let count = x - (isInsertion ? fromX : fromX + 1)
            backwards.append(Run(old: old.lowerBound + x - count, new: new.lowerBound + y - count, count: count))
            (x, y) = (fromX, fromY)
        }
        // In front of the first edit, both sides are equal.
        add(old.lowerBound, new.lowerBound, x)
        for run in backwards.reversed() { add(run.old, run.new, run.count) }
        return true
    }

    /// The furthest point of each number of edits on each diagonal.
    private struct Trace {
        private(set) var edits = -1
        private var reached: [Int32] = []

        mutating func append(_ row: [Int32]) {
            edits += 1
            reached += row
        }

        /// Row `d` has d + 1 entries, for the diagonals -d, -d + 2, … d.
        func furthest(_ edits: Int, _ diagonal: Int) -> Int {
            Int(reached[edits * (edits + 1) / 2 + (diagonal + edits) / 2])
        }

        /// True if the furthest way with `edits` edits reaches a diagonal by an insertion.
        func isInsertion(_ edits: Int, _ diagonal: Int) -> Bool {
            if diagonal == -edits { return true }
            if diagonal == edits { return false }
            return furthest(edits - 1, diagonal - 1) < furthest(edits - 1, diagonal + 1)
        }
    }

    private mutating func trace(_ old: Range<Int>, _ new: Range<Int>) -> Trace? {
        var trace = Trace()
        var budget = min(work, 8 * (old.count + new.count) + Self.mostEdits * Self.mostEdits)
        for edits in 0...min(old.count + new.count, Self.mostEdits) {
            var row: [Int32] = []
            row.reserveCapacity(edits + 1)
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                var x = edits == 0 ? 0 : start(trace, edits, diagonal)
                let first = x
                while x < old.count, x - diagonal < new.count,
                    self.old[old.lowerBound + x] == self.new[new.lowerBound + x - diagonal]
                {
                    x += 1
                }
                budget -= x - first + 1
                work -= x - first + 1
                row.append(Int32(x))
                if x >= old.count && x - diagonal >= new.count {
                    // Fill up the row, so that all rows stay at their computed places.
                    row += [Int32](repeating: 0, count: edits + 1 - row.count)
                    trace.append(row)
                    return trace
                }
            }
            trace.append(row)
            if budget < 0 { return nil }
        }
        return nil
    }

    private func start(_ trace: Trace, _ edits: Int, _ diagonal: Int) -> Int {
        trace.isInsertion(edits, diagonal)
            ? trace.furthest(edits - 1, diagonal + 1) : trace.furthest(edits - 1, diagonal - 1) + 1
    }
}

// MARK: - Parts between what stands once

extension Alignment {
    /// The places of an item in the part under search.
    private struct Place {
        var oldCount: Int32 = 0
        var newCount: Int32 = 0
        var old: Int32 = 0
        var new: Int32 = 0
    }

    private mutating func part(_ old: Range<Int>, _ new: Range<Int>, depth: Int) {
        work -= 8 * (old.count + new.count)
        guard work > 0 else { return }
        var (oldStart, newStart) = (old.lowerBound, new.lowerBound)
        for anchor in Self.longestRising(singles(old, new)) {
            let (x, y) = (Int(anchor.old), Int(anchor.new))
            align(oldStart..<x, newStart..<y, depth: depth + 1)
            add(x, y, 1)
            (oldStart, newStart) = (x + 1, y + 1)
        }
        if oldStart > old.lowerBound {
            align(oldStart..<old.upperBound, newStart..<new.upperBound, depth: depth + 1)
        }
    }

    /// The items that stand once on either side, in the order of the new side.
    private mutating func singles(_ old: Range<Int>, _ new: Range<Int>) -> [Place] {
        for at in old { places[Int(self.old[at])] = Place() }
        for at in new { places[Int(self.new[at])] = Place() }
        for at in old {
            places[Int(self.old[at])].oldCount += 1
            places[Int(self.old[at])].old = Int32(at)
        }
        for at in new {
            places[Int(self.new[at])].newCount += 1
            places[Int(self.new[at])].new = Int32(at)
        }
        return new.map { places[Int(self.new[$0])] }.filter { $0.oldCount == 1 && $0.newCount == 1 }
    }

    /// The longest choice of `singles` that is in the order of the old side too.
    private static func longestRising(_ singles: [Place]) -> [Place] {
        // The last single of the best choice of each length, and the predecessor of each single.
        var (ends, before): ([Int], [Int]) = ([], [])
        for (index, single) in singles.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if singles[ends[middle]].old < single.old { low = middle + 1 } else { high = middle }
            }
            before.append(low == 0 ? -1 : ends[low - 1])
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var chosen: [Place] = []
        var next = ends.last ?? -1
        while next >= 0 {
            chosen.append(singles[next])
            next = before[next]
        }
        return chosen.reversed()
    }
}
