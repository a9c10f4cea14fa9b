import CueBase
import CueEngine
import CueSystem
import CueTerminal
import CueText
import CueVault

/// The text of a conflict for the person who decides: plain sentences in lines of at most `width` characters. No
/// meaning depends on colours or columns, so a screen reader can read it as it is.
struct ConflictScreen {
    let details: ConflictDetails
    /// Between 40 and 100.
    let width: Int
    /// The time from which ages are counted.
    let now: Timestamp

    private var conflict: Conflict { details.conflict }
    private var name: String { Display.text(conflict.path) }

    /// `width` is brought into its bounds.
    init(_ details: ConflictDetails, width: Int = 80, now: Timestamp = Environment.now) {
        (self.details, self.width, self.now) = (details, max(40, min(width, 100)), now)
    }

    // MARK: The question

    /// The number of the conflict, its document, and what happened.
    func heading(_ number: Int, of count: Int) -> [String] {
        var lines = ["", "Conflict \(number) of \(count): \(name)", String(repeating: "-", count: min(width, 78))]
        lines += wrapped(introduction)
        return lines
    }

    private var introduction: String {
        if let deleted = details.sides.first(where: { $0.side.isDeletion }),
            let edited = details.sides.first(where: { !$0.side.isDeletion }), details.sides.count == 2
        {
            let who = deleted.side.isHere ? "This device" : deleted.device
            let other = edited.side.isHere ? "you changed it here" : "\(edited.device) changed it"
            return "\(who) deleted this document, and \(other). Nothing is deleted until you say so."
        }
        let isPair = details.sides.count == 2
        let what =
            isPair
            ? "Two devices changed this document."
            : "\(details.sides.count) versions of this document exist side by side."
        guard details.sides.allSatisfy(\.isThere) else {
            return "\(what) Not all of the text is in the vault now: see below, and answer later if you can."
        }
        return "\(what) \(isPair ? "Both versions" : "All") are safe in the vault, whatever you choose."
    }

    /// The sides with their letters, times, sizes and words, and the common origin.
    var sides: [String] {
        var lines: [String] = []
        for (number, side) in details.sides.enumerated() {
            lines.append("")
            lines.append("  " + title(of: side, number))
            let verb = side.side.isDeletion ? "deleted" : "saved"
            lines.append("    \(verb)  \(time(side.saved))\(note(side.clock))")
            guard !side.side.isDeletion else { continue }
            let files = conflict.kind == .bundle ? ", \(Style.count(side.files, "file"))" : ""
            lines.append("    size   \(Style.bytes(side.size))\(files)")
            if !side.isThere {
                lines.append(
                    "    text   not in the vault now: it has not arrived"
                        + (side.side.isHere ? "; this folder has it" : ", or it is lost"))
            }
            if let words = side.words { lines.append("    words  \(Style.number(words))\(since(words))") }
            if side.side.version.header.path != conflict.path {
                lines.append("    name   \(Display.text(side.side.version.header.path))")
            }
        }
        if let saved = details.originSaved {
            let words = details.originWords.map { ", \(Style.count($0, "word"))" } ?? ""
            lines += [
                "", "  \(details.sides.count == 2 ? "Both" : "All") came from the version of \(time(saved))\(words).",
            ]
        }
        return lines
    }

    /// The answer that keeps a side: a letter for two, a number for more.
    static func key(_ number: Int, of details: ConflictDetails) -> String {
        guard details.sides.count == 2, details.sides[0].side.isHere else { return "\(number + 1)" }
        return number == 0 ? "t" : "o"
    }

    private func title(of side: ConflictDetails.Side, _ number: Int) -> String {
        let who =
            side.side.isHere
            ? "THIS DEVICE (\(side.device))"
            : details.sides.count == 2 && details.sides[0].side.isHere
                ? "THE OTHER (\(side.device))" : side.device.uppercased()
        return "[\(Self.key(number, of: details))] \(who)  \(side.side.version.id.short)"
    }

    /// The time and how long ago it was.
    private func time(_ time: Timestamp) -> String {
        let seconds = (now.milliseconds - time.milliseconds) / 1000
        let ago =
            switch seconds {
            case ..<0: ""
            case ..<60: "  (just now)"
            case ..<3600: "  (\(seconds / 60) min ago)"
            case ..<86_400: "  (\(seconds / 3600) h ago)"
            default: "  (\(Style.count(Int(seconds / 86_400), "day")) ago)"
            }
        return time.shown + ago
    }

    private func note(_ clock: ClockNote?) -> String {
        switch clock {
        case .ahead?: "  (that device's clock was ahead)"
        case .behind?: "  (that device's clock was behind)"
        case nil: ""
        }
    }

    /// The change of words since the common origin; empty if that is unknown.
    private func since(_ words: Int) -> String {
        guard let before = details.originWords else { return "" }
        return words == before
            ? "  (as many as before)"
            : "  (\(signed(words - before)) since \(details.sides.count == 2 ? "both" : "all") were the same)"
    }

    /// With a plus before a positive number.
    private func signed(_ number: Int) -> String { (number > 0 ? "+" : "") + Style.number(number) }

    // MARK: What is different

