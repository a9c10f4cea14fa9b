import CueBase
import CueEngine
import CueSystem

extension EventFileError {
    /// The error of the command that names the file.
    var words: CueError {
        let name = path?.description ?? "the standard input"
        switch what {
        case .notJSON(let error, let line):
            let place = line.map { "line \($0) of \(name)" } ?? name
            return CueError(
                .failed, "\(place) is no JSON: \(error.flaw.words), at byte \(error.offset)",
                "events are a JSON array, or one JSON object a line")
        case .missing:
            return CueError(
                .failed, "there is no file \(name)", "name a file of events, or - for the standard input")
        case .isArray:
            return CueError(
                .failed, "\(name) is a JSON array, to which nothing can be added; nothing was changed",
                "use a file with one JSON object a line")
        case .isInput:
            return CueError(
                .usage, "nothing can be written to the standard input", "name a file with --events FILE")
        }
    }
}
