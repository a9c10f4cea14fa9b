import CueBase
import CueLibrary
import CueStorage
import CueVault

/// The changes of settings that a commit takes along.
struct SettingsWriting {
    /// The changes as records.
    let notes: [SettingsNote]

    /// No changes.
    init() { notes = [] }

    /// Reads the changes that wait. A project whose settings do not say when it began gets that time now.
    init(_ context: EngineContext) throws {
        notes = try context.library.store.read { try $0.waitingSettings() }.map { note in
            try note.created == nil ? note.with(created: Self.beginning(of: note, context)) : note
        }
    }

    /// When the project began: the time of the files of its first version. If that version cannot be read now, the time
    /// at which this device first knew the project, and else that of the change.
    private static func beginning(of note: SettingsNote, _ context: EngineContext) throws -> Timestamp {
        let (vault, commit) = (context.vault, note.project.commit)
        let (known, seen) = try context.library.store.read { (try $0.entry(of: commit), try $0.timesSeen()[commit]) }
        // The size of a commit is unknown until the log lists it.
        let entry = try known ?? vault.log.all().first { $0.position.commit == commit }
        let first = entry.flatMap { try? vault.commit($0) }?.versions.first { $0.id == note.project }
        if let edited = first?.header.edited, (0...note.time.milliseconds).contains(edited.milliseconds) {
            return edited
        }
        return min(seen ?? note.time, note.time)
    }

    /// The local store notes that the commit has them.
    func save(as commit: CommitID, of device: OpenLibrary.Device, _ transaction: LocalStore.Transaction) throws {
        let records = notes.enumerated().map { number, note in
            SettingsRecord(id: NoteID(commit: commit, number: UInt32(number)), device: device.id, note: note)
        }
        try transaction.addWritten(records, by: device.name)
    }
}