    /// A short summary of the differences with an excerpt; empty if a side is a deletion.
    var difference: [String] {
        if details.sides.contains(where: \.side.isDeletion) { return [] }
        var lines: [String] = [""]
        if !details.parts.isEmpty { return lines + parts }
        if let paragraphs = details.paragraphs {
            for (count, what) in [
                (paragraphs.onlyLeft, "changed only here"), (paragraphs.onlyRight, "changed only there"),
                (paragraphs.both, "changed in both"),
            ] where count > 0 { lines.append("  \(Style.count(count, "paragraph")) \(what)") }
        }
        if let diff = details.diff, !diff.changes.isEmpty {
            let excerpt = TextDiffScreen(diff, width: width, old: "only here: ", new: "only there: ").lines(atMost: 2)
                .map(\.text)
            if !excerpt.isEmpty { lines += ["", "  [-only here-] {+only there+}"] + excerpt }
        } else if !details.differing.isEmpty, details.sides.contains(where: { $0.text == nil }) {
            lines += wrapped(unreadable, indent: "  ")
        }
        return lines.count == 1 ? [] : lines
    }

    /// In place of a text that cue cannot read.
    private var unreadable: String {
        let first = details.differing.prefix(3).map { $0.isRoot ? "the file itself" : Display.text($0) }
        let more = details.differing.count > 3 ? ", and \(Style.number(details.differing.count - 3)) more" : ""
        return conflict.kind == .bundle
            ? "cue cannot show the text of this kind of document. Files in it that differ: \(first.joined(separator: ", "))\(more)."
            : "cue cannot show the text of this kind of document; open both to compare them."
    }

    /// The parts that differ, at most twelve.
    private var parts: [String] {
        var lines = [
            "  \(Style.count(details.sameParts, "part")) the same, \(details.parts.count) different:"
        ]
        for part in details.parts.prefix(12) {
            let place =
                switch part.change {
                case .here: "here "
                case .there: "there"
                case .both: "BOTH "
                }
            let counts =
                switch (part.here, part.there) {
                case (let here?, let there?) where part.change == .both:
                    "here \(words(here, part.before)), there \(words(there, part.before))"
                case (let here?, _) where part.change != .there: words(here, part.before)
                case (_, let there?) where part.change != .here: words(there, part.before)
                case (nil, _): "removed here"
                default: "removed there"
                }
            lines.append("    \(place)  \(part.title): \(counts)")
        }
        if details.parts.count > 12 { lines.append("    and \(Style.number(details.parts.count - 12)) more") }
        return lines
    }

    private func words(_ count: Int, _ before: Int) -> String {
        "\(Style.count(count, "word"))\(count == before ? "" : " (\(signed(count - before)))")"
    }

    /// Everything that differs, for the answer `d`.
    var allChanges: [String] {
        if details.sides.count > 2, !details.sides.contains(where: { $0.text == nil && !$0.side.isDeletion }) {
            return wrapped("Two of them are compared by")
                + [
                    "  cue diff \(ShellWord.quoted(name)) \(details.sides.map(\.side.version.id.short).prefix(2).joined(separator: " "))"
                ]
        }
        guard let diff = details.diff else { return wrapped(unreadable) }
        return [
            "From this device's text to the other's: [-only here-] {+only there+}", "",
        ] + TextDiffScreen(diff, width: width, old: "only here: ", new: "only there: ").lines(atMost: .max).map(\.text)
    }

    // MARK: The choice

    /// The possible answers. `rest`: how many conflicts come after this one.
    func choices(rest: Int) -> [String] {
        var lines = [""]
        let live = details.sides.filter { !$0.side.isDeletion }
        if details.sides.count == 2, details.sides[0].side.isHere {
            let (this, other) = (details.sides[0], details.sides[1])
            lines.append("  [t] \(this.side.isDeletion ? "delete it, as this device did" : "keep this device's")")
            lines.append("  [o] \(other.side.isDeletion ? "delete it, as \(other.device) did" : "keep the other")")
        } else {
            lines.append("  [1] to [\(details.sides.count)] keep that one")
        }
        if live.count > 1 {
            let others = live.count == 2 ? "the other is" : "the \(live.count - 1) others are"
            let device = live.count == 2 ? ", named for \(live[1].device)" : ", named for their devices"
            lines.append("  [b] keep \(live.count == 2 ? "both" : "all"): \(others) added beside it\(device)")
            lines.append("  [d] see all changes    [v] open \(live.count == 2 ? "both" : "all")")
        }
        lines.append(
            "  [s] decide later       [?] help\(rest > 0 ? "    [a] the same for all the rest" : "")")
        return lines
    }

    /// The prompt for an answer.
    static let question = "Your choice (nothing is lost by it): "

    /// The explanation for the answer `?`.
    var help: [String] {
        wrapped(
            "Type a letter and press Enter. Whatever you choose, the other version stays in the vault: `cue log` lists it, and the "
                + "choice can be taken back with")
            + ["  cue resolve --undo \(ShellWord.quoted(name))"]
            + wrapped(
                "Ctrl-C, or s, leaves the conflict as it is: your document stays as it is on this device until you choose, and "
                    + "everything else is synced.")
    }

    /// The question before a side is kept that has less than 70 % of the words of another; nil if that does not apply.
    func warning(keeping number: Int) -> String? {
        guard let kept = details.sides[number].words,
            let most = details.sides.compactMap(\.words).max(), kept * 10 < most * 7
        else { return nil }
        return
            "This version has \(Style.count(kept, "word")), the other \(Style.number(most)). Keep the shorter one? [y] yes  [n] no: "
    }

    private func wrapped(_ text: String, indent: String = "") -> [String] {
        LineWrap.lines(of: text, width: width - 2, indent: indent)
    }
}
