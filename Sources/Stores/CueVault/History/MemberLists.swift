package import CueBase

/// The member lists of many versions, each difference laid over a list that was made before: a chain costs no squares.
///
/// Memory: a few lists.
package struct MemberLists {
    private static let kept = 8

    private let history: History
    /// The one that was made or used last comes last.
    private var lists: [(id: VersionID, list: History.MemberList)] = []

    package init(of history: History) { self.history = history }

    /// As `History.members(of:)`; quick for what comes in the order that `order` gives.
    package mutating func members(of id: VersionID) throws -> [Member] {
        var base: VersionID?
        let made = try history.memberList(of: id) { wanted in
            guard let known = lists.first(where: { $0.id == wanted }) else { return nil }
            base = wanted
            return known.list
        }
        // What many differences stand on stays.
        if let used = lists.firstIndex(where: { $0.id == base }) { lists.append(lists.remove(at: used)) }
        lists.append((id, made))
        if lists.count > Self.kept { lists.removeFirst() }
        return made.members
    }

    /// All versions, each difference soon after what it is against.
    package var order: [History.Version] {
        var children: [VersionID: [History.Version]] = [:]
        var open: [History.Version] = []
        for version in history.versions.values.sorted(by: { $0.id > $1.id }) {
            if version.header.isDelta, let base = version.header.parents.first, history.versions[base] != nil {
                children[base, default: []].append(version)
            } else {
                open.append(version)
            }
        }
        var order: [History.Version] = []
        order.reserveCapacity(history.versions.count)
        while let next = open.popLast() {
            order.append(next)
            open += children[next.id] ?? []
        }
        return order
    }
}
