package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage

/// What commits say of other records and of projects (docs/format.md §12 to §14).
extension History {
    /// The notes that a checkpoint keeps: all but settings that others have replaced.
    var notesToKeep: [Note] { notesToKeep(of: nil) }

    /// The same for a checkpoint of these commits; nil for all.
    func notesToKeep(of commits: Set<LogPosition>?) -> [Note] {
        let notes = self.notes.filter { commits?.contains($0.position) ?? true }
        let heads = SettingsHeads(notes).ids
        let kept = notes.filter { note in if case .settings = note.content { heads.contains(note.id) } else { true } }
        let order = { (note: Note) in (note.content.kind.rawValue, note.position, note.number) }
        return kept.sorted { order($0) < order($1) }
    }

    /// The digests of the commits, as far as they are known.
    package var digests: [LogPosition: CommitDigest] {
        var digests: [LogPosition: CommitDigest] = [:]
        for mark in coverage { digests[mark.position] = mark.digest }
        for commit in commits.values { digests[commit.position] = commit.digest }
        return digests
    }

    /// The newest commits of each device, those of its highest generation, with their digests.
    package var tips: [CommitMark] {
        let all = coverage + commits.values.map { CommitMark($0.position, $0.digest) }
        return CommitMark.newest(all)
    }

    /// What the words stand for that two devices compare; nil if there is no commit, or if a digest is not known.
    package func stateWords(of vault: VaultID) -> StateWords? { StateWords(tips, of: vault) }
}

extension CommitMark {
    /// Of each device those of its highest generation, sorted.
    package static func newest(_ marks: [CommitMark]) -> [CommitMark] {
        var newest: [DeviceID: UInt64] = [:]
        for mark in marks {
            newest[mark.position.device] = max(newest[mark.position.device] ?? 0, mark.position.generation)
        }
        return Set(marks.filter { newest[$0.position.device] == $0.position.generation }).sorted()
    }
}

extension StateWords {
    /// The words of the newest commits of all devices (docs/format.md §12). nil if there is none, or if a digest is not
    /// known.
    package init?(_ tips: [CommitMark], of vault: VaultID) {
        guard !tips.isEmpty else { return nil }
        var writer = ByteWriter()
        writer.raw("cue/1 state\0".utf8)
        writer.id(vault)
        for tip in tips {
            guard let digest = tip.digest else { return nil }
            writer.id(tip.position.device)
            writer.u64(tip.position.generation)
            writer.id(tip.position.commit)
            writer.id(digest)
        }
        self.init(BLAKE2b.Stream(writer.bytes).finish())
    }
}
