package import CueBase
package import CueSodium
package import CueStorage
import GRDB

/// The name of one remembered value, with its type. Values are in the table `meta` of the local store; `FactKey` lists
/// all.
package struct Fact<Value: FactValue>: Sendable {
    fileprivate let key: FactKey

    fileprivate init(_ key: FactKey) { self.key = key }
}

/// The names of all facts. They are part of the local store's format: changing one needs a migration.
enum FactKey: String, CaseIterable, Sendable {
    // Where the library is.
    case path, place, vault, writer
    case allowedNotifyCommand = "allowed notify command"
    case placed
    // The plan of this device.
    case planMemory = "plan memory"
    case planWaiting = "plan waiting"
    // This device, and what it stored last.
    case generation, commit, intent, open, snapshot
    case deviceSeed = "device seed"
    case commitDigest = "commit digest"
    case deviceName = "device name"
    case intentIsOfDisk = "intent is of disk"
    case lastBackup = "last backup"
    case lastBatch = "last batch"
    // The vault.
    case news
    case logCursor = "log cursor"
    case hasRuns = "has runs"
    case eventCursor = "event cursor"
    case logListed = "log listed"
    case eventsListed = "events listed"
    case comparedCheckpoint = "compared checkpoint"
    case verified
    case lastSlice = "last slice"
    case neverVerified = "never verified"
    case isContentLost = "content lost"
    case vaultProblem = "vault problem"
    case checkProblem = "check problem"
    case keyProblem = "key problem"
    case historyProblem = "history problem"
    // Work that the last run left undone.
    case conflicts, unsettled, waiting
    case heldBack = "held back"
    case removalsHeldBack = "removals held back"
    case wasCutOff = "cut off"
    // What a person may take back.
    case lastRestore = "last restore"
    // What a person was shown.
    case shownConflicts = "shown conflicts"
    // What other devices did.
    case locks
    case joined, shutOut = "shut out", batchLimits = "batch limits", toAcknowledge = "to acknowledge"

    /// Whether the fact stays when the library is tied to another vault, or again to the same one. All facts about the
    /// vault go: a device that keeps its old id would write a second branch of a log that may still exist in a copy of
    /// the vault.
    var isKept: Bool {
        switch self {
        case .path, .place, .vault, .writer, .allowedNotifyCommand, .placed, .deviceName: true
        default: false
        }
    }
}

extension Fact where Value == String {
    /// Where the library's folder was last seen, as `Display` writes it. A folder with the same id elsewhere is a copy,
    /// or was moved.
    package static var path: Fact<String> { Fact(.path) }
    /// Where the vault was last opened, as `VaultLocation.stored` writes it.
    package static var place: Fact<String> { Fact(.place) }
    /// The writer's name of this device's last run; it marks the temporary files of that run in the vault.
    package static var writer: Fact<String> { Fact(.writer) }
    /// The command for reminders that was allowed on this device.
    package static var allowedNotifyCommand: Fact<String> { Fact(.allowedNotifyCommand) }
    /// The last run whose placing journal the local store has taken over, in hexadecimal digits.
    package static var placed: Fact<String> { Fact(.placed) }
    /// This device's plan; only in the local store of a `PlanFolder`.
    package static var planMemory: Fact<String> { Fact(.planMemory) }
    /// The file of a plan that was taken in this library, and that the next commit brings to the vault.
    package static var planWaiting: Fact<String> { Fact(.planWaiting) }
    /// This device's name for people.
    package static var deviceName: Fact<String> { Fact(.deviceName) }
}

extension Fact where Value == FactCode {
    /// A problem that reading packs back or storing found. Only reading the packs again clears it.
    package static var vaultProblem: Fact<FactCode> { Fact(.vaultProblem) }
    /// A problem that a check, or a comparison with a checkpoint, found.
    package static var checkProblem: Fact<FactCode> { Fact(.checkProblem) }
    /// Why a run refused the vault's history. The next run that reads it clears the fact.
    package static var historyProblem: Fact<FactCode> { Fact(.historyProblem) }
    /// A problem of the vault's key slots.
    package static var keyProblem: Fact<FactCode> { Fact(.keyProblem) }
    /// What the last sync could not do: an array of `SkippedPath`.
    package static var waiting: Fact<FactCode> { Fact(.waiting) }
    /// The heads of each side of the conflicts that were listed last, by project.
    package static var shownConflicts: Fact<FactCode> { Fact(.shownConflicts) }
    /// New devices of which no person was told yet: an array of `JoinedDevice`.
    package static var joined: Fact<FactCode> { Fact(.joined) }
    /// The same of devices that were shut out: an array of `ShutOutDevice`.
    package static var shutOut: Fact<FactCode> { Fact(.shutOut) }
    /// The last batches of events that count of the devices that were shut out: an array of `BatchLimit`.
    package static var batchLimits: Fact<FactCode> { Fact(.batchLimits) }
    /// The retirements that this device's next commit acknowledges: an array of ids.
    package static var toAcknowledge: Fact<FactCode> { Fact(.toAcknowledge) }
    /// The locks of the vault's objects at each place: an array of `LockUpkeep.Memory`.
    package static var locks: Fact<FactCode> { Fact(.locks) }
    /// The last restore into the library, so that it can be undone.
    package static var lastRestore: Fact<FactCode> { Fact(.lastRestore) }
}

