import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import CueVault
import Foundation

/// Asks about conflicts on the terminal, one after the other. No key is a default, and no answer loses anything.
struct ConflictPrompt {
    private let conflicts: Conflicts
    private let vault: Vault
    private let viewer: ConflictViewer
    /// The answers so far.
    private(set) var answers: [ProjectID: SyncAnswer] = [:]
    /// Whether the person stopped before the last conflict.
    private(set) var isStopped = false

    /// `state`: where copies to look at are made.
    init(_ conflicts: Conflicts, _ vault: Vault, _ state: StateFolder) {
        (self.conflicts, self.vault) = (conflicts, vault)
        viewer = ConflictViewer(vault, state)
    }

    /// Whether input and error output are both a terminal.
    static var isPossible: Bool { Environment.isTerminal(0) && Environment.isTerminal(Terminal.error) }

    /// Asks about each conflict, and fills `answers`. Ends early if the person stops or gives one answer for all.
    mutating func run(_ asked: [Conflict]) {
        defer { viewer.clean() }
        for (number, conflict) in asked.enumerated() {
            let rest = asked[(number + 1)...]
            switch ask(conflict, number + 1, of: asked.count, rest: rest.count) {
            case .keep(let keep): answers[conflict.project] = SyncAnswer(to: conflict, keep)
            case .later: break
            case .all(let keep):
                for conflict in [conflict] + rest where conflict.allows(keep) {
                    answers[conflict.project] = SyncAnswer(to: conflict, keep)
                }
                return
            case .stop:
                isStopped = true
                return
            }
        }
    }

    // MARK: One

    private enum Answer {
        case keep(Keep), later, stop
        case all(Keep)
    }

    /// Asks about one conflict until there is an answer.
    private func ask(_ conflict: Conflict, _ number: Int, of count: Int, rest: Int) -> Answer {
        let details = conflicts.details(of: conflict)
        show(screen(details).heading(number, of: count) + screen(details).sides + screen(details).difference)
        show(screen(details).choices(rest: rest))
        while true {
            guard let typed = Terminal.ask(ConflictScreen.question) else {
                show(["", "Left for later: \(Display.text(conflict.path))"])
                return .stop
            }
            let answer = typed.trimmingPrefix { $0.isWhitespace }.prefix { !$0.isWhitespace }
            switch answer {
            case "s": return .later
            case "d": show(screen(details).allChanges)
            case "v" where conflict.sides.count { !$0.isDeletion } > 1: show(viewer.open(details))
            case "?": show(screen(details).help)
            case "a" where rest > 0:
                if let keep = askForAll(details, rest + 1) { return .all(keep) }
            case "": show(["Nothing is chosen yet: type one of the letters, then Enter."])
            default:
                guard let keep = keep(String(answer), details) else {
                    show(["\"\(Display.text(Array(answer.utf8)))\" is none of the letters; ? explains them."])
                    continue
                }
                if isConfirmed(keep, details) { return .keep(keep) }
            }
        }
    }

    /// The meaning of a letter or number for this conflict; nil if it has none.
    private func keep(_ answer: String, _ details: ConflictDetails) -> Keep? {
        let sides = details.conflict.sides
        if answer == "b" { return sides.count { !$0.isDeletion } > 1 ? .both : nil }
        guard let number = sides.indices.first(where: { ConflictScreen.key($0, of: details) == answer }) else {
            return nil
        }
        return .version(sides[number].version.id)
    }

    /// Asks again before a much shorter version is kept.
    private func isConfirmed(_ keep: Keep, _ details: ConflictDetails) -> Bool {
        guard case .version(let id) = keep,
            let number = details.conflict.sides.firstIndex(where: { $0.version.id == id }),
            let question = screen(details).warning(keeping: number)
        else { return true }
        return isYes(question)
    }

    private func isYes(_ question: String) -> Bool {
        while let typed = Terminal.ask(question) {
            if typed.lowercased().hasPrefix("y") { return true }
            if typed.lowercased().hasPrefix("n") { return false }
        }
        return false
    }

    /// One answer for all remaining conflicts; nil if the person changes their mind.
    private func askForAll(_ details: ConflictDetails, _ count: Int) -> Keep? {
        guard let typed = Terminal.ask("The same answer for all \(count): [t] this device's, [o] the other, [b] both: ")
        else {
            return nil
        }
        let keeps: [String: (Keep, String)] = [
            "t": (.this, "keep this device's version of"), "o": (.other, "keep the other version of"),
            "b": (.both, "keep both versions of"),
        ]
        guard let (keep, words) = keeps[typed.trimmingCharacters(in: .whitespaces)] else { return nil }
        return isYes("For \(Style.count(count, "document")): \(words) each. Is that right? [y] yes  [n] no: ")
            ? keep : nil
    }

    private func screen(_ details: ConflictDetails) -> ConflictScreen {
        // Measure each time: the window may change its size meanwhile.
        ConflictScreen(details, width: Terminal.columns(of: Terminal.error))
    }

    private func show(_ lines: [String]) { Output.complain(laidOut: lines.map { Output.harmless($0) + "\n" }.joined()) }
}
