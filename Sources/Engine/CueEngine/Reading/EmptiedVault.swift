package import CueBase
import CueVault

/// A vault in whose newest state all documents are deleted.
package struct EmptiedVault: Sendable {
    /// How many documents were deleted.
    package let deleted: Int
    /// When the last of them was, by the clock of its device.
    package let last: Timestamp
    /// How many snapshots before the latest one the last state with documents is, and how many it has; nil if no
    /// snapshot has any.
    package let before: (steps: Int, documents: Int)?

    /// nil if there are documents, or never were any. Reads all commits where there are none.
    package init?(_ context: VaultContext) throws {
        let state = try History.loadLatest(context.vault).state()
        guard !state.hasDocuments else { return nil }
        let gone = state.gone.filter(\.shown.header.kind.isDocument)
        guard let last = gone.map(\.shown.time).max() else { return nil }
        (deleted, self.last) = (gone.count, last)
        let past = try FullHistory.load(context.vault)
        let then = past.snapshots.reversed().lazy.map { past.state(at: $0.position) }.enumerated()
            .first { $0.element.hasDocuments }
        before = then.map { ($0.offset, $0.element.live.count(where: \.shown.header.kind.isDocument)) }
    }
}

extension LibraryState {
    fileprivate var hasDocuments: Bool { live.contains(where: \.shown.header.kind.isDocument) }
}
