import CueBase
package import CueStorage

/// The state of the library (docs/format.md §7).
extension History {
    /// The state after all commits.
    package func state() -> LibraryState { state(of: versions.values.map(\.self)) }

    /// The state after these commits alone.
    func state(of included: Set<LogPosition>) -> LibraryState {
        let ids = Set(included.map(\.commit))
        return state(of: versions.values.filter { ids.contains($0.id.commit) })
    }

    private func state(of versions: [Version]) -> LibraryState {
        LibraryState(versions) { head in
            let header = head.header
            if header.isTombstone { return .tombstone }
            guard let members = hashes.hash(of: head.id, { try? memberList(of: head.id).hash }) else { return nil }
            return .live(header.path, header.kind, members: members)
        }
    }

    /// All projects, deleted ones too, for looking up names.
    package var everything: LibraryState { state().includingDeleted }
}

extension FullHistory {
    /// The state of a snapshot, with what its commit had seen; without one the state after all commits.
    package func state(at snapshot: LogPosition?) -> LibraryState {
        snapshot.map { history.state(of: closure(of: $0)) } ?? history.state()
    }

    /// The commit, those before it, and what they had seen, as far as they are there.
    private func closure(of position: LogPosition) -> Set<LogPosition> {
        var found: Set<LogPosition> = []
        var open = [position]
        while let next = open.popLast() {
            guard let commit = history.commits[next], found.insert(next).inserted else { continue }
            open += commit.record.seen.map(\.position)
            if let previous = history.previous(of: commit) { open.append(previous) }
        }
        return found
    }
}
