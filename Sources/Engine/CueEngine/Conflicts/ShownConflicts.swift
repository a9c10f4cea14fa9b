import CueBase
import CueLibrary
import CueVault

/// The order in which the versions of each conflict were last shown: an answer by number means the one that stood there.
package struct ShownConflicts {
    /// The heads of each side, by project.
    private var sides: [String: [[VersionID]]]
    private let library: OpenLibrary

    /// What this device has shown; nothing if that cannot be read.
    package init(of library: OpenLibrary) {
        self.library = library
        sides = (try? library.store.read { try $0.value(.shownConflicts) })?.flatMap { $0.value() } ?? [:]
    }

    /// Whether the number, from 1 on, means the side that had it when the conflict was last shown. What this device wrote
    /// since is its own side as before.
    package func isShown(_ number: Int, of conflict: Conflict) -> Bool {
        guard let shown = sides[conflict.project.description] else { return true }
        let side = conflict.sides[number - 1]
        return shown.count == conflict.sides.count
            && (side.isHere || !Set(shown[number - 1]).isDisjoint(with: side.heads))
    }

    /// Notes that these conflicts are shown; `areAll`: there are no others. What is shown is right even if that cannot be
    /// noted.
    package mutating func note(_ conflicts: [Conflict], areAll: Bool = false) {
        if areAll { sides = [:] }
        for conflict in conflicts { sides[conflict.project.description] = conflict.sides.map(\.heads) }
        try? library.store.write { [sides] in try $0.set(.shownConflicts, to: FactCode(sides)) }
    }
}
