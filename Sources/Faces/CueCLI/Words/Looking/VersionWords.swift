import ArgumentParser
import CueBase
import CueEngine
import CueTerminal

/// Sentences about versions that are named on the command line, and about what is none.
enum VersionWords {
    /// Refuses `--version latest~1` without the one document whose versions it counts.
    static func refuse(_ version: String?, names: [String]) throws {
        guard let version, SnapshotSelector.stepsBack(version.lowercased()) != nil, names.count != 1 else { return }
        throw ValidationError("--version \(version) counts the versions of one document: name that document.")
    }

    /// Whether this has the form of a version's id as it is shown: `7f3a91c2-14`.
    static func isVersion(_ text: String) -> Bool {
        let halves = text.split(separator: "-", omittingEmptySubsequences: false)
        return halves.count == 2 && (8...16).contains(halves[0].count) && halves[0].allSatisfy(\.isHexDigit)
            && !halves[1].isEmpty && halves[1].allSatisfy(\.isNumber)
    }

    /// No version has this id.
    static func unknown(_ text: String) -> CueError {
        let error = CueError(.failed, "there is no version \(text)")
        let log = "`cue log NAME` lists the versions of a document"
        guard isVersion(text) else {
            return error.hinting("a snapshot or a time goes with --at: --at \(ShellWord.quoted(text))").hinting(log)
        }
        return error.hinting(log)
    }

    /// A version stands where a state of all documents is asked for.
    static func atVersion(_ text: String) -> CueError {
        CueError(
            .usage, "\(text) is a version of one document, and here a snapshot or a time is asked for",
            "`cue cat NAME --version \(text)` prints it, `cue restore NAME --version \(text)` brings it back",
            "`cue log` lists the snapshots")
    }

    /// `latest~5` of a document that has fewer versions. Those in which only times or rights changed do not count.
    static func tooFew(_ name: String, _ count: Int) -> CueError {
        let oldest = count == 1 ? "latest is the only one" : "latest~\(count - 1) is the oldest"
        return CueError(
            .failed, "\(name) has \(Style.count(count, "version")): \(oldest)",
            "`cue log NAME` lists the versions of a document")
    }
}
