import CueBase
package import CueLibrary
import CueSystem
import CueText
package import CueVault

/// The conflicts of a library, as they are in the vault now.
package struct Conflicts {
    package let all: [Conflict]
    /// Documents whose state is unknown so far, and why.
    package let waiting: [SkippedPath]
    package let history: FullHistory
    package let texts: Texts
    private let clock: Clock

    /// Reads the vault; changes nothing.
    package static func of(_ context: EngineContext) throws -> Conflicts {
        let (library, vault) = (context.library, context.vault)
        var past = try FullHistory.load(vault)
        let device = try library.device().id
        try past.history.proveRead(by: device, of: library)
        let packs = try past.history.findPacks(in: vault)
        let history = past.history
        let plan = try SyncPlan(
            history, vault, known: try StoredEntries(library).everything(), goneHere: [], damagedHere: [],
            answers: SyncAnswers(),
            forced: [:], device: device, at: context.clock.now)
        return Conflicts(
            all: plan.conflicts, waiting: plan.waiting, history: past, texts: try Texts(vault, history, packs),
            clock: context.clock)
    }

    /// The one of that name.
    package func named(_ name: String) throws -> Conflict {
        // By any of its names first: a device may have renamed it, and a folder may bear its name.
        let named = all.filter { conflict in
            conflict.sides.contains { ProjectLookup.names(name, $0.version.header.path) }
        }
        if named.count == 1 { return named[0] }
        let project = try ProjectLookup.find(name, in: history.everything)
        guard let conflict = all.first(where: { $0.project == project.id }) else {
            throw EngineError.noConflict(Display.text(project.shown.header.path))
        }
        return conflict
    }

    /// What a person wants to know of one of them.
    package func details(of conflict: Conflict) -> ConflictDetails {
        ConflictDetails(conflict, history, texts, at: clock.now)
    }
}
