import CueBase
import CueLibrary
import CueStorage
import CueVault

/// What waits in the local store for the next commit, beside versions: changes of settings, and a plan.
struct WaitingNotes {
    /// The changes of settings.
    let settings: [SettingsNote]
    /// The file of a plan that was taken in this library; nil for none.
    private let plan: String?

    /// Nothing.
    init() { (settings, plan) = ([], nil) }

    /// What the commit says.
    var contents: [Note.Content] {
        settings.map { .settings($0) } + (plan.map { [.plan(Array($0.utf8))] } ?? [])
    }

    /// Reads what waits. A project whose settings do not say when it began gets that time now.
    init(_ context: EngineContext) throws {
        let plan = try context.library.store.read { try $0.value(.planWaiting) }
        self.plan = plan.flatMap { $0.utf8.count <= Note.Content.planSize ? $0 : nil }
        settings = try context.library.store.read { try $0.waitingSettings() }.map { note in
            try note.created == nil ? note.with(created: Self.beginning(of: note, context)) : note
        }
    }

    /// When the project began: the time of the files of its first version. If that version cannot be read now, the time
    /// at which this device first knew the project, and else that of the change.
    private static func beginning(of note: SettingsNote, _ context: EngineContext) throws -> Timestamp {
        let (vault, commit) = (context.vault, note.project.commit)
        let (known, seen) = try context.library.store.read { (try $0.entry(of: commit), try $0.timesSeen()[commit]) }
        // The size of a commit is unknown until the log lists it.
        let entry = try known ?? vault.commits().first { $0.position.commit == commit }
        let first = entry.flatMap { try? vault.commit($0) }?.versions.first { $0.id == note.project }
        if let edited = first?.header.edited, (0...note.time.milliseconds).contains(edited.milliseconds) {
            return edited
        }
        return min(seen ?? note.time, note.time)
    }

    /// The local store notes that the commit has it.
    func save(as commit: CommitID, of device: OpenLibrary.Device, _ transaction: LocalStore.Transaction) throws {
        let records = settings.enumerated().map { number, note in
            SettingsRecord(id: NoteID(commit: commit, number: UInt32(number)), device: device.id, note: note)
        }
        try transaction.addWritten(records, by: device.name)
        // Another plan may have come since.
        if let plan, try transaction.value(.planWaiting) == plan { try transaction.set(.planWaiting, to: nil) }
    }
}
