import CueBase
import CueEngine
import CueSearch
import CueTerminal

/// The messages of `cue find`.
enum SearchWords {
    static let nothing =
        "No version of any document has these words side by side, in the text that cue reads. Of Scrivener projects it reads the scenes, not the synopses and notes."
    static let rebuilt = "All versions were read again."
    static let more = "There is more: give more of the words."
    static let offline = "the vault cannot be reached; this is what the last search or backup had read"
    static let full = "the index is as large as it may be: text that came later is not found"
    static let hint = "`cue cat NAME --version ID` prints a version, `cue restore NAME --version ID` brings it back."

    /// Warns that this many versions could not be read, and are not in the index yet.
    static func unread(_ count: Int) -> String {
        "\(Style.count(count, "version")) could not be read, as content is damaged or has not arrived; the next search tries again"
    }

    /// When the words came and went.
    static func times(_ passage: SearchIndex.Passage) -> String {
        let came = "came \(when(passage.came))"
        guard let cut = passage.cut else { return "\(came), and there now" }
        return "\(came), cut \(when(cut)); last in \(passage.last.id.short)"
    }

    /// The error of an index that cannot be used.
    static func error(_ error: SearchError) -> CueError {
        if error == .noSpace {
            return CueError(
                .failed,
                "no space is left where cue's memory is, and the index of the search was removed from there again",
                "make room and search again; your documents and the vault are as they were")
        }
        let what =
            if case .unusable(let code, let text) = error { text ?? "error \(code) of SQLite" } else { "it is full" }
        return CueError(
            .failed, "the index of the search cannot be used: \(what)",
            "`cue find --rebuild` makes a new one; your documents and the vault are as they were")
    }

    private static func when(_ version: SearchIndex.Version) -> String { "\(version.time.shown) (\(version.device))" }
}
