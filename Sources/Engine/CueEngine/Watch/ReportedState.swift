import CueBase
import CueLibrary
import CueVault

/// The conflicts, deletions and waiting paths after the last sync. They are kept so that each is reported once, and not
/// with every save.
struct ReportedState {
    /// Documents that are gone here, and whose deletion waits for a person's consent.
    var heldBack: [RelativePath] = []
    /// Documents that other devices deleted, and whose removal here waits for a person's consent.
    var removals: [RelativePath] = []
    /// The projects in conflict.
    var conflicts: Set<ProjectID> = []
    /// The paths that wait.
    var waiting: Set<SkippedPath> = []

    /// Nothing was reported yet.
    init() {}

    /// The state after this sync.
    init(_ summary: Sync.Summary) {
        (heldBack, removals) = (summary.backup.heldBack, summary.removalsHeldBack)
        conflicts = Set(summary.conflicts.map(\.project))
        waiting = Set(summary.waiting)
    }
}

extension Sync.Summary {
    /// Removes the lists that are the same as after the last sync, and the paths that waited then.
    mutating func keepNews(since last: ReportedState) {
        let now = ReportedState(self)
        if now.heldBack == last.heldBack { backup.heldBack = [] }
        if now.removals == last.removals { removalsHeldBack = [] }
        if now.conflicts == last.conflicts { conflicts = [] }
        waiting.removeAll { last.waiting.contains($0) }
    }
}
