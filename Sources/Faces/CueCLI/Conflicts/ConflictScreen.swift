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

    /// How detailed a question is. The height of the window decides.
    enum Detail: CaseIterable {
        case full, brief, least

        /// How many rows of the differences have to fit as well.
        var excerpt: Int {
            switch self {
            case .full: 8
            case .brief: 6
            case .least: 0
            }
        }
    }

    /// The number of the conflict, its document, and what happened.
    func heading(_ number: Int, of count: Int, _ detail: Detail) -> [Line] {
        let start = "Conflict \(number) of \(count): "
        let room = detail == .full ? 2 * width - 2 : width - 1
        let title: Line = "\(start)\(strong: ConflictLines.shortened(name, to: room - start.count))"
        guard detail == .full else { return [title] + (detail == .brief ? wrapped(introduction) : []) }
        return ["", title, Line(String(repeating: "-", count: min(width, 78)))] + wrapped(introduction)
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

    /// The same, each side in a sentence where there is little room.
    func sides(_ detail: Detail) -> [Line] {
        guard detail != .full else { return sides }
        return [""]
            + details.sides.enumerated().flatMap { number, side in
                let label = "  [\(Self.key(number, of: details))] "
                let verb = side.side.isDeletion ? "deleted" : "saved"
                let time = detail == .brief ? time(side.saved) + note(side.clock) : side.saved.shown
                var facts = ["\(verb) \(time)"]
                if !side.side.isDeletion {
                    let words = details.hasSameText ? nil : side.words
                    if detail == .brief || words == nil { facts.append(Style.bytes(side.size)) }
                    if let words {
                        facts.append("\(Style.count(words, "word"))\(detail == .brief ? since(words) : "")")
                    }
                    if !side.isThere { facts.append("its text is not in the vault now") }
                    if side.side.version.header.path != conflict.path {
                        facts.append("named \(Display.text(side.side.version.header.path))")
                    }
                }
                let text = "\(who(side, number)): \(facts.joined(separator: ", "))"
                return ConflictLines.labelled(label, text, indent: max(6, label.count), width)
            } + (detail == .brief ? origin : [])
    }

    /// The sides with their letters, times, sizes and words, and the common origin.
    var sides: [Line] {
        var lines: [Line] = []
        for (number, side) in details.sides.enumerated() {
            lines.append("")
            lines.append("  \(strong: title(of: side, number))")
            let verb = side.side.isDeletion ? "deleted" : "saved"
            lines.append("    \(verb)  \(time(side.saved))\(note(side.clock))")
            guard !side.side.isDeletion else { continue }
            let files = conflict.kind == .bundle ? ", \(Style.count(side.files, "file"))" : ""
            lines.append("    size   \(Style.bytes(side.size))\(files)")
            if !side.isThere {
                let fate = side.side.isHere ? "; this folder has it" : ", or it is lost"
                lines.append("    text   not in the vault now: it has not arrived\(fate)")
            }
            if let words = side.words, !details.hasSameText {
                lines.append("    words  \(Style.number(words))\(since(words))")
            }
            if side.side.version.header.path != conflict.path {
                lines.append("    name   \(Display.text(side.side.version.header.path))")
            }
        }
        return lines + (origin.isEmpty ? [] : [""] + origin)
    }

    /// The version that all came from; empty if there is none.
    private var origin: [Line] {
        guard let saved = details.originSaved else { return [] }
        let words = details.originWords.map { ", \(Style.count($0, "word"))" } ?? ""
        let all = details.sides.count == 2 ? "Both" : "All"
        return wrapped("\(all) came from the version of \(time(saved))\(words).", indent: "  ")
    }

    /// The answer that keeps a side: a letter for two, a number for more.
    static func key(_ number: Int, of details: ConflictDetails) -> String {
        guard details.sides.count == 2, details.sides[0].side.isHere else { return "\(number + 1)" }
        return number == 0 ? "t" : "o"
    }

    private func title(of side: ConflictDetails.Side, _ number: Int) -> String {
        "[\(Self.key(number, of: details))] \(who(side, number))  \(side.side.version.id.short)"
    }

    /// The device that has a side, in capitals: this one, or another.
    private func who(_ side: ConflictDetails.Side, _ number: Int) -> String {
        let device = ConflictLines.shortened(side.device, to: 24)
        if side.side.isHere { return "THIS DEVICE (\(device))" }
        return details.sides.count == 2 && details.sides[0].side.isHere ? "THE OTHER (\(device))" : device.uppercased()
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

    /// A short summary of the differences with an excerpt.
    var difference: [Line] {
        var lines: [Line] = []
        if let deleted = details.sides.firstIndex(where: \.side.isDeletion), details.sides.count == 2 {
            lines = written(details.sides[1 - deleted], details.changes(of: 1 - deleted))
        } else if !details.parts.isEmpty {
            lines = parts
        } else if let paragraphs = details.paragraphs, !details.hasSameText {
            lines = wrapped(Self.sentence(paragraphs), indent: "  ")
        }
        if let diff = details.diff, !diff.changes.isEmpty, details.parts.isEmpty, !details.hasSameText {
            let excerpt = TextDiffScreen(diff, width: width, old: "only here: ", new: "only there: ").lines(atMost: 2)
            if !excerpt.isEmpty { lines += ["  [-only here-] {+only there+}"] + excerpt }
        }
        lines += files(atMost: 6)
        return lines.isEmpty ? [] : [""] + lines
    }

    /// How many paragraphs each side changed.
    private static func sentence(_ paragraphs: ThreeWayDiff) -> String {
        let counts = [
            (paragraphs.onlyLeft, "only here"), (paragraphs.onlyRight, "only there"), (paragraphs.both, "in both"),
        ].filter { $0.0 > 0 }
        return counts.enumerated().map { number, count in
            "\(number == 0 ? Style.count(count.0, "paragraph") + " changed" : Style.number(count.0)) \(count.1)"
        }.joined(separator: ", ")
    }

    /// What was written in a document that another device deleted.
    private func written(_ side: ConflictDetails.Side, _ diff: TextDiff?) -> [Line] {
        guard let diff else { return [] }
        let who = side.side.isHere ? "this device" : side.device
        let excerpt = TextDiffScreen(diff, width: width, old: "removed: ", new: "written: ").lines(atMost: 2)
        return wrapped(
            "Since then \(who) wrote \(Style.count(diff.addedWords, "word")), and removed \(Style.number(diff.removedWords)).",
            indent: "  ") + excerpt
    }

    /// Whether the text of a side that the vault has is none that cue reads.
    private var isUnreadable: Bool {
        details.sides.contains { !$0.side.isDeletion && $0.isThere && $0.text == nil }
    }

    /// The files that differ and are not part of the text, at most so many.
    func files(atMost limit: Int) -> [Line] {
        // Of a document that is one file the sizes and times stand above.
        guard conflict.kind == .bundle else {
            return isUnreadable
                ? wrapped("cue reads no text in this kind of document: v makes copies to look at.", indent: "  ") : []
        }
        guard !details.files.isEmpty else { return isUnreadable ? wrapped(Self.noText, indent: "  ") : [] }
        let title =
            details.hasSameText
            ? "The text is the same in \(details.sides.count == 2 ? "both" : "all"). Files in it that differ:"
            : isUnreadable ? "\(Self.noText) Files in it that differ:" : "Files in it that differ, beside the text:"
        let rows = details.files.prefix(limit).flatMap { file in
            let copies = file.copies.enumerated().filter { !details.sides[$0.offset].side.isDeletion }.map {
                number, copy in
                let place =
                    details.sides.count == 2 && details.sides[0].side.isHere
                    ? ["here", "there"][number] : "[\(number + 1)]"
                return copy.map { "\(place) \(Style.bytes($0.size)) of \($0.modified.shown)" } ?? "not \(place)"
            }
            return wrapped("\(Display.text(file.path)): \(copies.joined(separator: ", "))", indent: "    ")
        }
        let rest = details.files.count - limit
        return wrapped(title, indent: "  ") + rows + (rest > 0 ? ["    and \(Style.number(rest)) more"] : [])
    }

    private static let noText = "cue reads no text in this kind of document."

    /// The parts that differ, at most twelve.
    private var parts: [Line] {
        var lines: [Line] = [
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
    var allChanges: [Line] {
        let isPair = details.sides.count == 2 && !details.sides.contains(where: \.side.isDeletion)
        let texts = isPair ? pairChanges : details.sides.indices.flatMap(changes)
        return texts + files(atMost: .max)
    }

    private var pairChanges: [Line] {
        guard !details.hasSameText else { return [] }
        func lines(_ diff: TextDiff) -> [Line] {
            let lines = TextDiffScreen(diff, width: width, old: "only here: ", new: "only there: ").lines(atMost: .max)
            return lines.isEmpty ? ["  Only spaces or empty lines differ."] : lines
        }
        let whole = details.diff.map { [""] + lines($0) } ?? []
        let texts = details.parts.flatMap { [""] + wrapped($0.title) + lines($0.diff) } + whole
        guard !texts.isEmpty else { return [] }
        let first = details.sides[0].side.isHere ? "this device's" : "the first"
        return [""] + wrapped("From \(first) text to the other's: [-only here-] {+only there+}") + texts
    }

    /// What came and went in one side since all were the same. If there is no such version, or its text is unknown, the
    /// side is compared with the first one; alone it is shown whole.
    private func changes(of number: Int) -> [Line] {
        func who(_ number: Int) -> String {
            let side = details.sides[number]
            let device = side.side.isHere ? "this device (\(side.device))" : side.device
            return "[\(Self.key(number, of: details))] \(device)"
        }
        guard let first = details.sides.firstIndex(where: { !$0.side.isDeletion }) else { return [] }
        let isAlone = details.sides.count { !$0.side.isDeletion } == 1
        let (title, diff): (String, TextDiff?)
        if details.originWords != nil {
            let all = details.sides.count == 2 ? "both" : "all"
            (title, diff) = (
                "\(who(number)): what came and went since \(all) were the same", details.changes(of: number)
            )
        } else if isAlone {
            (title, diff) = ("\(who(number)): the whole text", details.changes(of: number))
        } else {
            guard number != first else { return [] }
            (title, diff) = (
                "\(who(number)): what is written there, and removed, beside \(who(first))",
                details.changes(from: first, to: number)
            )
        }
        guard let diff else { return [] }
        let lines = TextDiffScreen(diff, width: width, old: "removed: ", new: "written: ").lines(atMost: .max)
        return [""] + wrapped(title) + [""] + (lines.isEmpty ? ["  Only spaces or empty lines differ."] : lines)
    }

    // MARK: The choice

    /// The question before a side is kept that has less than 70 % of the words of another; nil if that does not apply.
    func warning(keeping number: Int) -> String? {
        guard let kept = details.sides[number].words,
            let most = details.sides.compactMap(\.words).max(), kept * 10 < most * 7
        else { return nil }
        return "This version has \(Style.count(kept, "word")), the other \(Style.number(most)). Keep the shorter one?"
    }

    private func wrapped(_ text: String, indent: String = "") -> [Line] {
        ConflictLines.wrapped(text, width: width - 2, indent: indent)
    }
}
