import CueBase
import CueLibrary
import CueVault

extension LocalStore.Transaction {
    /// Makes everything count as changed here whose stored version is set aside, as its device was shut out: it stands in
    /// this folder, and the next backup stores it as this device's, going on from that version.
    func doubtWhatIsSetAside(in history: History) throws {
        guard !history.setAside.isEmpty else { return }
        for (folder, encoded) in try folders() {
            var entries = try encoded.entries()
            let aside = entries.indices.filter { history.isAside(entries[$0].base) }
            guard !aside.isEmpty else { continue }
            for at in aside {
                entries[at].stat = entries[at].stat.doubted
                (entries[at].fingerprint, entries[at].content) = (0, nil)
                entries[at].depth = DeltaRules.unknown
                try removeMembers(of: entries[at].project)
            }
            try setFolder(folder, entries)
        }
    }
}
