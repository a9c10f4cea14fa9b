package import CueBase
package import CueStorage

/// A settings record, with the device that wrote it.
package struct SettingsRecord: Sendable {
    /// The id by which others name it as their parent.
    package let id: NoteID
    /// The device that wrote it.
    package let device: DeviceID
    /// What it says.
    package let note: SettingsNote

    /// Memberwise.
    package init(id: NoteID, device: DeviceID, note: SettingsNote) {
        (self.id, self.device, self.note) = (id, device, note)
    }

    /// The records among the notes.
    static func all(_ notes: [Note]) -> [SettingsRecord] {
        notes.compactMap { note in
            guard case .settings(let settings) = note.content else { return nil }
            return SettingsRecord(id: note.id, device: note.position.device, note: settings)
        }
    }
}

/// The settings of projects that count (docs/format.md §13): the records that no other record of the same project
/// replaces. A record that replaces itself, by way of others, counts as replacing nothing.
struct SettingsHeads {
    /// Of each project the newest first, by time and then by id.
    private(set) var records: [ProjectID: [SettingsRecord]] = [:]
    /// The ids of all of them.
    private(set) var ids: Set<NoteID> = []

    init(_ notes: [Note]) {
        let all = SettingsRecord.all(notes)
        guard !all.isEmpty else { return }
        // An id names one commit, and one record there; a false checkpoint may use it twice.
        let numbers = Dictionary(all.indices.map { (all[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        let parents = all.map { record in
            record.note.parents.compactMap { numbers[$0] }.filter { all[$0].note.project == record.note.project }
        }
        var counts = parents.enumerated().map { number, parents in !parents.contains(number) }
        for number in Circles.members(of: parents) { counts[number] = false }
        var isReplaced = [Bool](repeating: false, count: all.count)
        for number in all.indices where counts[number] {
            for parent in parents[number] { isReplaced[parent] = true }
        }
        for number in all.indices where !isReplaced[number] && numbers[all[number].id] == number {
            ids.insert(all[number].id)
            records[all[number].note.project, default: []].append(all[number])
        }
        for project in records.keys {
            records[project]?.sort { ($0.note.time, $0.id) > ($1.note.time, $1.id) }
        }
    }
}

extension History {
    /// The settings records that count, by project: of each the newest first, by time and then by id.
    package var settings: [ProjectID: [SettingsRecord]] { SettingsHeads(notes).records }

    /// The commits that hold settings records.
    package var commitsWithSettings: Set<LogPosition> {
        Set(notes.lazy.filter { if case .settings = $0.content { true } else { false } }.map(\.position))
    }

    /// The plans that commits hold, in the order of the commits' times.
    package var plans: [(position: LogPosition, file: [UInt8])] {
        let plans = notes.compactMap { note in
            if case .plan(let file) = note.content { (position: note.position, file: file) } else { nil }
        }
        let time = { (position: LogPosition) in commits[position]?.record.time ?? Timestamp(milliseconds: 0) }
        return plans.sorted { (time($0.position), $0.position) < (time($1.position), $1.position) }
    }

    /// The settings records of one commit.
    package func settings(in commit: CommitID) -> [SettingsRecord] {
        SettingsRecord.all(notes.filter { $0.position.commit == commit })
    }
}
