import CueBase
package import CueLibrary

/// The work that the last backup and the last sync left undone, as the local store keeps it for `cue status`.
package struct LeftUndone: Sendable, Equatable {
    /// Documents that are gone from the folder. They are so many that their deletion waits for a person's consent.
    package var heldBack: Set<ShownPath> = []
    /// The number of documents that other devices deleted, too many at once: they stay here until a person agrees.
    package var removals = 0
    /// Documents that kept changing while they were read.
    package var unsettled: Set<ShownPath> = []
    /// Documents of which the vault has something newer that could not be placed here, and why.
    package var waiting: [ShownPath: SkipReason] = [:]
    /// Documents in conflict, as their paths are shown.
    package var conflicts: [String] = []
    /// The reasons that concern no single document.
    package var pending: [SkipReason] = []
}

extension LocalStore.Transaction {
    /// Reads what the last backup and the last sync left undone.
    func leftUndone() throws -> LeftUndone {
        var left = LeftUndone()
        left.heldBack = Set((try value(.heldBack) ?? []).map { ShownPath($0) })
        left.removals = try value(.removalsHeldBack) ?? 0
        left.unsettled = Set((try value(.unsettled) ?? []).map { ShownPath($0) })
        left.conflicts = try value(.conflicts) ?? []
        for skipped in try value(.waiting)?.value(as: [SkippedPath].self) ?? [] {
            if let path = skipped.path, !path.isRoot {
                left.waiting[ShownPath(path)] = skipped.reason
            } else {
                left.pending.append(skipped.reason)
            }
        }
        return left
    }

    /// Notes what a backup left undone.
    func setLeftUndone(heldBack: [RelativePath], unsettled: [RelativePath]) throws {
        try set(.heldBack, to: heldBack.map { Display.text($0) })
        try set(.unsettled, to: unsettled.map { Display.text($0) })
    }

    /// Notes what a sync left undone beyond its backup.
    func setLeftUndone(conflicts: [RelativePath], waiting: [SkippedPath], removals: Int) throws {
        try set(.conflicts, to: conflicts.map { Display.text($0) })
        try set(.waiting, to: FactCode(waiting))
        try set(.removalsHeldBack, to: removals)
    }
}
