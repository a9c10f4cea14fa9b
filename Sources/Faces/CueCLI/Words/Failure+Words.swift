import CueEngine
import CueLibrary

extension Failure {
    /// The words of a watcher's log, status and notices: `problem` and hints. They leave out the assurance that nothing
    /// was changed, which belongs to the answer of a command; here it would seem to be about the documents.
    var words: CueError {
        // An earlier cue has made it fit for a screen.
        if case .told(let message, let hints) = cause { return CueError(.failed, message).hinting(hints) }
        let words = CueError.describing(cause.error, vault: vault).printable
        guard case .library(.folderMissing) = cause else { return words }
        return words.hinting(["put the folder back, or stop this watcher and start one where the folder is now"])
    }
}

extension CueError {
    /// The same error with these hints alone.
    fileprivate func hinting(_ hints: [String]) -> CueError {
        var error = self
        error.hints = hints
        return error
    }
}
