import CueBase
import CueVault

/// What needs the writer's attention after the last sync, kept so that each item is reported once and not with every save.
struct ReportedState {
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
    mutating func keepNews(since last: ReportedState) {
        let now = ReportedState(self)
        if now.heldBack == last.heldBack { backup.heldBack = [] }
        if now.removals == last.removals { removalsHeldBack = [] }
        if now.conflicts == last.conflicts { conflicts = [] }
    }
}
