import CueBase
import CueEngine
import CueSystem
import CueTerminal

/// Messages about the several places at which a vault is kept.
enum PlaceWords {
    // MARK: After a backup or a sync

    /// The lines for places that have everything now; in one line where nothing else is to be said.
    static func lines(_ reports: [PlaceReport]) -> [String] {
        let came = reports.filter { $0.fetched > 0 }.map {
            "\(Style.count($0.fetched, "object")) that the vault lacked came from \($0.place)"
        }
        let whole = reports.filter { $0.outcome == .complete }
        guard !whole.isEmpty else { return came }
        let bytes = whole.reduce(0) { $0 + $1.brought.bytes }
        let sent = bytes == 0 ? "" : "  (\(Style.bytes(Int64(bytes))) sent)"
        return came + ["also at \(whole.map(\.place.description).joined(separator: ", "))\(sent)"]
    }

    /// The places that are behind, with the reason.
    static func warnings(_ reports: [PlaceReport]) -> [String] {
        reports.compactMap { report in
            switch report.outcome {
            case .complete: nil
            case .away(.engine(.vaultNotInFolder)):
                "the folder \(report.place) is there, but the copy of the vault is not in it. Is its disk plugged in? If the copy is gone, `cue vault remove` and then `cue vault add` make a new one"
            case .away(let cause):
                "\(problem(cause, report.place)); \(old(report))what is new is brought there when it can be reached again"
            case .failed(let cause):
                "\(problem(cause, report.place)); \(old(report))what is new is not at \(report.place)"
            }
        }
            + reports.filter { $0.unreadable > 0 }.map {
                "\(Style.count($0.unreadable, "object")) at \($0.place) \($0.unreadable == 1 ? "does" : "do") not open, and \($0.unreadable == 1 ? "was" : "were") left there: `cue check --vault \(ShellWord.quoted($0.place.description))` says more"
            }
    }

    /// When a place last had everything, if that is days ago: it may have been forgotten.
    private static func old(_ report: PlaceReport) -> String {
        let now = Environment.now
        guard let complete = report.complete, now.milliseconds - complete.milliseconds >= 2 * 86_400_000 else {
            return ""
        }
        return "it last had everything \(StatusLine.ago(complete, now)); "
    }

    static let oldKeys = "until then the copy there opens with the keys that it had"

    static func caughtUp(_ place: VaultLocation) -> String { "\(place) has everything again" }

    /// Why locks cannot be extended.
    static func lockWarnings(_ reports: [PlaceReport]) -> [String] {
        reports.compactMap { report in
            report.lockProblem.map { RemoteWords.notLocked(problem($0, report.place)) }
        }
    }

    private static func problem(_ cause: FailureCause, _ place: VaultLocation) -> String {
        CueError.describing(cause.error, vault: place.description).problem
    }

    // MARK: Which place is used

    /// The vault of the library is away, and another place stands in for it.
    static func instead(_ place: VaultLocation, _ error: CueError) -> String {
        "\(error.problem); cue goes on with the vault at \(place), which has everything, and catches up later"
    }

    /// The place takes nothing more, and another one does.
    static func insteadOfFull(_ full: VaultLocation, _ place: VaultLocation, _ error: CueError) -> String {
        "\(error.problem); what is new goes to the vault at \(place). When that is mended, the next `cue backup` brings it to \(full) too"
    }

    /// Something does not come back from one place.
    static func readingAlso(at place: VaultLocation, insteadOf other: VaultLocation) -> String {
        "something in the vault at \(other) is damaged or missing; what does not come back from there is read at \(place)"
    }

    /// The vault lacks something, and another place had everything.
    static func mends(_ place: VaultLocation, library: OpenLibrary) -> String {
        "\(place) has everything: `cue sync \(ShellWord.quoted("\(library.path)"))` brings back from there what is missing here; what is damaged has to be moved out of the vault first"
    }

