import CueBase
import CueLibrary
import CueSodium
import CueStorage
import CueSystem

/// Lets one process at a time work on a library. The lock ends with the object or its process, however the process
/// ends.
package final class LibraryLock: Sendable {
    private let file: File

    /// Waits for the lock. Throws `LibraryError.busy` after so many seconds.
    init(in folder: FilePathBytes, _ cancellation: Cancellation, waiting seconds: Double = 60) throws {
        file = try Folder.open(folder).openOrCreate(Array("lock".utf8))
        let isMine = try file.lock(within: seconds) { try cancellation.throwIfRequested() }
        guard isMine else { throw LibraryError.busy }
    }
}
