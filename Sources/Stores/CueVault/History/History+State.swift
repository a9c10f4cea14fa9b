import CueBase
package import CueStorage

/// The state of the library, now or at a snapshot (docs/format.md §7).
extension History {
    /// The state after all commits; or that of a snapshot, with what its commit had seen.
    package func state(at snapshot: LogPosition? = nil) -> LibraryState {
        guard let snapshot else { return state(of: versions.values.map(\.self)) }
        return state(of: closure(of: snapshot))
    }

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

    /// The commit, those before it, and what they had seen, as far as they are there.
    private func closure(of position: LogPosition) -> Set<LogPosition> {
        var found: Set<LogPosition> = []
        var open = [position]
        while let next = open.popLast() {
            guard let commit = commits[next], found.insert(next).inserted else { continue }
            open += commit.record.seen
            if let previous = previous(of: commit) { open.append(previous) }
        }
        return found
    }
}
