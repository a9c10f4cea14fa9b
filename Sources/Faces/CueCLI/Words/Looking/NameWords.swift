import ArgumentParser
import CueBase
import CueEngine
import CueSystem
import CueTerminal

/// Messages and questions about a name that no document has exactly as it was typed.
enum NameWords {
    /// `cue log --all` without a document.
    static let allOfNoDocument = "--all is about the versions of a document: name the document, or leave it out"

    /// The document that was taken.
    static func taken(_ match: NameSearch.Match) -> String {
        match.former.map { "\($0.path) is called \(renamed(match, $0))" } ?? match.path
    }

    /// Asks whether it is the one that was meant.
    static func question(_ match: NameSearch.Match) -> String {
        match.former.map { "\($0.path) is called \(renamed(match, $0)). Take it? [Y/n] " }
            ?? "Do you mean \(match.path)? [Y/n] "
    }

    /// The error where one document fits a name and there is no terminal to ask on whether it is meant. `command`: the
    /// same command with its path; nil if that cannot be told. `synced`: as for `noConflict`.
    static func fits(
        _ match: NameSearch.Match, _ name: String, _ command: String?, synced: String?
    ) -> CueError {
        let isFormer = match.former == nil ? "" : "; \(taken(match))"
        let error = CueError(
            .failed, "nothing is called \(Display.text(ArgumentBytes.bytes(name)))\(isFormer)\(before(synced))",
            "did you mean \(match.path)? Then type: \(command ?? "its name in full, \(ShellWord.quoted(match.path))")")
        return synced == nil ? error.unchanged : error
    }

    private static func before(_ synced: String?) -> String {
        synced.map { "; the sync that came before did its work: \($0)" } ?? ""
    }

    /// The present name, and since when it is called so.
    private static func renamed(_ match: NameSearch.Match, _ former: NameSearch.FormerName) -> String {
        "\(match.path) since \(former.until.shown) (\(former.device))"
    }

    /// The documents with a number each. `count`: how many there are.
    static func list(_ matches: [NameSearch.Match], of count: Int, _ name: String) -> [String] {
        var lines = ["\(Display.text(ArgumentBytes.bytes(name))) may be any of \(Style.number(count)) documents:"]
        for (number, match) in matches.enumerated() {
            let before = match.former.map { ", once \($0.path)" } ?? ""
            lines.append("  \(number + 1)  \(match.path)\(before)")
        }
        let more = count - matches.count
        if more > 0 { lines.append("  and \(Style.number(more)) more: give more of the name") }
        return lines
    }

    /// Asks for one of these numbers.
    static func numberQuestion(_ count: Int) -> String { "Which one? [1-\(count), Enter or q: none] " }

    /// A document is in no conflict. `synced`: what the sync did that came before the look; nil for nothing.
    static func noConflict(_ name: String, synced: String?) -> CueError {
        let error = CueError(
            .failed,
            "\(name) is in no conflict\(before(synced))",
            "`cue conflicts` lists those that are")
        return synced == nil ? error.unchanged : error
    }

    /// A vault holds no snapshot yet. `isLibrary`: whether there is a folder to store.
    static func nothingStored(isLibrary: Bool) -> String {
        isLibrary ? "Nothing is stored yet: `cue backup`." : "Nothing is stored in this vault yet."
    }

    /// The person stopped a question with Ctrl-C; nil if not.
    static var stopped: CueError? {
        Interruption.isRequested ? CueError(.interrupted, KeyWords.notTried) : nil
    }

    /// A script's variable was not set, for example; throws if there is such a name.
    static func refuse(empty names: [String]) throws {
        if names.contains("") {
            throw ValidationError("A name is empty: name a document or a folder; `.` is the folder where you stand.")
        }
    }

    /// Nothing that this device remembers has the name. `near`: names that may be meant.
    static func notHere(_ name: String, _ near: [String]) -> CueError {
        var error = CueError(.failed, "nothing in this library is called \(Display.text(ArgumentBytes.bytes(name)))")
        error.hints = near.isEmpty ? [] : ["did you mean \(near.joined(separator: ", or "))?"]
        return error.hinting("what is new has to be in the vault first: `cue backup` or `cue sync`")
    }

    /// No document was taken for the name.
    static func noneTaken(_ name: String) -> String {
        "no document was taken for \(Display.text(ArgumentBytes.bytes(name))); nothing was changed"
    }

    /// `cue log -v` with a document.
    static func oneDocument(_ name: String) -> String {
        "\(name) is one document, and -v lists the documents of a snapshot; `cue diff` tells what a version changed"
    }
}
