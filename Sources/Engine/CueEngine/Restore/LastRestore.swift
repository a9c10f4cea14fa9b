import CueBase
import CueLibrary
import CueVault

/// The last restore into a library, as the local store remembers it: each document with the version that stood at its
/// place before, and the one that came. Both are in the vault.
struct LastRestore: Codable {
    /// All steps, in no order.
    private(set) var steps: [RestoreStep]
    /// Whether an undo was cut off: the next one ends it, and does not take it back.
    private var isOpenUndo = false

    /// The steps of a plan that is about to be carried out. `checked`: the plan without what is there already.
    init(
        _ checked: RestorePlan, _ target: RestoreTarget, _ entries: StoredEntries, _ state: LibraryState
    ) throws {
        let items = Set(checked.items.lazy.filter { $0.bundle == nil }.map(\.path))
        let bundles = Set(
            checked.bundles.indices.filter { !checked.skippedBundles.contains($0) }.map { checked.bundles[$0].path })
        steps = try checked.placed.filter { placed in
            placed.kind == .bundle && placed.file == nil
                ? bundles.contains(placed.path)
                : items.contains(placed.place) && !target.folders.contains(placed.place)
        }.map { placed in
            RestoreStep(
                path: placed.path, file: placed.file, kind: placed.kind, project: placed.project,
                before: target.standing[placed.place], after: placed.version,
                wasKnown: try entries.entry(at: placed.path) != nil,
                wasDeleted: state.projects[placed.project]?.isDeleted ?? false)
        }
    }

    /// Adds the steps at other places.
    mutating func add(_ others: [RestoreStep]) {
        let places = Set(steps.map(\.place))
        steps += others.filter { !places.contains($0.place) }
    }

    /// The steps that an undo takes back, and those of an undo that was cut off and is to be ended.
    var toUndo: (steps: [RestoreStep], begun: [RestoreStep]) {
        guard isOpenUndo else { return (steps, []) }
        let steps = steps.map { step in
            var back = step
            (back.before, back.after) = (step.after, step.before)
            return back
        }
        return (steps, self.steps)
    }

    /// Reads the record; nil if there is none.
    init?(_ library: OpenLibrary) throws {
        guard let code = try library.store.read({ try $0.value(.lastRestore) }), let record: Self = code.value()
        else { return nil }
        self = record
    }

    /// Writes the record, durable on return. One that has no steps leaves the record before it.
    /// `isOpenUndo`: whether it is an undo that begins now.
    func save(_ library: OpenLibrary, isOpenUndo: Bool) throws {
        guard !steps.isEmpty else { return }
        var record = self
        record.isOpenUndo = isOpenUndo
        let code = try FactCode(record)
        try library.store.write { try $0.set(.lastRestore, to: code) }
    }
}
