import CueBase
import CueSystem
package import CueVault

extension DocumentLog {
    /// The newest versions of a document.
    package struct Page: Sendable {
        /// The newest first.
        package let entries: [Entry]
        /// How many versions between them are left out, as only times or rights changed.
        package let folded: Int
        /// How many versions came before them.
        package let older: Int
        /// What of the history is missing or does not open.
        package let gaps: [HistoryGap]
    }

    /// At most `limit` versions of the document that a person calls `name`, and of earlier ones of that name; those in
    /// which only times or rights changed only if `all`. nil if the name is that of a folder.
    package static func page(of name: String, limit: Int, all: Bool, _ context: VaultContext) throws -> Page? {
        let vault = context.vault
        var history = try History.load(vault)
        let packs = try history.findPacks(in: vault)
        let everything = history.everything
        let project = try ProjectLookup.find(name, in: everything)
        guard project.shown.header.kind != .folder else { return nil }
        let retired = FullHistory(history)?.retiredVersions ?? []
        let log = DocumentLog(
            history, try Texts(vault, history, packs), without: retired, at: context.surroundings.clock.now)
        let (entries, folded, older) = log.entries(of: everything.lives(of: project), limit: limit, all: all)
        return Page(entries: entries, folded: folded, older: older, gaps: history.gaps)
    }
}
