import CueBase
import CueVault

/// The conflicts and deletions that needed the writer after the last sync. They are kept so that each is reported once,
/// and not with every save.
struct ReportedState {
    /// Documents that are gone here, and whose deletion waits for a person's consent.
    var heldBack: [RelativePath] = []
    /// Documents that other devices deleted, and whose removal here waits for a person's consent.
    var removals: [RelativePath] = []
    /// The projects in conflict.
    var conflicts: Set<ProjectID> = []

    /// Nothing was reported yet.
    init() {}

    /// The state after this sync.
    init(_ summary: Sync.Summary) {
        (heldBack, removals) = (summary.backup.heldBack, summary.removalsHeldBack)
        conflicts = Set(summary.conflicts.map(\.project))
    }
}

extension Sync.Summary {
    /// Removes the lists that are the same as after the last sync.
    mutating func keepNews(since last: ReportedState) {
        let now = ReportedState(self)
        if now.heldBack == last.heldBack { backup.heldBack = [] }
        if now.removals == last.removals { removalsHeldBack = [] }
        if now.conflicts == last.conflicts { conflicts = [] }
    }
}
