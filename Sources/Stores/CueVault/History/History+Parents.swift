import CueBase

extension History {
    /// The versions with parents that do not count (docs/format.md §7). With them, a version could take the place of
    /// another document.
    func findStrays() -> [VersionID: (kind: StrayParent, parents: Set<VersionID>)] {
        var strays: [VersionID: (kind: StrayParent, parents: Set<VersionID>)] = [:]
        var suspects: Set<ProjectID> = []
        for version in versions.values {
            for parent in version.header.parents {
                guard let known = versions[parent] else { continue }
                if parent == version.id {
                    strays[version.id, default: (.itself, [])].parents.insert(parent)
                } else if known.header.project != version.header.project {
                    strays[version.id, default: (.otherProject, [])].parents.insert(parent)
                } else if !known.isBefore(version) {
                    suspects.insert(version.header.project)
                }
            }
        }
        // A circle contains a parent that comes later than its child, in whatever order. Without such a parent there is
        // none.
        guard !suspects.isEmpty else { return strays }
        let groups = Dictionary(
            grouping: versions.values.lazy.filter { suspects.contains($0.header.project) }, by: \.header.project)
        for group in groups.values {
            for version in Self.circling(in: group) {
                strays[version.id] = (.circle, Set(version.header.parents))
            }
        }
        return strays
    }

    /// The versions of one project that are their own ancestors by way of others.
    private static func circling(in versions: [Version]) -> [Version] {
        let numbers = Dictionary(uniqueKeysWithValues: zip(versions.map(\.id), versions.indices))
        let parents = versions.map { version in
            version.header.parents.compactMap { $0 == version.id ? nil : numbers[$0] }
        }
        return Circles.members(of: parents).map { versions[$0] }
    }
}

extension History.Version {
    /// The order by clock, then by id. Any fixed order would do.
    fileprivate func isBefore(_ other: History.Version) -> Bool { (time, id) < (other.time, other.id) }
}

/// The nodes of a graph that lie on a circle with other nodes (Tarjan, 1972). Without recursion, as a hostile vault may
/// have very long paths.
private struct Circles {
    private let next: [[Int]]
    private var order: [Int]
    private var low: [Int]
    private var isOpen: [Bool]
    private var open: [Int] = []
    private var way: [(node: Int, edge: Int)] = []
    private var count = 0
    private var found: [Int] = []

    static func members(of next: [[Int]]) -> [Int] {
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
        if open.count - first > 1 { found += open[first...] }
        for member in open[first...] { isOpen[member] = false }
        open.removeSubrange(first...)
    }
}
