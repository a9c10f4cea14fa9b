import CueBase
import CueLibrary
import CueSodium
import CueStorage
import CueSystem

/// One process at a time works on a library; the lock ends with the process, however it ends.
package final class LibraryLock: Sendable {
    private let file: File

    /// Waits for the lock; throws `LibraryError.busy` after so many seconds.
    init(in folder: FilePathBytes, _ cancellation: Cancellation, waiting seconds: Double = 60) throws {
        file = try Folder.open(folder).openOrCreate(Array("lock".utf8))
        let isMine = try file.lock(within: seconds) { try cancellation.throwIfRequested() }
        guard isMine else { throw LibraryError.busy }
    }
}