    /// The vault is away, and so is this place, which has everything.
    static func alsoAway(_ place: VaultLocation) -> String {
        "\(place) has everything too, and cannot be reached either; what is new stays in the folder until one of them is back"
    }

    /// The vault lacks what another place got in its stead.
    static func isBehind(_ place: VaultLocation) -> String {
        "the vault at \(place) lacks what was stored at another place while it was away or full; `cue sync` brings it up to date"
    }

    static func notChecked(_ place: VaultLocation) -> String {
        "\(place) was not looked at: `cue check --vault \(ShellWord.quoted(place.description))` does"
    }

    /// A check looks at one place.
    static func checked(_ place: VaultLocation) -> String {
        "`cue check --vault \(ShellWord.quoted(place.description))` checks the one at \(place)"
    }

    /// The vault is away, and the last backup may have stored something there alone.
    static func mayLack(_ place: VaultLocation) -> String {
        "\(place) is not used instead: the last backup was cut off, and may have stored something that is not there; what is new is safe in the folder until the vault is back"
    }

    /// The vault is away, and this place has not everything.
    static func behind(_ place: VaultLocation) -> String {
        "the vault is at \(place) too, which lacks some of what this device has seen: `cue restore --to FOLDER --vault \(ShellWord.quoted(place.description))` reads what it has"
    }

    // MARK: Adding and removing

    static func added(_ report: PlaceReport, _ seconds: Double) -> [String] {
        let sent = report.brought
        return [
            sent.objects == 0
                ? "\(report.place) has everything already, and is used from now on  (\(Style.seconds(seconds)))"
                : "\(report.place) has everything now; \(Style.count(sent.objects, "object")), \(Style.bytes(Int64(sent.bytes))), \(sent.objects == 1 ? "was" : "were") sent  (\(Style.seconds(seconds)))",
            "`cue backup`, `cue sync` and `cue watch` keep it up to date from here on; `cue status` says when it last was.",
        ]
    }

    static func removed(_ place: VaultLocation) -> String {
        "\(place) is no place of this library any more; what is there stays, and can be restored from with --vault"
    }

    static func isFirst(_ place: VaultLocation, library: String) -> CueError {
        CueError(
            .usage, "\(place) is the vault of this library, and not a further place",
            "to go on with another of its places as the vault: `cue init \(ShellWord.quoted(library)) --vault WHERE`"
        ).unchanged
    }

    static func unknown(_ place: VaultLocation) -> CueError {
        CueError(.usage, "\(place) is no place of this library", "`cue vault list` shows them").unchanged
    }

    // MARK: Lists

    /// The lines of `cue vault list`: the library's vault first, which is among the states if it is behind.
    static func list(_ first: VaultLocation, _ states: [PlaceState], now: Timestamp) -> [String] {
        let own = states.first { $0.place == first }.map { "; \(state($0, now: now))" } ?? ""
        return ["\(first)  the library's vault\(own)"]
            + states.filter { $0.place != first }.map { "\($0.place)  \(state($0, now: now))" }
    }

    /// The state of a place, such as `has everything, as of 3 minutes ago`.
    /// `isBack`: it can be reached now.
    static func state(_ place: PlaceState, now: Timestamp, isBack: Bool = false) -> String {
        guard place.isUsed else {
            return
                "named in .cue/library.toml, and not used on this device: `cue vault add \(ShellWord.quoted(place.place.description))` begins to"
        }
        let last =
            place.complete.map { "last had everything \(StatusLine.ago($0, now))" }
            ?? "lacks something that this device has seen"
        guard place.needsSync else {
            return "has everything, as of \(place.complete.map { StatusLine.ago($0, now) } ?? "")"
        }
        guard let trouble = place.trouble, !(isBack && trouble.heals) else {
            return "is behind: \(last); the next `cue backup` brings what is new"
        }
        let tried = place.tried.map { "tried \(StatusLine.ago($0, now)): " } ?? ""
        return "is behind: \(last); \(tried)\(problem(trouble, place.place))"
    }
}
