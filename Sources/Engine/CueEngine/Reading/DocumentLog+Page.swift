import CueBase
import CueSystem
package import CueVault

extension DocumentLog {
    /// The newest versions of a document.
    package struct Page: Sendable {
        /// The newest first.
        package let entries: [Entry]
        /// How many versions came before them.
        package let older: Int
        /// What of the history is missing or does not open.
        package let gaps: [HistoryGap]
    }

    /// At most `limit` versions of the document that a person calls `name`, and of earlier ones of that name.
    package static func page(of name: String, limit: Int, _ context: VaultContext) throws -> Page {
        let vault = context.vault
        var history = try History.load(vault)
        let packs = try history.findPacks(in: vault)
        let everything = history.everything
        let lives = everything.lives(of: try ProjectLookup.find(name, in: everything))
        let log = DocumentLog(history, try Texts(vault, history, packs), at: context.surroundings.clock.now)
        let entries = log.entries(of: lives, limit: limit)
        return Page(entries: entries, older: log.count(of: lives) - entries.count, gaps: history.gaps)
    }
}
