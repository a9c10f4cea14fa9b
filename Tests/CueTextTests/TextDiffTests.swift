import CueTestSupport
import CueText
import Testing

@Suite("Differences of texts")
struct TextDiffTests {
    @Test("The same text has no difference; every paragraph counts, empty ones too")
    func same() {
        #expect(TextDiff.between("a\n\nb\n", "a\n\nb\n").changes == [.same(paragraphs: 3)])
        #expect(TextDiff.between("a\nb", "a\nb\n").changes == [.same(paragraphs: 2)])
        #expect(TextDiff.between("", "").changes == [])
    }

    @Test("Paragraphs that are new or gone are shown as a whole")
    func addedAndGone() {
        let diff = TextDiff.between("one\ntwo words\nthree\n", "zero\none\nthree\nfour is new\n")

        #expect(
            diff.changes == [
                .added("zero"), .same(paragraphs: 1), .removed("two words"), .same(paragraphs: 1),
                .added("four is new"),
            ])
        #expect(diff.addedWords == 4 && diff.removedWords == 2)
    }

    @Test(
        "In a paragraph that was rewritten the words show that changed",
        arguments: [
            (
                "The lamp went out, and she did not move.", "The lamp went out, and she did not dare move.",
                [.same("The lamp went out, and she did not "), .added("dare "), .same("move.")]
            ),
            ("He left.", "He left. She stayed.", [.same("He left."), .added(" She stayed.")]),
            ("He left. She stayed.", "He left.", [.same("He left."), .removed(" She stayed.")]),
            ("Then he left the room.", "he left the room.", [.removed("Then "), .same("he left the room.")]),
            ("one two three", "one  two three", [.same("one"), .removed(" "), .added("  "), .same("two three")]),
            (
                "It was a dark night in the old town", "It was a bright night in the old town",
                [.same("It was a "), .removed("dark "), .added("bright "), .same("night in the old town")]
            ),
            ("灯台守の手紙を読む", "灯台守の長い手紙を読む", [.same("灯台守の"), .added("長い"), .same("手紙を読む")]),
            (
                "We climbed the steep and narrow stairs of the tower at last together",
                "We climbed every broken step and crumbling ledge of the tower at last together",
                [
                    .same("We climbed "), .removed("the steep and narrow stairs "),
                    .added("every broken step and crumbling ledge "), .same("of the tower at last together"),
                ]
            ),
        ] as [(String, String, [TextDiff.Piece])])
    func rewritten(_ old: String, _ new: String, _ pieces: [TextDiff.Piece]) {
        #expect(TextDiff.between(old, new).changes == [.rewritten(pieces)])
    }

    @Test("Paragraphs with little in common are not one that was rewritten")
    func unlike() {
        let diff = TextDiff.between("The sea was calm that day.", "Nobody in town had slept well.")
        #expect(diff.changes == [.removed("The sea was calm that day."), .added("Nobody in town had slept well.")])
    }

    @Test("Each rewritten paragraph finds its own among several")
    func pairs() {
        let diff = TextDiff.between(
            "the first one is about salt and iron\nthe second tells of ferries at night\n",
            "a wholly fresh opening line\nthe first one is about salt and bread\nthe second tells of trains at night\n")

        guard diff.changes.count == 3, case .added = diff.changes[0], case .rewritten = diff.changes[1],
            case .rewritten = diff.changes[2]
        else {
            Issue.record("\(diff.changes)")
            return
        }
        #expect(diff.addedWords == 7 && diff.removedWords == 2)
    }

    @Test("Letters that look alike and are not the same bytes are a change")
    func normalForms() {
        #expect(TextDiff.between("caf\u{e9}", "cafe\u{301}").changes != [.same(paragraphs: 1)])
    }

    @Test("The old text with the difference applied is the new one, and the words add up", arguments: 0..<300)
    func applying(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let old = randomText(&random)
        let new = seed % 5 == 0 ? randomText(&random) : edited(old, &random)

        let diff = TextDiff.between(old, new)

        let (first, second) = sides(of: diff, of: paragraphs(old))
        #expect(first == paragraphs(old), "seed \(seed)")
        #expect(second == paragraphs(new), "seed \(seed)")
        #expect(diff.addedWords - diff.removedWords == Words.count(in: new) - Words.count(in: old), "seed \(seed)")
    }

    @Test("Many words that were all rewritten, or that are all alike, do not take for ever")
    func large() {
        var random = SeededGenerator(seed: 11)
        let words = 20_000
        let shuffled = [randomWords(words, of: 20_000, &random), randomWords(words, of: 20_000, &random)]
        let alike = [String(repeating: "ha ", count: words), String(repeating: "ha ", count: words / 2) + "ho"]
        let few = [randomWords(words, of: 2, &random), randomWords(words, of: 2, &random)]
        for pair in [shuffled, alike, few] {
            for separator: Character in [" ", "\n"] {
                let (old, new) = (pair[0].replacing(" ", with: [separator]), pair[1].replacing(" ", with: [separator]))
                let start = ContinuousClock.now
                let diff = TextDiff.between(old, new)
                // A debug build on a slow machine: only what is quadratic shows.
                #expect(start.duration(to: .now) < .seconds(30))
                #expect(diff.addedWords - diff.removedWords == Words.count(in: new) - Words.count(in: old))
            }
        }
    }

    // MARK: - Three ways

    private let base = "one is here\ntwo is here\nthree is here\nfour is here\n"

    @Test("Paragraphs count by who changed them")
    func threeWays() {
        let diff = ThreeWayDiff.make(
            base: base, left: "one is here\ntwo is now here\nthree is here\nfour is left here\nfive\n",
            right: "zero\none is here\ntwo is here\nthree is here\nfour is right here\n")

        #expect(diff.onlyLeft == 2 && diff.onlyRight == 1 && diff.both == 1)
    }

    @Test("What both sides did alike is no conflict")
    func alike() {
        let both = "one is here\nthree is here\nfour is not here\nfive\n"
        let diff = ThreeWayDiff.make(base: base, left: both, right: both)
        #expect(diff.onlyLeft == 0 && diff.onlyRight == 0 && diff.both == 0)
    }

    @Test("Different paragraphs added in one place, or one removed here and rewritten there, changed in both")
    func bothAdded() {
        let added = ThreeWayDiff.make(base: base, left: base + "x\ny\n", right: base + "z\n")
        #expect(added.onlyLeft == 0 && added.onlyRight == 0 && added.both == 2)
        let removed = ThreeWayDiff.make(
            base: base, left: "one is here\nthree is here\nfour is here\n",
            right: "one is here\ntwo is still here\nthree is here\nfour is here\n")
        #expect(removed.onlyLeft == 0 && removed.onlyRight == 0 && removed.both == 1)
    }

    @Test("Left and right are alike but for their names", arguments: 0..<50)
    func symmetric(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let base = randomText(&random)
        let (left, right) = (edited(base, &random), edited(base, &random))

        let (one, other) = (
            ThreeWayDiff.make(base: base, left: left, right: right),
            ThreeWayDiff.make(base: base, left: right, right: left)
        )

        #expect(one.onlyLeft == other.onlyRight && one.onlyRight == other.onlyLeft && one.both == other.both)
        let none = ThreeWayDiff.make(base: base, left: left, right: base)
        // An empty line between paragraphs counts as none; one that changed places with a paragraph may.
        let hasChanged = paragraphs(left).filter(isWritten) != paragraphs(base).filter(isWritten)
        #expect(none.onlyRight == 0 && none.both == 0 && (none.onlyLeft > 0 || !hasChanged))
    }
}

