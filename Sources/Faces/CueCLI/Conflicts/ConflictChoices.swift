import CueBase
import CueEngine
import CueTerminal
import CueVault

/// The answers that a conflict can have, in the forms in which they are shown.
struct ConflictChoices {
    /// One answer.
    private struct Choice {
        /// What is typed.
        let key: String
        /// In the menu, after the key.
        let menu: String
        /// In the line that comes after another answer.
        let short: String
        /// What it does, and what becomes of the other versions.
        let help: String
        /// Whether it stands in a row with others.
        var isSmall = false
    }

    private let all: [Choice]
    private let name: String

    /// The prompt for an answer.
    static let question = "Your choice (nothing is lost by it): "

    /// `rest`: how many conflicts come after this one. `opens`: whether there is a desktop that opens copies.
    init(_ details: ConflictDetails, rest: Int, opens: Bool) {
        name = Display.text(details.conflict.path)
        let (sides, live) = (details.sides, details.sides.filter { !$0.side.isDeletion })
        let pair = sides.count == 2 && sides[0].side.isHere
        var choices = pair ? Self.pair(sides[0], sides[1]) : [Self.numbers(sides)]
        if live.count > 1 { choices.append(Self.both(live, sides.count)) }
        let isDeleted = live.count < sides.count
        if details.conflict.kind == .bundle || live.contains(where: { $0.text != nil }) {
            choices.append(
                Choice(
                    key: "d", menu: isDeleted ? "see what was written" : "see all changes", short: "changes",
                    help: isDeleted
                        ? "Show what was written since the last version that all had. You are asked again."
                        : "Show all that differs. You are asked again.", isSmall: true))
        }
        if !live.isEmpty { choices.append(Self.copies(live.count, opens)) }
        choices.append(
            Choice(
                key: "s", menu: "decide later", short: "later",
                help: "Decide later. The document stays as it is on this device until you choose, and everything else "
                    + "is synced.", isSmall: true))
        choices.append(Choice(key: "?", menu: "help", short: "help", help: "Show this.", isSmall: true))
        if rest > 0 {
            choices.append(
                Choice(
                    key: "a", menu: "the same for all the rest", short: "all",
                    help:
                        "Give one answer for this conflict and \(rest == 1 ? "the one" : "the \(Style.number(rest))") after "
                        + "it. You are asked which, and whether that is right.", isSmall: true))
        }
        all = choices
    }

    /// Whether the key is offered.
    func has(_ key: String) -> Bool { all.contains { $0.key == key } }

    // MARK: Making them

    /// This device's and the other version; one of them may be a deletion.
    private static func pair(_ this: ConflictDetails.Side, _ other: ConflictDetails.Side) -> [Choice] {
        func deleting(_ key: String, _ short: String, _ who: String) -> Choice {
            Choice(
                key: key, menu: "delete it, as \(who) did", short: short,
                help: "Delete it on all devices, as \(who) did. Every version stays in the vault, and `cue restore` "
                    + "brings it back.")
        }
        let first =
            this.side.isDeletion
            ? deleting("t", "delete", "this device")
            : Choice(
                key: "t", menu: "keep this device's", short: "this",
                help: other.side.isDeletion
                    ? "Keep this device's version: the document is not deleted, and comes back on \(other.device)."
                    : "Keep this device's version, on all devices. The other one stays in the vault, as an earlier version."
            )
        let second =
            other.side.isDeletion
            ? deleting("o", "delete", other.device)
            : Choice(
                key: "o", menu: "keep the other", short: "other",
                help: this.side.isDeletion
                    ? "Keep the version of \(other.device): the document is not deleted, and comes back here."
                    : "Keep the version of \(other.device), on all devices: it takes the place of this device's, which stays in the vault, as an earlier version."
            )
        return [first, second]
    }

    private static func numbers(_ sides: [ConflictDetails.Side]) -> Choice {
        Choice(
            key: "1 to \(sides.count)", menu: "keep that one", short: "that one",
            help: "Keep the version of that number, on all devices. The others stay in the vault, as earlier versions.")
    }

    private static func both(_ live: [ConflictDetails.Side], _ count: Int) -> Choice {
        let isPair = live.count == 2
        let others = isPair ? "the other is" : "the \(live.count - 1) others are"
        let device = isPair ? "named for \(live[1].device)" : "named for their devices"
        let word = isPair ? "both" : "all"
        return Choice(
            key: "b", menu: "keep \(word): \(others) added beside it, \(device)", short: word,
            help: "Keep \(word), as documents of their own: \(live[0].side.isHere ? "this device's" : "the first") "
                + "keeps the name, and \(others) added beside it, \(device).")
    }

    private static func copies(_ count: Int, _ opens: Bool) -> Choice {
        let what = count == 1 ? "a copy" : count == 2 ? "copies of both" : "copies of all"
        return Choice(
            key: "v", menu: "\(opens ? "open" : "make") \(what)", short: "copies",
            help: "Write \(what) to a folder outside the library\(opens ? ", open them," : ""), and print where they "
                + "are. What you write in a copy is not kept, and the copies go when the questions are over.",
            isSmall: true)
    }

    // MARK: Showing them

    /// The lines under the question. No line is wider than `width`, but for one word.
    func menu(width: Int, _ detail: ConflictScreen.Detail) -> [Line] {
        guard detail != .least else {
            // A letter and its word stay together.
            let items = all.map { "\u{a0}[\($0.key)] \($0.short)".replacing(" ", with: "\u{a0}") }
            let lines = ConflictLines.wrapped(items.joined(separator: " "), width: width - 1)
            return [""] + lines.map { $0.map { $0.replacing("\u{a0}", with: " ") } }
        }
        var lines: [Line] = [""]
        var row = ""
        for choice in all {
            let label = "  [\(choice.key.replacing(" to ", with: "] to ["))] "
            guard choice.isSmall else {
                lines += ConflictLines.labelled(label, choice.menu, indent: 6, width)
                continue
            }
            let item = label + choice.menu
            if !row.isEmpty, row.count + 2 + item.count > width - 1 {
                lines.append(Line(row))
                row = ""
            }
            row += (row.isEmpty ? "" : "  ") + item
        }
        return lines + [Line(row)]
    }

    /// The document and its letters in a line, for after another answer.
    func reminder(width: Int) -> [Line] {
        let letters = all.map { "\($0.key)\u{a0}\($0.short)" }.joined(separator: ", ")
        let room = width - 1 - letters.count - 2
        let name = ConflictLines.shortened(name, to: max(12, room < 12 ? width - 3 : room))
        // A name is not broken at its spaces.
        let line = name.replacing(" ", with: "\u{a0}") + ": " + letters
        return ConflictLines.wrapped(line, width: width - 1).map { $0.map { $0.replacing("\u{a0}", with: " ") } }
    }

    /// What each letter does.
    func help(width: Int) -> [Line] {
        let indent = (all.map(\.key.count).max() ?? 1) + 4
        let letters = all.flatMap { ConflictLines.labelled("  \($0.key)", $0.help, indent: indent, width) }
        return [""] + letters + [""]
            + ConflictLines.wrapped(
                "Type a letter and press Enter. Whatever you choose, no version is lost, and the choice can be "
                    + "taken back later, on any device:", width: width - 1)
            + ["  cue resolve --undo \(ShellWord.quoted(name))"]
            + ConflictLines.wrapped(
                "q, Ctrl-C or Ctrl-D ends the questions: what you have answered counts, the rest stays as it is.",
                width: width - 1)
    }
}
