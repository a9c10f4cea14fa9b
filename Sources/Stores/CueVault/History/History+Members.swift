package import CueBase

/// The members of versions.
extension History {
    /// The complete members of a version, sorted by path; empty for a tombstone. Deltas are laid over their bases.
    ///
    /// Throws `VaultError.missing` with `.base` for a version that is not there, and `.damaged` with `.leadsNowhere` or
    /// `.format`.
    package func members(of id: VersionID) throws -> [Member] { try memberList(of: id).members }

    /// The number of deltas that lead to the members of a version. nil if it is not known, because a checkpoint was
    /// read or a base is not there, or if it is over the limit.
    package func deltas(to id: VersionID) -> Int? {
        guard checkpoint == nil else { return nil }
        var (depth, next) = (0, versions[id])
        while let version = next, version.header.isDelta {
            depth += 1
            guard depth <= Limits.deltas else { return nil }
            next = version.header.parents.first.flatMap { versions[$0] }
        }
        return next == nil ? nil : depth
    }

    /// As `members(of:)`. Fast for a delta against one of the lists that were used last.
    func memberList(of id: VersionID) throws -> MemberList {
        var chain: [Version] = []
        var list: MemberList?
        var base: VersionID?
        var next: VersionID? = id
        while let current = next {
            guard let version = versions[current] else {
                throw VaultError.missing(.base(current))
            }
            list = lists.list(of: current)
            if list == nil { chain.append(version) }
            next = version.header.isDelta && list == nil ? version.header.parents.first : nil
            base = current
            guard chain.count <= Limits.deltas + 1, list != nil || version.header.isDelta == (next != nil),
                (chain.first ?? version).header.project == version.header.project
            else { throw VaultError.damaged(.version(id), .leadsNowhere) }
        }
        guard (list?.depth ?? -1) + chain.count <= Limits.deltas else {
            throw VaultError.damaged(.version(id), .leadsNowhere)
        }
        do {
            for version in chain.reversed() {
                let made = try lay(version, over: list)
                // Keep the first list of a chain too: other deltas may have the same base.
                if list == nil || version.id == id { lists.keep(made, of: version.id, base: base) }
                list = made
            }
        } catch {
            throw VaultError.damaged(.version(id), .format(error))
        }
        guard let list else { throw VaultError.damaged(.version(id), .leadsNowhere) }
        return list
    }

    /// The list of a version, over that of its base if it is a delta.
    private func lay(_ version: Version, over list: MemberList?) throws(FormatError) -> MemberList {
        let changes = try changes(of: version)
        guard version.header.isDelta, let list else { return MemberList(changes, kind: version.header.kind) }
        return try list.applying(changes, kind: version.header.kind)
    }

    /// All versions, each delta soon after its base: in this order `members(of:)` is fast.
    package var versionsByBase: [Version] {
        var children: [VersionID: [Version]] = [:]
        var open: [Version] = []
        for version in versions.values.sorted(by: { $0.id > $1.id }) {
            if version.header.isDelta, let base = version.header.parents.first, versions[base] != nil {
                children[base, default: []].append(version)
            } else {
                open.append(version)
            }
        }
        var order: [Version] = []
        order.reserveCapacity(versions.count)
        while let next = open.popLast() {
            order.append(next)
            open += children[next.id] ?? []
        }
        return order
    }

    /// Reads the members of the version's own record. Throws `FormatError`.
    func changes(of version: Version) throws(FormatError) -> MemberChanges {
        guard let number = version.position.map({ sourceNumbers[$0] }) ?? checkpoint else {
            throw .invalid(.homelessVersion)
        }
        let source = sources[number]
        let own = source.chunks.map { index.ids[$0] } ?? source.object.index.ids[...]
        return try version.changes(in: source.object, chunkIDs: own)
    }
}
