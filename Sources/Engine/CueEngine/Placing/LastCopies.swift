import CueBase
import CueLibrary
import CueVault

/// Finds documents in the folder that the vault cannot give back, because a pack that held their content is gone or cut.
///
/// What the folder holds may be the last copy then. Nothing removes or replaces it before it has been stored again.
struct LastCopies {
    private let vault: Vault
    private var history: History

    /// `history` must know which packs exist (`findPacks`).
    init(_ vault: Vault, _ history: History) { (self.vault, self.history) = (vault, history) }

    /// Whether the vault has no place for some of the content that this device last stored of a document. A summary does not know the
    /// past: then all commits are read, once.
    mutating func isLast(_ entry: ScanEntry) throws -> Bool {
        guard entry.kind != .folder, !isHeld(entry.base) else { return false }
        guard history.isSummary else { return true }
        history = try History.load(vault)
        try history.findPacks(in: vault)
        return !isHeld(entry.base)
    }

    private func isHeld(_ version: VersionID) -> Bool {
        guard let members = try? history.members(of: version) else { return false }
        return members.allSatisfy { $0.chunks.allSatisfy(history.index.isThere) }
    }

    /// Lets the next backup read these documents again, and store what the vault lacks of them.
    static func readAgain(_ documents: [KnownProject], _ store: LocalStore) throws {
        var edits = FolderEdits(store)
        for (path, entry) in documents {
            var doubted = entry
            doubted.stat = entry.stat.doubted
            try edits.put(doubted, at: path)
        }
        try store.write { transaction in
            try edits.save(transaction)
            for document in documents where document.entry.kind == .bundle {
                guard let members = try transaction.members(of: document.entry.project) else { continue }
                try transaction.setMembers(members.map(\.doubted), of: document.entry.project)
            }
        }
    }
}
