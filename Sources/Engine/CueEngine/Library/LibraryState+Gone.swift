import CueBase
package import CueVault

extension LibraryState {
    /// The deleted projects, the newest deletion first. Of several at one path only the newest is listed, and none at a
    /// path where a project stands now.
    package var gone: [Project] {
        var named = Set(live.map(\.shown.header.path))
        return projects.values.filter(\.isDeleted)
            .sorted { ($0.shown.time, $0.shown.id) > ($1.shown.time, $1.shown.id) }
            .filter { named.insert($0.shown.header.path).inserted }
    }
}
