import CueBase
import CueEngine

/// An error for people: one sentence, hints what to do next, and the exit code.
struct CueError: Error {
    let outcome: Outcome
    private(set) var message: String
    var hints: [String] = []

    /// `message` begins with a small letter and has no full stop.
    init(_ outcome: Outcome, _ message: String, _ hints: String...) {
        (self.outcome, self.message, self.hints) = (outcome, message, hints)
    }

    /// The same error with one more hint.
    func hinting(_ hint: String) -> CueError {
        var error = self
        error.hints.append(hint)
        return error
    }

    /// The same error with everything escaped that a terminal would obey: sentences repeat what was typed.
    var printable: CueError {
        var error = self
        error.message = Display.sentence(ArgumentBytes.bytes(message))
        error.hints = hints.map { Display.sentence(ArgumentBytes.bytes($0)) }
        return error
    }
}
