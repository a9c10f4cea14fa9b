/// The nodes of a graph that lie on a circle with other nodes (Tarjan, 1972). Without recursion, as a hostile vault may
/// have very long paths.
struct Circles {
    private let next: [[Int]]
    private var order: [Int]
    private var low: [Int]
    private var isOpen: [Bool]
    private var open: [Int] = []
    private var way: [(node: Int, edge: Int)] = []
    private var count = 0
    private var found: [[Int]] = []

    /// The nodes that lie on a circle with others.
    static func members(of next: [[Int]]) -> [Int] { groups(of: next).filter { $0.count > 1 }.flatMap(\.self) }

    /// All nodes, those of one circle together. Each group stands behind those that it leads to.
    static func groups(of next: [[Int]]) -> [[Int]] {
        var circles = Circles(next)
        for node in next.indices where circles.order[node] < 0 { circles.walk(from: node) }
        return circles.found
    }

    private init(_ next: [[Int]]) {
        self.next = next
        order = [Int](repeating: -1, count: next.count)
        low = order
        isOpen = [Bool](repeating: false, count: next.count)
    }

    private mutating func walk(from start: Int) {
        enter(start)
        while let (node, edge) = way.last {
            guard edge < next[node].count else {
                leave(node)
                continue
            }
            way[way.count - 1].edge += 1
            let other = next[node][edge]
            if order[other] < 0 { enter(other) } else if isOpen[other] { low[node] = min(low[node], order[other]) }
        }
    }

    private mutating func enter(_ node: Int) {
        (order[node], low[node], isOpen[node]) = (count, count, true)
        count += 1
        open.append(node)
        way.append((node, 0))
    }

    private mutating func leave(_ node: Int) {
        way.removeLast()
        if let above = way.last?.node { low[above] = min(low[above], low[node]) }
        guard low[node] == order[node], let first = open.lastIndex(of: node) else { return }
        found.append(Array(open[first...]))
        for member in open[first...] { isOpen[member] = false }
        open.removeSubrange(first...)
    }
}
