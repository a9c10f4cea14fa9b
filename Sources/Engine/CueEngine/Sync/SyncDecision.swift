package import CueBase
package import CueVault

/// The decision of a sync about one project, made from three states (docs/sync.md): the version that this device and
/// the vault last had in common (base), the state of the disk (local), and the newest versions of the vault (the
/// heads).
///
/// It depends on no clock: only the order in which versions came from one another counts.
package enum SyncDecision: Equatable, Sendable {
    /// Both have the same, or nothing can be done here.
    case settled
    /// Disk and vault have the same, or neither has it: only the base is to be noted.
    case agree(VersionID)
    /// The disk gets this version: new here, changed elsewhere, or renamed.
    case take(VersionID)
    /// Deleted elsewhere, untouched here: it goes from the disk, and stays in the history.
    case remove(VersionID)
    /// The disk has something that the vault does not have. It is stored first; then this is decided anew.
    case store
    /// Heads that leave a person nothing to choose become one, with the content of `content`, under `path`.
    case join(content: VersionID, path: RelativePath, parents: [VersionID])
    /// Deletions beside versions that say nothing new become one deletion.
    case bury([VersionID])
    /// Heads between which only a person can choose.
    case conflict([VersionID])
    /// The vault does not have everything yet that these heads stand on.
    case wait
}

/// One project as a sync sees it.
package struct SyncView: Sendable {
    /// The project on this device's disk, compared with its base.
    package enum Local: Equatable, Sendable {
        /// Not on this disk, and no deletion either: it was never here, or its deletion is in the vault.
        case absent
        /// The same as the base.
        case same
        /// Changed or renamed since. `content`: a keyed hash; nil if it cannot be read.
        case changed(content: UInt64?, path: RelativePath)
        /// The base is remembered, and nothing stands at its name.
        case gone
    }

    /// A version without a child, or the nearest that all of them came from.
    package struct Head: Equatable, Sendable {
        /// The id of the version.
        package let id: VersionID
        /// Its path.
        package let path: RelativePath
        /// Its kind.
        package let kind: ProjectKind
        /// A hash of the content as a writer sees it, without times and modes; nil for a deletion.
        package let content: UInt64?

        /// Memberwise.
        package init(id: VersionID, path: RelativePath, kind: ProjectKind, content: UInt64?) {
            (self.id, self.path, self.kind, self.content) = (id, path, kind, content)
        }
    }

    /// The version that this device last had in common with the vault; nil if there is none.
    package var base: VersionID?
    /// The project on this device's disk.
    package var local: Local
    /// In any order.
    package var heads: [Head]
    /// The origin of each two heads, by their ids. None if they share no version, or a person would have to choose.
    package var origins: [Set<VersionID>: Head]
    /// Whether every version that others name as parent is there.
    package var isComplete: Bool
    /// Heads that bring the document back after a deletion.
    package var revived: Set<VersionID> = []
    /// Of a folder: whether something that is not deleted is in it.
    package var isInUse = true

    /// Memberwise. No head is revived, and a folder is in use.
    package init(
        base: VersionID?, local: Local, heads: [Head], origins: [Set<VersionID>: Head] = [:], isComplete: Bool = true
    ) {
        (self.base, self.local, self.heads, self.origins, self.isComplete) = (base, local, heads, origins, isComplete)
    }

    // MARK: Decide

    /// The decision for this project. Depends on nothing else.
    package var decision: SyncDecision {
        guard isComplete else { return .wait }
        let heads = heads.sorted { $0.id < $1.id }
        guard let first = heads.first else { return .settled }
        guard heads.count == 1 else {
            if local == .gone, heads.allSatisfy({ $0.content == nil }) { return .agree(first.id) }
            return isStored ? amongMany(heads) : .store
        }
        switch local {
        case .same where base == first.id: return .settled
        case .same: return first.content == nil ? .remove(first.id) : .take(first.id)
        case .absent: return first.content == nil ? .settled : .take(first.id)
        case .gone where first.content == nil: return .agree(first.id)
        case .gone: return base == nil ? .settled : .store
        case .changed(let content, let path):
            let isEqual = content != nil && content == first.content && path == first.path
            return isEqual && base != first.id ? .agree(first.id) : .store
        }
    }

    /// Whether the disk has nothing that the vault does not have.
    private var isStored: Bool { local == .same || local == .absent }

    private func amongMany(_ heads: [Head]) -> SyncDecision {
        let live = heads.filter { $0.content != nil }
        guard let last = live.last else {
            // Deleted on two devices at once.
            return local == .same ? .remove(heads[0].id) : .settled
        }
        let parents = heads.map(\.id)
        // Two times of a folder are no question for a person. A folder stays while something is in it.
        if last.kind == .folder, !isInUse, live.count < heads.count { return .bury(parents) }
        if last.kind == .folder { return .join(content: last.id, path: onlyPath(of: live), parents: parents) }
        if live.count < heads.count { return isUntouched(live, heads) ? .bury(parents) : .conflict(parents) }
        guard let content = onlyContent(of: live) else { return .conflict(parents) }
        return .join(content: content.id, path: onlyPath(of: live), parents: parents)
    }

    /// Whether the live heads have no new content and no new name since what was deleted: times and modes alone are no
    /// question for a person.
    private func isUntouched(_ live: [Head], _ heads: [Head]) -> Bool {
        live.allSatisfy { head in
            !revived.contains(head.id)
                && heads.filter { $0.content == nil }.allSatisfy { deletion in
                    origin(head, deletion).map { $0.content == head.content && $0.path == head.path } ?? false
                }
        }
    }

    /// The origin of two heads.
    private func origin(_ one: Head, _ other: Head) -> Head? { origins[[one.id, other.id]] }

    /// The head beside which no other has new content; nil if there are two to choose from. Of equal ones every device
    /// takes the same.
    ///
    /// Each is compared with each: the origin of all heads can be older than that of two of them.
    private func onlyContent(of heads: [Head]) -> Head? {
        heads.last { chosen in
            heads.allSatisfy { $0.content == chosen.content || $0.content == origin($0, chosen)?.content }
        }
    }

    /// The one path that is new. Of two new names either loses nothing; every device takes the same.
    private func onlyPath(of heads: [Head]) -> RelativePath {
        let only = heads.last { chosen in
            heads.allSatisfy { $0.path == chosen.path || $0.path == origin($0, chosen)?.path }
        }
        let new = heads.last { one in
            heads.contains { $0.id != one.id && one.path != origin(one, $0)?.path }
        }
        return (only ?? new ?? heads[heads.count - 1]).path
    }
}
