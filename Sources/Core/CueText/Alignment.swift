/// Which items of two sequences belong together, in order and as many as can be found in bounded time.
///
/// Where little differs this is the shortest edit (Myers: An O(ND) Difference Algorithm and Its Variations, 1986). Where
/// much does, items that stand once on either side part the sequences (Cohen's patience diff), and what no way is found
/// through counts as rewritten as a whole.
struct Alignment {
    /// Equal items, one after the other on both sides.
    struct Run: Equatable {
        let old: Int
        let new: Int
        var count: Int
    }

    /// More edits than this are not looked for at one go: their traces would take 2 MB.
    private static let mostEdits = 1_000
    private static let deepest = 32

    private let old: [Int32]
    private let new: [Int32]
    private var runs: [Run] = []
    private var places: [Place]
    /// Steps that may still be taken, so that no pair of texts takes more than a few times as long as its length says.
    private var work: Int

    /// `count` is above all numbers in `old` and `new`.
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
    /// False if it is too long to be looked for.
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
        // Before the first edit both sides go the same way.
        add(old.lowerBound, new.lowerBound, x)
        for run in backwards.reversed() { add(run.old, run.new, run.count) }
        return true
    }

    /// How far each number of edits comes on each diagonal.
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

        /// Whether the furthest way with `edits` edits comes to a diagonal by an insertion.
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
                    // The row is filled up, so that all rows before it stay where they are looked for.
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
    /// Where an item stands in the part that is looked at.
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

    /// The items that stand once on either side, in the order of the new one.
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

    /// The longest choice of them that is in the order of the old side too.
    private static func longestRising(_ singles: [Place]) -> [Place] {
        // The last single of the best choice of each length, and what comes before each single.
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
