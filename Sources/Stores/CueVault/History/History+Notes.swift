package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage

/// What commits say of other records and of projects (docs/format.md §12 to §14).
extension History {
    /// The notes that a checkpoint keeps: all but settings that others have replaced, and of the plans the last of each
    /// device.
    var notesToKeep: [Note] { notesToKeep(of: nil) }

    /// The same for a checkpoint of these commits; nil for all.
    func notesToKeep(of commits: Set<LogPosition>?) -> [Note] {
        let notes = self.notes.filter { commits?.contains($0.position) ?? true }
        let heads = SettingsHeads(notes).ids
        let order = { (note: Note) in (note.content.kind.rawValue, note.position, note.number) }
        var plans: [DeviceID: Note] = [:]
        for note in notes.sorted(by: { order($0) < order($1) }) {
            if case .plan = note.content { plans[note.position.device] = note }
        }
        let kept = notes.filter { note in
            switch note.content {
            case .settings: heads.contains(note.id)
            case .plan: plans[note.position.device]?.id == note.id
            default: true
            }
        }
        return kept.sorted { order($0) < order($1) }
    }

    /// A record that shuts out a device.
    package struct FoundShutOut: Sendable {
        /// The commit that holds it.
        package let holder: LogPosition
        /// What it says.
        package let what: ShutOut
    }

    /// The records that count and shut out devices, in the order of the commits that hold them.
    package var devicesShutOut: [FoundShutOut] { shutOuts.map { FoundShutOut(holder: $0.holder, what: $0.shutOut) } }

    /// When a commit was written; nil if it was not read.
    package func time(of position: LogPosition) -> Timestamp? { commits[position]?.record.time }

    // MARK: Pruning

    /// The ids of the records that say what may be gone.
    package var retirements: [NoteID] {
        notes.compactMap { if case .retired = $0.content { $0.id } else { nil } }.sorted()
    }

    /// The retirements that a device has acknowledged.
    package func acknowledged(by device: DeviceID) -> Set<NoteID> {
        var ids: Set<NoteID> = []
        for note in notes where note.position.device == device {
            if case .acknowledged(let known) = note.content { ids.formUnion(known) }
        }
        return ids
    }

    /// The packs that may be gone, so that nothing new may rely on them.
    package var retiredPacks: Set<PackID> {
        var packs: Set<PackID> = []
        for note in notes { if case .retired(let retired) = note.content { packs.formUnion(retired.packs) } }
        return packs
    }

    /// The pins that no unpinned record names.
    package var pins: [(id: NoteID, pin: Pin)] {
        var taken: Set<NoteID> = []
        for note in notes { if case .unpinned(let ids) = note.content { taken.formUnion(ids) } }
        return notes.compactMap { note in
            if case .pinned(let pin) = note.content, !taken.contains(note.id) { (note.id, pin) } else { nil }
        }
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

extension FullHistory {
    /// The versions whose content may be gone: retired, no heads, and not pinned (docs/format.md §14).
    package var retiredVersions: Set<VersionID> {
        var retired: Set<VersionID> = []
        for note in history.notes {
            if case .retired(let named) = note.content { retired.formUnion(named.versions) }
        }
        guard !retired.isEmpty else { return [] }
        retired.subtract(history.state().projects.values.flatMap(\.headIDs))
        var snapshots: Set<CommitID> = []
        for (_, pin) in history.pins {
            switch pin.target {
            case .version(let id): retired.remove(id)
            case .snapshot(let id): snapshots.insert(id)
            }
        }
        // One snapshot may be pinned very often, and each state costs a walk.
        for commit in history.commits.keys where snapshots.contains(commit.commit) && !retired.isEmpty {
            retired.subtract(state(at: commit).projects.values.flatMap(\.headIDs))
        }
        return retired
    }
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
