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
    /// Whether the steps are those of an undo that took the restore back; nil in records of a restore.
    private var isBack: Bool?
    /// When the restore was that is taken back and restored again by turns; nil in old records.
    private(set) var time: Timestamp?

    /// The steps of a plan that is about to be carried out. `checked`: the plan without what is there already.
    init(
        _ checked: RestorePlan, _ target: RestoreTarget, _ entries: StoredEntries, _ state: LibraryState
    ) throws {
        steps = try checked.absent(but: target.folders).map { placed in
            RestoreStep(
                path: placed.path, file: placed.file, kind: placed.kind, project: placed.project,
                before: target.standing[placed.place], after: placed.version,
                wasKnown: try entries.entry(at: placed.path) != nil,
                wasDeleted: state.projects[placed.project]?.isDeleted ?? false)
        }
    }

    /// What the next undo does. One that was cut off is ended, in its own direction.
    var direction: RestoreUndone.Direction { (isBack ?? false) == isOpenUndo ? .takenBack : .restoredAgain }

    /// Notes which restore these steps are of: that of `earlier`, taken back or brought again, or else one made now.
    mutating func note(after earlier: LastRestore?, now: Timestamp) {
        guard let earlier else { return time = now }
        (isBack, time) = (earlier.direction == .takenBack, earlier.time)
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

extension RestorePlan {
    /// What is not in the folder yet as it is to be. `folders`: those of the plan that are there.
    func absent(but folders: Set<RelativePath>) -> [Placed] {
        let single = Set(items.lazy.filter { $0.bundle == nil }.map(\.path))
        let whole = Set(bundles.indices.filter { !skippedBundles.contains($0) }.map { bundles[$0].path })
        return placed.filter { placed in
            placed.kind == .bundle && placed.file == nil
                ? whole.contains(placed.path) : single.contains(placed.place) && !folders.contains(placed.place)
        }
    }
}
