import ArgumentParser
import CueBase
import CueEngine
import CueVault

/// The answer to a conflict on the command line.
enum KeepArgument: ExpressibleByArgument {
    case this, other, both
    case version(String)
    /// A place in the list of `cue conflicts`, from 1 on.
    case number(Int)

    /// Those that an error and the help name.
    static let allValueStrings = ["this", "other", "both"]

    /// nil unless it is `this`, `other`, `both`, the letter of one of these, a number, or looks like a version, which has
    /// a hyphen.
    init?(argument: String) {
        switch argument {
        case "this", "t": self = .this
        case "other", "o": self = .other
        case "both", "b": self = .both
        default:
            if let number = Int(argument), argument.allSatisfy(\.isNumber) {
                self = .number(number)
            } else if argument.contains("-") {
                self = .version(argument)
            } else {
                return nil
            }
        }
    }

    /// The answer for all conflicts. Throws `CueError` for a version or a number, which belong to one.
    func keepForAll() throws -> Keep {
        switch self {
        case .this: .this
        case .other: .other
        case .both: .both
        case .version, .number:
            throw CueError(.usage, "a version is an answer to one conflict", "`cue resolve NAME --keep VERSION`")
        }
    }

    /// The answer for one conflict. Throws `CueError` with the versions that there are, if it picks none of them, or if a
    /// number stood for another one in the list that was `shown`. nil: it is on the screen.
    func keep(in details: ConflictDetails, shown: ShownConflicts? = nil) throws -> Keep {
        let conflict = details.conflict
        switch self {
        case .this where conflict.this == nil: throw KeepWords.notHere(details)
        case .other where conflict.others.count != 1: throw KeepWords.manyOthers(details)
        case .this, .other, .both: return try keepForAll()
        case .number(let number):
            guard conflict.sides.indices.contains(number - 1) else {
                throw KeepWords.noSide("\(number)", of: details)
            }
            guard shown?.isShown(number, of: conflict) ?? true else { throw KeepWords.other(number, details) }
            return .version(conflict.sides[number - 1].version.id)
        case .version(let text):
            let found = conflict.heads.filter { $0.description == text.lowercased() || $0.short == text.lowercased() }
            guard found.count == 1, let id = found.first else { throw KeepWords.noSide(text, of: details) }
            return .version(id)
        }
    }
}
