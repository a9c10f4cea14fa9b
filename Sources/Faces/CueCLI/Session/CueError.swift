import CueBase
import CueEngine

/// An error for people: one sentence, hints what to do next, and the exit code.
struct CueError: Error {
    let outcome: Outcome
    /// The problem, without the assurance that nothing was changed.
    private(set) var problem: String
    private var isUnchanged = false
    var hints: [String] = []
    /// Whether the result of the command was printed before.
    var isAfterResult = false
    /// The error of a layer below that it describes; nil for one of the face itself.
    private(set) var cause: (any Error)?

    /// `message` begins with a small letter and has no full stop.
    init(_ outcome: Outcome, _ message: String, _ hints: String...) {
        (self.outcome, problem, self.hints) = (outcome, message, hints)
    }

    /// The whole sentence.
    var message: String { problem + (isUnchanged ? "; nothing was changed" : "") }

    /// The same error, with the assurance that nothing was changed: a part of the answer of a command.
    var unchanged: CueError {
        var error = self
        error.isUnchanged = true
        return error
    }

    /// Whether a later try may work by itself.
    var heals: Bool { cause.map { FailureCause($0).heals } ?? false }

    /// Whether the place of the vault takes nothing more, and can perhaps still be read.
    var isOfFullVault: Bool { cause.map { FailureCause($0).takesNothingMore } ?? false }

    /// The same error, with the one that it describes unless it has one.
    func caused(by cause: any Error) -> CueError {
        var error = self
        error.cause = self.cause ?? cause
        return error
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
        error.problem = Display.sentence(ArgumentBytes.bytes(problem))
        error.hints = hints.map { Display.sentence(ArgumentBytes.bytes($0)) }
        return error
    }
}
