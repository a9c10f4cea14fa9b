import CueBase
import CueLibrary
import CueSystem
package import Foundation

/// What a watcher is doing, as others may read it: a small file beside the local store, replaced as a whole.
package struct WatchState: Codable, Sendable, Equatable {
    package enum Phase: String, Codable, Sendable {
        case starting, idle, syncing
        /// The vault cannot be reached: what is new waits, and is tried again by itself.
        case offline
        /// Something that does not go away by itself.
        case error
    }

    package var phase = Phase.starting
    /// For `offline` and `error`: what is wrong, in a sentence.
    package var message: String?
    /// What to do about it.
    package var hints: [String]?
    package var process: Int32
    package var started: Date
    package var phaseSince: Date
    /// The last sync that ended well.
    package var lastSync: Date?
    /// When the next try is due, while offline.
    package var nextTry: Date?
    /// Documents that wait for their writer to rest: the first of them.
    package var waiting: [String] = []
    /// The file is written again and again; with tens of thousands of names it would be megabytes.
    static let namesAtMost = 200
    package var conflicts = 0
    /// Why changes are found by looking rather than heard of.
    package var limitation: WatchLimitation?
    /// Why it is about to look at everything: something happened that nobody told document by document.
    package var rescan: RescanReason?
    package var overflows = 0

    private static let name = "watch.json"

    init(process: Int32, now: Date) { (self.process, started, phaseSince) = (process, now, now) }

    func save(in folder: FilePathBytes) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys]
        try Folder.open(folder).replace(Self.name, with: Array(try encoder.encode(self)))
    }

    static func remove(from folder: FilePathBytes) { try? Folder.open(folder).remove(Array(name.utf8)) }

    /// The state of the watcher that runs for this library; nil if none does.
    package static func of(_ library: OpenLibrary) -> WatchState? {
        let folder = library.state.library(library.marker.library)
        // A watcher that was killed leaves its file, and no lock.
        guard WatchLock.isHeld(in: folder),
            let bytes = (try? Folder.open(folder).contents(of: name, upTo: 1 << 20)) ?? nil
        else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try? decoder.decode(WatchState.self, from: Data(bytes))
    }
}

/// One watcher a library; the lock ends with its process, however it ends.
final class WatchLock: Sendable {
    private static let name = Array("watching".utf8)
    private let file: File

    /// nil if another process holds it.
    init?(in folder: FilePathBytes) throws {
        file = try Folder.open(folder).openOrCreate(Self.name)
        // Whoever asks for the state holds it for a moment.
        guard file.lock(within: 0.2) else { return nil }
    }

    static func isHeld(in folder: FilePathBytes) -> Bool {
        guard let file = try? Folder.open(folder).openOrCreate(name) else { return false }
        // Shared: of two that ask at once neither takes the other for a watcher.
        return !file.tryLockShared()
    }
}
