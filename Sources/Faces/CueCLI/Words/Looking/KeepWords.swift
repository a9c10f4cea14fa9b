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

    /// `this`, where the folder has none of the versions.
    static func notHere(_ details: ConflictDetails) -> CueError {
        refused("none of the versions of \(name(details)) that are in conflict is in this folder now", details)
    }

    /// `other`, where there are several.
    static func manyOthers(_ details: ConflictDetails) -> CueError {
        refused("\(name(details)) has \(details.conflict.others.count) other versions", details)
    }

    private static func name(_ details: ConflictDetails) -> String { Display.text(details.conflict.path) }

    /// The problem, and all versions by number, as `cue conflicts` lists them.
    private static func refused(_ problem: String, _ details: ConflictDetails) -> CueError {
        details.sides.enumerated().reduce(CueError(.usage, "\(problem); none was chosen")) { error, side in
            let (number, side) = (side.offset + 1, side.element)
            let what = side.side.isDeletion ? "deleted" : "saved"
            let here = side.side.isHere ? "this device, " : ""
            return error.hinting(
                "--keep \(number): \(here)\(side.device), \(what) \(side.saved.shown), \(side.side.version.id.short)")
        }
    }
}
