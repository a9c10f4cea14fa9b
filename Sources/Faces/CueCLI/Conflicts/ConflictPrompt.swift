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

    /// Asks about each conflict, and fills `answers`. Ends early if the person stops or gives one answer for all. Says
    /// at the end what counts, and what is left.
    mutating func run(_ asked: [Conflict]) {
        defer {
            viewer.clean()
            show(ending(asked))
        }
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

    /// What was answered, and what waits.
    private func ending(_ asked: [Conflict]) -> [Line] {
        let left = asked.filter { answers[$0.project] == nil }.map { Display.text($0.path) }
        guard let first = left.first else { return asked.count > 1 ? ["", "All \(asked.count) are answered."] : [] }
        let others = left.count > 1 ? " and \(Style.number(left.count - 1)) more" : ""
        let kept =
            answers.isEmpty
            ? ""
            : "\(answers.count) of \(asked.count) answered; \(answers.count == 1 ? "that counts" : "those count"). "
        let text =
            "\(kept)Left for later: \(first)\(others). Here \(left.count == 1 ? "it stays" : "they stay") as \(left.count == 1 ? "it is" : "they are") until you choose; no version is lost."
        return [""] + ConflictLines.wrapped(text, width: min(100, ConflictWindow.now.columns) - 1)
    }

    // MARK: One

    private enum Answer {
        case keep(Keep), later, stop
        case all(Keep)
    }

    /// Asks about one conflict until there is an answer.
    private func ask(_ conflict: Conflict, _ number: Int, of count: Int, rest: Int) -> Answer {
        let details = conflicts.details(of: conflict)
        let choices = ConflictChoices(details, rest: rest, opens: viewer.opens)
        show(ConflictWindow.now.question(screen(details), choices, number, of: count))
        while true {
            guard let typed = Terminal.ask(ConflictChoices.question) else {
                // The cursor still stands behind the question.
                show([""])
                return .stop
            }
            let answer = typed.lowercased().trimmingPrefix { $0.isWhitespace }.prefix { !$0.isWhitespace }
            switch answer {
            case "s": return .later
            case "q": return .stop
            case "d" where choices.has("d"): page(screen(details).allChanges)
            case "v" where choices.has("v"): show(viewer.open(details))
            case "?": page(choices.help(width: screen(details).width))
            case "a" where choices.has("a"):
                if let keep = askForAll(details, rest + 1) { return .all(keep) }
                show(["No answer was given for all."])
            case "": show(["Nothing is chosen yet."])
            default:
                if let keep = keep(String(answer), details) {
                    if isConfirmed(keep, details) { return .keep(keep) }
                    show(["Nothing is chosen yet."])
                } else {
                    show(["\"\(Display.text(Array(answer.utf8)))\" is none of the letters."])
                }
            }
            guard !Interruption.isRequested else {
                show([""])
                return .stop
            }
            show(choices.reminder(width: screen(details).width))
        }
    }

    /// Shows lines, a window full at a time.
    private func page(_ lines: [Line]) {
        var rest = lines[...]
        while true {
            let window = ConflictWindow.now
            // Below there are the reminder and a question, or a question alone.
            let isLast = window.height(rest) <= window.rows - 4
            var shown = rest.prefix(1)
            while shown.count < rest.count, isLast || window.height(rest.prefix(shown.count + 1)) < window.rows {
                shown = rest.prefix(shown.count + 1)
            }
            show(Array(shown))
            rest = rest.dropFirst(shown.count)
            guard !rest.isEmpty else { return }
            let count = Style.count(rest.count, "more line")
            guard let typed = Terminal.ask("\(count): Enter shows them, q ends "), !typed.lowercased().hasPrefix("q")
            else { return }
        }
    }

    /// The meaning of a letter or number for this conflict; nil if it has none.
    private func keep(_ answer: String, _ details: ConflictDetails) -> Keep? {
        let sides = details.conflict.sides
        if answer == "b" { return sides.count { !$0.isDeletion } > 1 ? .both : nil }
        if let number = sides.indices.first(where: { ConflictScreen.key($0, of: details) == answer }) {
            return .version(sides[number].version.id)
        }
        // The words, numbers and ids that `--keep` takes. One letter is offered, or is none.
        guard answer.count > 1 || Int(answer) != nil, let keep = try? KeepArgument(argument: answer)?.keep(in: details)
        else { return nil }
        switch keep {
        case .both: return sides.count { !$0.isDeletion } > 1 ? .both : nil
        case .this: return details.conflict.this.map { .version($0.version.id) }
        case .other: return details.conflict.others.first.map { .version($0.version.id) }
        case .version: return keep
        }
    }

    /// Asks again before a much shorter version is kept.
    private func isConfirmed(_ keep: Keep, _ details: ConflictDetails) -> Bool {
        guard case .version(let id) = keep,
            let number = details.conflict.sides.firstIndex(where: { $0.version.id == id }),
            let question = screen(details).warning(keeping: number)
        else { return true }
        return isYes(question)
    }

    /// Asks a question that is answered with yes or no.
    private func isYes(_ question: String) -> Bool {
        show(ConflictLines.wrapped(question, width: min(100, ConflictWindow.now.columns) - 1))
        while let typed = Terminal.ask("[y] yes  [n] no: ") {
            if typed.lowercased().hasPrefix("y") { return true }
            if typed.lowercased().hasPrefix("n") || typed.lowercased() == "q" { return false }
        }
        return false
    }

    /// One answer for all remaining conflicts; nil if the person changes their mind.
    private func askForAll(_ details: ConflictDetails, _ count: Int) -> Keep? {
        let keeps: [String: (Keep, String)] = [
            "t": (.this, "keep this device's version of"), "o": (.other, "keep the other version of"),
            "b": (.both, "keep both versions of"),
        ]
        show(
            ConflictLines.wrapped(
                "One answer for all \(count): t this device's, o the other, b both; Enter alone for none.",
                width: screen(details).width - 1))
        while let typed = Terminal.ask("For all \(count): ") {
            let answer = typed.lowercased().trimmingCharacters(in: .whitespaces)
            guard !answer.isEmpty, answer != "q" else { return nil }
            guard let (keep, words) = keeps[answer] else {
                show(["\"\(Display.text(Array(answer.utf8)))\" is none of t, o and b."])
                continue
            }
            return isYes("For \(Style.count(count, "document")): \(words) each. Is that right?")
                ? keep : nil
        }
        return nil
    }

    private func screen(_ details: ConflictDetails) -> ConflictScreen {
        ConflictScreen(details, width: ConflictWindow.now.columns)
    }

    private func show(_ lines: [Line]) {
        let isColoured = Colours.areShown(on: Terminal.error)
        Output.complain(
            laidOut: lines.map { $0.map(Output.harmless).drawn(inColour: isColoured) + "\n" }.joined())
    }
}
