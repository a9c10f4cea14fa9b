import CueBase
import CueVault

/// What the last sync left that needs somebody: it is said once, not with each save.
struct Told {
    var heldBack: [RelativePath] = []
    var removals: [RelativePath] = []
    var conflicts: Set<ProjectID> = []

    init() {}

    init(_ summary: Sync.Summary) {
        (heldBack, removals) = (summary.backup.heldBack, summary.removalsHeldBack)
        conflicts = Set(summary.conflicts.map(\.project))
    }
}

extension Sync.Summary {
    /// Leaves out what was so after the last sync already.
    mutating func keepNews(since last: Told) {
        let now = Told(self)
        if now.heldBack == last.heldBack { backup.heldBack = [] }
        if now.removals == last.removals { removalsHeldBack = [] }
        if now.conflicts == last.conflicts { conflicts = [] }
    }
}
