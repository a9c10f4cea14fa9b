import CueBase
import CueSystem
import CueTestSupport
import Testing

@testable import CueSearch

@Suite("The index of a search")
struct SearchIndexTests {
    private let index: SearchIndex
    private let project = Self.id(1)

    init() throws { index = try SearchIndex(inMemoryOf: "vault") }

    private static func id(_ number: UInt32) -> VersionID {
        VersionID(commit: CommitID(UInt64(number)), number: number)
    }

    private func add(
        _ number: UInt32, from parents: [UInt32], _ texts: String..., project: UInt32 = 1, path: String = "a.md"
    ) throws {
        let version = SearchIndex.Version(
            id: Self.id(number), project: Self.id(project), parents: parents.map { Self.id($0) },
            time: Timestamp(milliseconds: Int64(number) * 1000), device: "desk", path: path)
        try index.write { try $0.add(version, texts.map { ("", $0) }) }
    }

    private func found(_ words: String) throws -> [String] {
        try index.find(words, limit: 100).passages.map { passage in
            let cut = passage.cut.map { "\($0.id.number)" } ?? "now"
            return "\(passage.came.id.number)-\(cut) last \(passage.last.id.number): \(passage.text)"
        }
    }

    @Test("A passage is told with the version in which it came, the one in which it was cut, and the last that had it")
    func cut() throws {
        try add(1, from: [], "first\nthe milky eye of the keeper")
        try add(2, from: [1], "first\nthe milky eye of the keeper\nmore")
        try add(3, from: [2], "first\nmore")
        try add(4, from: [3], "first\nmore\nthe milky eye of a gull")

        #expect(
            try found("milky eye") == [
                "4-now last 4: the milky eye of a gull", "1-3 last 2: the milky eye of the keeper",
            ])
        #expect(try found("keeper") == ["1-3 last 2: the milky eye of the keeper"])
        #expect(try found("first") == ["1-now last 4: first"])
        #expect(try found("no such words").isEmpty)
    }

    @Test("A paragraph that is rewritten around the words goes on, and one of several stays apart")
    func rewritten() throws {
        try add(1, from: [], "a sea of glass\na sea of ice")
        try add(2, from: [1], "a calm sea of glass\na sea of ice")
        try add(3, from: [2], "a calm sea of glass")

        #expect(try found("sea of") == ["1-now last 3: a calm sea of glass", "1-3 last 2: a sea of ice"])
    }

    @Test("Case, accents, dashes, quotes, spaces and forms of Unicode make no difference")
    func folded() throws {
        try add(1, from: [], "Café Übergang – “the  Lamp”, he said ﬁrst")

        for words in [
            "cafe ubergang", "CAFÉ ÜBERGANG", "Cafe\u{301}", "ubergang - \"the lamp\"", "the lamp", "first", "é", "é ü",
        ] { #expect(try found(words).count == 1, "\(words)") }
        #expect(try found("") == [])
        #expect(try found("  ") == [])
    }

    @Test("Words of languages without spaces are found, also those shorter than a trigram")
    func short() throws {
        try add(1, from: [], "灯台守の手紙")

        for words in ["灯", "灯台", "台守の", "守の手紙"] { #expect(try found(words).count == 1, "\(words)") }
        #expect(try found("手灯").isEmpty)
    }

    @Test("What looks like the language of queries is only text")
    func syntax() throws {
        try add(1, from: [], "he said \"yes\" OR no* (NOT near) it's 100% _sure_")

        for words in ["\"yes\" OR", "no* (NOT", "it's 100%", "_sure_", "NOT near"] {
            #expect(try found(words).count == 1, "\(words)")
        }
        #expect(try found("n% s").isEmpty)
    }

    @Test("A deletion cuts all, and a document that comes back brings it again")
    func deleted() throws {
        try add(1, from: [], "the lamp")
        try add(2, from: [1])
        try add(3, from: [2], "the lamp")

        #expect(try found("lamp") == ["3-now last 3: the lamp", "1-2 last 1: the lamp"])
    }

    @Test("In a conflict both branches hold what they hold, and what the answer keeps is there")
    func branches() throws {
        try add(1, from: [], "walnut in one\ntwo")
        try add(2, from: [1], "two\nbirch here")
        try add(3, from: [1], "walnut in one\nelm there")

        #expect(try found("walnut") == ["1-now last 3: walnut in one"])
        #expect(try found("birch") == ["2-now last 3: birch here"])
        // One device had cut the words, and the other's text was kept.
        try add(4, from: [2, 3], "walnut in one\nelm there")

        #expect(try found("walnut") == ["1-now last 4: walnut in one"])
        #expect(try found("elm") == ["3-now last 4: elm there"])
        #expect(try found("birch") == ["2-4 last 2: birch here"])
        #expect(try found("two") == ["1-4 last 2: two"])
    }

    @Test("Versions may come in any order, and twice: a late one changes only what it says")
    func late() throws {
        try add(3, from: [2], "one\nthree")
        try add(1, from: [], "one")
        #expect(try found("one").count == 2)
        try add(2, from: [1], "one\ntwo")
        try add(2, from: [1], "something else")

        #expect(try found("one") == ["1-now last 3: one"])
        #expect(try found("two") == ["2-3 last 2: two"])
        #expect(try found("something else").isEmpty)
    }

    @Test("A paragraph of any length is found to its end, also across the places where it is cut")
    func long() throws {
        let words = (0..<4_000).map { "word\($0)" }
        try add(1, from: [], words.joined(separator: " "))

        for number in stride(from: 0, to: 3_990, by: 97) {
            #expect(try !found(words[number..<number + 10].joined(separator: " ")).isEmpty, "\(number)")
        }
    }

    @Test("Versions that come from each other, as nobody writes them, end")
    func circle() throws {
        try add(1, from: [2], "a lamp")
        try add(2, from: [1], "a lamp")

        #expect(try found("lamp").count <= 2)
    }

    @Test("Documents are apart, the one with the newest version first, and paragraphs that both have are told of each")
    func documents() throws {
        try add(1, from: [], "shared text", path: "a.md")
        try add(2, from: [], "shared text", project: 2, path: "b.md")
        try add(3, from: [1], "shared text\nand more", path: "c.md")

        let passages = try index.find("shared", limit: 100).passages
        #expect(passages.map(\.last.path) == ["c.md", "b.md"])
    }

    @Test("A false history of versions that share nothing gives as many passages as are asked for, and says so")
    func falseHistory() throws {
        for number in 1...30 as ClosedRange<UInt32> {
            try add(number, from: [], (1...40).map { "the same words \($0)" }.joined(separator: "\n"))
        }

        let found = try index.find("same words", limit: 100)

        #expect(found.areMore && found.passages.count < 150, "\(found.passages.count)")
    }

    @Test("One character may be as long as a text, and a quote may be joined to a letter")
    func joined() throws {
        try add(1, from: [], "abcde a" + String(repeating: "\u{301}\u{316}", count: 20_000) + " the end")
        try add(2, from: [], "\u{d4e}\"abc")

        #expect(try found("abcde").count == 1 && found("the end").count == 1)
        #expect(try found("\u{d4e}\"abc").count == 1)
    }

    @Test("More than the limit is not looked at, and that is said")
    func limit() throws {
        try add(1, from: [], (0..<10).map { "line \($0) of many" }.joined(separator: "\n"))

        #expect(try index.find("of many", limit: 10).areMore == false)
        let some = try index.find("of many", limit: 5)
        #expect(some.areMore && some.passages.count == 5)
    }

    @Test("An index on the disk is kept, one of another vault or a damaged one is made anew")
    func disk() throws {
        let folder = TemporaryFolder()
        let path = FilePathBytes(folder.path)
        #expect(!SearchIndex.exists(in: path))
        try SearchIndex(in: path, of: "one").write { try $0.note(CommitID(7)) }
        #expect(SearchIndex.exists(in: path))
        #expect(try SearchIndex(in: path, of: "one").commits() == [CommitID(7)])
        #expect(try SearchIndex(in: path, of: "two").commits().isEmpty)
        try folder.write(
            "search.db", "no database, but as long as one has to be: " + String(repeating: "x", count: 9_000))
        #expect(try SearchIndex(in: path, of: "two").commits().isEmpty)
        SearchIndex.remove(in: path)
        #expect(!SearchIndex.exists(in: path))
    }
}
