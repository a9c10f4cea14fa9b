import CueBase
import CueEngine
import CueTerminal
import CueVault

/// Refusals of an answer to a conflict that picks none of its versions, or more than one.
enum KeepWords {
    /// A version or a number that the conflict does not have.
    static func noSide(_ typed: String, of details: ConflictDetails) -> CueError {
        let count = Style.number(details.sides.count)
        return refused("\(name(details)) is in conflict with \(count) versions, and \(typed) is none of them", details)
    }

    /// A number under which another version was shown than stands there now.
    static func other(_ number: Int, _ details: ConflictDetails) -> CueError {
        refused(
            "another version of \(name(details)) has come since its versions were listed, and \(number) may be another now",
            details)
    }

    /// `this`, where the folder has none of the versions.
    static func notHere(_ details: ConflictDetails) -> CueError {
        refused("none of the versions of \(name(details)) that are in conflict is in this folder now", details)
    }

    /// `other`, where there are several.
    static func manyOthers(_ details: ConflictDetails) -> CueError {
        refused("\(name(details)) has \(Style.number(details.conflict.others.count)) other versions", details)
    }

    /// The error of `resolve` without `--keep` where there is no terminal.
    static func unasked(_ details: ConflictDetails) -> CueError {
        let both = details.conflict.allows(.both) && details.sides.count { !$0.side.isDeletion } > 1
        let error = listed(
            CueError(.conflict, "\(name(details)) is in conflict, and there is no terminal to ask on"), details)
        return both ? error.hinting("--keep both: each of them, as a document of its own") : error
    }

    private static func name(_ details: ConflictDetails) -> String { Display.text(details.conflict.path) }

    /// The problem, and all versions by number, as `cue conflicts` lists them.
    private static func refused(_ problem: String, _ details: ConflictDetails) -> CueError {
        listed(CueError(.usage, "\(problem); none was chosen"), details)
    }

    private static func listed(_ error: CueError, _ details: ConflictDetails) -> CueError {
        details.sides.enumerated().reduce(error) { error, side in
            let (number, side) = (side.offset + 1, side.element)
            let what = side.side.isDeletion ? "deleted" : "saved"
            let here = side.side.isHere ? "this device, " : ""
            return error.hinting(
                "--keep \(number): \(here)\(side.device), \(what) \(side.saved.shown), \(side.side.version.id.short)")
        }
    }
}
