import CueBase
import CueEngine
import CueLibrary
import CueSystem

/// Sentences about a folder outside of the library to which a command writes.
enum TargetWords {
    /// Its disk takes no more, or it may not be written; nil for any other error.
    static func stopped(_ error: SystemError, _ target: FilePathBytes) -> CueError? {
        let place = ArgumentBytes.text(target.bytes)
        let other = "or name another folder with --to"
        if error.isNoSpace {
            return CueError(
                .failed, "no space is left at \(place); what is complete there stays, and nothing half was kept",
                "make room there, then run the command again: it goes on with what is missing; \(other)")
        }
        if error.isReadOnly {
            return CueError(
                .failed, "the disk at \(place) is read-only; nothing can be written there",
                "mount it so that it can be written, then run the command again; \(other)")
        }
        guard error.isNoPermission else { return nil }
        return CueError(.failed, "you may not write at \(place); what is complete there stays", rights)
    }

    /// The hint where documents could not be written as the user may not; nil where all could.
    static func hint(_ failed: [SkippedPath], _ target: FilePathBytes) -> String? {
        let isClosed = failed.contains { skipped in
            switch skipped.reason {
            case .folderNotMade(let error), .bundleNotMade(let error), .folderNotOpened(let error),
                .notWritten(let error), .notPlaced(let error):
                error.isNoPermission
            default: false
            }
        }
        return isClosed ? "you may not write everywhere at \(ArgumentBytes.text(target.bytes)): \(rights)" : nil
    }

    private static let rights = "look who owns that folder, and at its modes (`ls -ld`); or name another one with --to"
}
