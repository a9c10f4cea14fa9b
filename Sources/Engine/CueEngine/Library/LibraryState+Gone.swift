import CueBase
package import CueVault

extension LibraryState {
    /// The projects that were deleted, the newest deletion first; of one path the newest, and none where something is there again.
    package var gone: [Project] {
        var named = Set(live.map(\.shown.header.path))
        return projects.values.filter(\.isDeleted)
            .sorted { ($0.shown.time, $0.shown.id) > ($1.shown.time, $1.shown.id) }
            .filter { named.insert($0.shown.header.path).inserted }
    }
}
