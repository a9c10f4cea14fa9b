import CueLibrary
import CueStorage
import CueVault

/// The settings of projects as the vault has them, for the local store.
struct TakenSettings {
    private let records: [(record: SettingsRecord, deviceName: String)]
    private let own: [SettingsRecord]

    /// `own`: a commit that this device wrote and was killed before it noted it; nil if there is none.
    init(_ history: History, own: LogPosition?) {
        records = history.settings.values.joined().map { ($0, history.name(of: $0.device)) }
        self.own = own.map { history.settings(in: $0.commit) } ?? []
    }

    /// Replaces what the local store has. A change that waits goes on waiting, unless `own` has it.
    func save(_ transaction: LocalStore.Transaction) throws {
        try transaction.addWritten(own, by: "")
        try transaction.setSettings(records)
    }
}