extension Fact where Value == VaultID {
    /// The vault to which the library is tied.
    package static var vault: Fact<VaultID> { Fact(.vault) }
}

extension Fact where Value == SecretBytes {
    /// The 32 bytes from which the key comes with which this device signs (docs/format.md §12).
    package static var deviceSeed: Fact<SecretBytes> { Fact(.deviceSeed) }
}

extension Fact where Value == CommitDigest {
    /// The digest of this device's newest commit.
    package static var commitDigest: Fact<CommitDigest> { Fact(.commitDigest) }
}

extension Fact where Value == UInt64 {
    /// The generation of this device's newest commit; 0 before the first.
    package static var generation: Fact<UInt64> { Fact(.generation) }
}

extension Fact where Value == CommitID {
    /// This device's newest commit.
    package static var commit: Fact<CommitID> { Fact(.commit) }
    /// The commit that this device was about to write. An unknown commit in its own log is its own if it has this id.
    package static var intent: Fact<CommitID> { Fact(.intent) }
    /// The snapshot to show to a person if everything is stored.
    package static var snapshot: Fact<CommitID> { Fact(.snapshot) }
}

extension Fact where Value == Bool {
    /// Whether the log has runs. Which commits stand in runs alone only a listing of all says.
    package static var hasRuns: Fact<Bool> { Fact(.hasRuns) }
    /// Whether the intended commit states what is on the disk already. True for a backup; not for the answers of a
    /// sync.
    package static var intentIsOfDisk: Fact<Bool> { Fact(.intentIsOfDisk) }
    /// Whether this device's newest commit is part of a snapshot whose last commit is still missing.
    package static var isSnapshotOpen: Fact<Bool> { Fact(.open) }
    /// Whether packs were found gone, cut or damaged, and it was not yet looked what the folder still has of them.
    package static var isContentLost: Fact<Bool> { Fact(.isContentLost) }
    /// Whether a run was cut off while it put documents into the folder, and no sync has ended since.
    package static var wasCutOff: Fact<Bool> { Fact(.wasCutOff) }
    /// Whether the vault has versions that this device has not taken over.
    package static var hasNews: Fact<Bool> { Fact(.news) }
}

extension Fact where Value == Timestamp {
    /// When everything in the folder was last stored.
    package static var lastBackup: Fact<Timestamp> { Fact(.lastBackup) }
    /// The oldest time at which a pack of the vault was last read back and found right: all packs were, since then.
    package static var verified: Fact<Timestamp> { Fact(.verified) }
    /// When the whole log of versions was last listed, where only what is new is listed otherwise.
    package static var logListed: Fact<Timestamp> { Fact(.logListed) }
    /// The same for the log of events.
    package static var eventsListed: Fact<Timestamp> { Fact(.eventsListed) }
    /// When packs of the vault were last read back.
    package static var lastSlice: Fact<Timestamp> { Fact(.lastSlice) }
}

extension Fact where Value == Int {
    /// The number of packs that were never read back.
    package static var neverVerified: Fact<Int> { Fact(.neverVerified) }
    /// The number of documents that other devices deleted, and that stay here until a person confirms it.
    package static var removalsHeldBack: Fact<Int> { Fact(.removalsHeldBack) }
}

extension Fact where Value == LogPosition {
    /// The newest batch of events that this device wrote.
    package static var lastBatch: Fact<LogPosition> { Fact(.lastBatch) }
}

extension Fact where Value == LogCursor {
    /// How far this device has read the log of versions. Nothing is noted for a log that is listed whole each time.
    package static var logCursor: Fact<LogCursor> { Fact(.logCursor) }
    /// The same for the log of events.
    package static var eventCursor: Fact<LogCursor> { Fact(.eventCursor) }
}

extension Fact where Value == ObjectName {
    /// The checkpoint that this device found to agree with the commits.
    package static var comparedCheckpoint: Fact<ObjectName> { Fact(.comparedCheckpoint) }
}

extension Fact where Value == [String] {
    /// Documents in conflict after the last sync, as `Display` writes their paths.
    package static var conflicts: Fact<[String]> { Fact(.conflicts) }
    /// Documents that changed while they were read, as `Display` writes their paths.
    package static var unsettled: Fact<[String]> { Fact(.unsettled) }
    /// Documents whose deletion waits for a person's consent, as `Display` writes their paths.
    package static var heldBack: Fact<[String]> { Fact(.heldBack) }
}

extension LocalStore.Transaction {
    /// The value of a fact; nil if it is not set, or its text stands for no value.
    package func value<Value>(_ fact: Fact<Value>) throws -> Value? {
        let statement = try database.cachedStatement(sql: "SELECT value FROM meta WHERE key = ?")
        return try String.fetchOne(statement, arguments: [fact.key.rawValue]).flatMap { Value(factText: $0) }
    }

    /// Sets a fact; nil removes it.
    package func set<Value>(_ fact: Fact<Value>, to value: Value?) throws {
        guard let value else {
            return try database.execute(sql: "DELETE FROM meta WHERE key = ?", arguments: [fact.key.rawValue])
        }
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)")
            .execute(arguments: [fact.key.rawValue, value.factText])
    }

    /// Removes all facts but those that are kept (`FactKey.isKept`).
    func forgetFactsOfVault() throws {
        for key in FactKey.allCases where !key.isKept {
            try database.execute(sql: "DELETE FROM meta WHERE key = ?", arguments: [key.rawValue])
        }
    }
}
