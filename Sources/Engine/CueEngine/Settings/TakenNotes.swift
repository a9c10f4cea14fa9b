import CueBase
import CueLibrary
import CueStorage
import CueVault

/// What the vault has beside versions, for the local store: the settings of projects, and plans.
struct TakenNotes {
    private let records: [(record: SettingsRecord, deviceName: String)]
    private let own: [SettingsRecord]
    private let ownPlans: [String]
    /// The plans of other devices' commits that are new, the newest last.
    private let plans: [[UInt8]]
    /// The projects whose settings other devices set in new commits.
    let arrived: Set<ProjectID>
    /// The most plans that are looked at: another device may write any number.
    private static let mostPlans = 16

    /// `new`: the commits that were not known. `own`: one of them that this device wrote and was killed before it noted
    /// it; nil if there is none.
    init(_ history: History, new: Set<LogPosition>, own: LogPosition?) {
        records = history.settings.values.joined().map { ($0, history.name(of: $0.device)) }
        let commits = Set(new.lazy.filter { $0 != own }.map(\.commit))
        arrived = Set(records.lazy.map(\.record).filter { commits.contains($0.id.commit) }.map(\.note.project))
        self.own = own.map { history.settings(in: $0.commit) } ?? []
        let plans = history.plans.filter { new.contains($0.position) }
        ownPlans = plans.filter { $0.position == own }.map { String(decoding: $0.file, as: UTF8.self) }
        self.plans = plans.filter { $0.position != own }.map(\.file).suffix(Self.mostPlans)
    }

    /// Replaces what the local store has. What waits goes on waiting, unless the own commit has it.
    func save(_ transaction: LocalStore.Transaction) throws {
        try transaction.addWritten(own, by: "")
        try transaction.setSettings(records)
        if let plan = try transaction.value(.planWaiting), ownPlans.contains(plan) {
            try transaction.set(.planWaiting, to: nil)
        }
    }

    /// Takes over a newer plan for this device. An error of the plan is none of the library.
    func takePlans(in state: StateFolder, at now: Timestamp) {
        if !plans.isEmpty { try? PlanFolder(in: state).take(plans, at: now) }
    }
}