// MARK: - Random texts

private func isWritten(_ paragraph: String) -> Bool { !paragraph.allSatisfy(\.isWhitespace) }

private func paragraphs(_ text: String) -> [String] {
    var paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if paragraphs.last == "" { paragraphs.removeLast() }
    return paragraphs
}

/// What a difference says that the old and the new paragraphs are.
private func sides(of diff: TextDiff, of old: [String]) -> (old: [String], new: [String]) {
    var sides: (old: [String], new: [String]) = ([], [])
    for change in diff.changes {
        switch change {
        case .same(let count):
            let same = old.dropFirst(sides.old.count).prefix(count)
            sides.old += same
            sides.new += same
        case .removed(let text): sides.old.append(text)
        case .added(let text): sides.new.append(text)
        case .rewritten(let pieces):
            sides.old.append(pieces.map { if case .added = $0 { "" } else { $0.text } }.joined())
            sides.new.append(pieces.map { if case .removed = $0 { "" } else { $0.text } }.joined())
        }
    }
    return sides
}

extension TextDiff.Piece {
    fileprivate var text: String {
        switch self {
        case .same(let text), .removed(let text), .added(let text): text
        }
    }
}

private func randomWords(_ count: Int, of vocabulary: Int, _ random: inout SeededGenerator) -> String {
    (0..<count).map { _ in "w" + String(Int.random(in: 0..<vocabulary, using: &random), radix: 36) }
        .joined(separator: " ")
}

private let words = [
    "the", "sea", "lamp,", "a", "  ", "\t", "über", "e\u{301}", "“no”", "I", "went", "\u{a0}", "x\u{2003}y", "—",
]

private func randomText(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...12, using: &random)).map { _ in
        (0..<Int.random(in: 0...14, using: &random)).compactMap { _ in words.randomElement(using: &random) }
            .joined(separator: " ") + "\n"
    }.joined()
}

private func edited(_ text: String, _ random: inout SeededGenerator) -> String {
    var lines = paragraphs(text)
    for _ in 0..<Int.random(in: 1...4, using: &random) where !lines.isEmpty {
        let at = Int.random(in: 0..<lines.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: lines.remove(at: at)
        case 1: lines.insert("a new line of \(at) words", at: at)
        case 2: lines.swapAt(at, lines.count - 1)
        default:
            var pieces = lines[at].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            let place = Int.random(in: 0...pieces.count, using: &random)
            if place < pieces.count { pieces[place] = "changed" } else { pieces.append("appended") }
            lines[at] = pieces.joined(separator: " ")
        }
    }
    return lines.map { $0 + "\n" }.joined()
}
