import CueBase
import CueLibrary

/// What the last sync left undone, as the local store keeps it for `cue status`.
package struct LeftUndone: Sendable, Equatable {
    /// Documents that are gone from the folder, so many that their deletion waits for a word.
    package var heldBack: Set<ShownPath> = []
    /// How many documents other devices deleted, so many that they stay here until somebody says so.
    package var removals = 0
    package var unsettled: Set<ShownPath> = []
    /// Documents of which the vault has something newer that could not be put here, and why.
    package var waiting: [ShownPath: String] = [:]
    package var conflicts: [String] = []
    /// What else it could not do, a line each.
    package var pending: [String] = []
}

extension LocalStore.Transaction {
    func leftUndone() throws -> LeftUndone {
        var left = LeftUndone()
        left.heldBack = Set((try value(.heldBack) ?? []).map { ShownPath($0) })
        left.removals = try value(.removalsHeldBack) ?? 0
        left.unsettled = Set((try value(.unsettled) ?? []).map { ShownPath($0) })
        left.conflicts = try value(.conflicts) ?? []
        left.pending = try value(.pending) ?? []
        for line in try value(.waiting) ?? [] {
            let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
            if parts.count == 2 { left.waiting[ShownPath(parts[0])] = parts[1] }
        }
        return left
    }

    /// What a backup leaves.
    func setLeftUndone(heldBack: [RelativePath], unsettled: [RelativePath]) throws {
        try set(.heldBack, to: heldBack.map { Display.text($0) })
        try set(.unsettled, to: unsettled.map { Display.text($0) })
    }

    /// What a sync leaves beyond that.
    func setLeftUndone(conflicts: [RelativePath], waiting: [SkippedPath], removals: Int) throws {
        try set(.conflicts, to: conflicts.map { Display.text($0) })
        let documents = waiting.filter { !$0.path.isRoot }
        try set(.waiting, to: documents.map { "\(Display.text($0.path))\t\($0.reason)" })
        try set(.pending, to: waiting.filter(\.path.isRoot).map(\.reason))
        try set(.removalsHeldBack, to: removals)
    }
}
