import CueBase
import CueLibrary
import CueSystem
package import Foundation

/// The state of a watcher, for other processes. It is a small file beside the local store, which is replaced as a
/// whole.
package struct WatchState: Codable, Sendable, Equatable {
    /// The phases of a watcher.
    package enum Phase: String, Codable, Sendable {
        /// Nothing was synced yet.
        case starting
        /// The watcher waits for changes.
        case idle
        /// A sync runs.
        case syncing
        /// The last sync failed for a reason that may heal by itself, such as a vault that cannot be reached. It is
        /// repeated.
        case offline
        /// The last sync failed for a reason that does not heal by itself.
        case error
    }

    /// The present phase.
    package var phase = Phase.starting
    /// The code of `failure`. As text behind a version: another cue may read it, and has to understand the rest.
    private var failureCode: String?
    /// What an earlier cue kept in place of the code: a sentence, and advice.
    private var message: String?
    private var hints: [String]?
    /// The id of the watcher's process.
    package var process: Int32
    /// When the watcher started.
    package var started: Date
    /// When the present phase began.
    package var phaseSince: Date
    /// When the last successful sync ended; nil before the first.
    package var lastSync: Date?
    /// When a failed sync is repeated; nil if the last one succeeded.
    package var nextTry: Date?
    /// The first 200 of the documents that wait to be saved, as they are shown.
    package var waiting: [String] = []
    /// The most names in `waiting`. The file is rewritten often, and tens of thousands of names would take megabytes.
    static let namesAtMost = 200
    /// The number of open conflicts after the last sync.
    package var conflicts = 0
    /// Why not every change is reported by the system; nil if all are.
    package var limitation: WatchLimitation?
    /// Why it is about to look at everything; nil if that is not planned out of turn.
    package var rescan: RescanReason?
    /// How often the kernel has dropped events since the start.
    package var overflows = 0

    private static let name = "watch.json"

    init(process: Int32, now: Date) { (self.process, started, phaseSince) = (process, now, now) }

    /// The cause of `offline` or `error`; nil in other phases, and where another cue kept what this one cannot read.
    package var failure: Failure? {
        get {
            failureCode.flatMap { FactCode(factText: $0) }?.value()
                ?? message.map { Failure(.told($0, hints: hints ?? []), vault: "") }
        }
        set { failureCode = newValue.flatMap { try? FactCode($0) }?.factText }
    }

    /// Replaces the file in this folder.
    func save(in folder: FilePathBytes) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys]
        try Folder.open(folder).replace(Self.name, with: Array(try encoder.encode(self)))
    }

    /// Removes the file, if there is one.
    static func remove(from folder: FilePathBytes) { try? Folder.open(folder).remove(Array(name.utf8)) }

    /// The state of the library's watcher; nil if none runs, or its file cannot be read.
    package static func of(_ library: OpenLibrary) -> WatchState? {
        let folder = library.state.library(library.marker.library)
        // A watcher that was killed leaves its file, but not its lock.
        guard WatchLock.isHeld(in: folder),
            let bytes = (try? Folder.open(folder).contents(of: name, upTo: 1 << 20)) ?? nil
        else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try? decoder.decode(WatchState.self, from: Data(bytes))
    }
}

/// Lets one watcher run for a library. The lock ends with its process, however the process ends.
final class WatchLock: Sendable {
    private static let name = Array("watching".utf8)
    private let file: File

    /// nil if another watcher holds the lock.
    init?(in folder: FilePathBytes) throws {
        file = try Folder.open(folder).openOrCreate(Self.name)
        // A process that reads the state holds the lock for a moment (`isHeld`).
        guard file.lock(within: 0.2) else { return nil }
    }

    /// Whether a watcher holds the lock.
    static func isHeld(in folder: FilePathBytes) -> Bool {
        guard let file = try? Folder.open(folder).openOrCreate(name) else { return false }
        // A shared lock: two processes that ask at the same time must not take each other for a watcher.
        return !file.tryLockShared()
    }
}
