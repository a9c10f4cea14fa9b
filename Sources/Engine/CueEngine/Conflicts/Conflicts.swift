import CueBase
package import CueLibrary
import CueSystem
import CueText
package import CueVault

/// The conflicts of a library, as the vault has them now. What is one is decided in `SyncView.decision`.
package struct Conflicts {
    /// In the order in which the sync plan lists them.
    package let all: [Conflict]
    /// Documents that cannot be decided on yet, with the reason: part of their history has not arrived.
    package let waiting: [SkippedPath]
    /// The history of the vault, from all commits.
    package let history: FullHistory
    /// Reads the text of versions.
    package let texts: Texts
    private let clock: Clock

    /// Reads the history of the vault and plans a sync on it, without carrying it out. Changes nothing.
    package static func of(_ context: EngineContext) throws -> Conflicts {
        let (library, vault) = (context.library, context.vault)
        var past = try FullHistory.load(vault)
        let device = try library.device().id
        try past.history.proveRead(by: device, of: library)
        let packs = try vault.presentPacks()
        past.history.take(packs, broken: try library.store.read { try $0.brokenPacks() })
        let history = past.history
        let plan = try SyncPlan(history, vault, try LocalSide(library, device: device), at: context.clock.now)
        return Conflicts(
            all: plan.conflicts, waiting: plan.waiting, history: past, texts: try Texts(vault, history, packs),
            clock: context.clock)
    }

    /// The conflict of the document that a person calls `name`. Throws `EngineError.noConflict` if that document has
    /// none, and the errors of `ProjectLookup.find`.
    package func named(_ name: String) throws -> Conflict {
        // Every side's path counts, and comes before a lookup: a device may have renamed the document, and a folder may
        // have its old name.
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

    /// Everything that is shown of one conflict.
    package func details(of conflict: Conflict) -> ConflictDetails {
        ConflictDetails(conflict, history, texts, at: clock.now)
    }
}
