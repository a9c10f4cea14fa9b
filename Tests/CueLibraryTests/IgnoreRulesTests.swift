import CueLibrary
import Foundation
import Glibc
import Testing

@Suite("IgnoreRules")
struct IgnoreRulesTests {
    @Test("A pattern gives the verdict that gitignore(5) describes", arguments: Example.all)
    func examples(_ example: Example) {
        let rules = IgnoreRules(parsing: bytes(example.text), base: [])

        #expect(rules.verdict(path: bytes(example.path), isFolder: example.isFolder) == example.verdict)
    }

    @Test("A byte order mark before the first pattern is skipped")
    func byteOrderMark() {
        let rules = IgnoreRules(parsing: [0xEF, 0xBB, 0xBF] + bytes("notes"), base: [])

        #expect(rules.verdict(path: bytes("notes"), isFolder: false) == true)
    }

    @Test("Names that are not UTF-8 match byte by byte, and look-alike letters stay apart")
    func rawBytes() {
        let rules = IgnoreRules(parsing: [0x61, 0xFF, 0x0A] + bytes("caf\u{E9}\n"), base: [])

        #expect(rules.verdict(path: [0x61, 0xFF], isFolder: false) == true)
        #expect(rules.verdict(path: [0x61, 0xFE], isFolder: false) == nil)
        #expect(rules.verdict(path: bytes("cafe\u{301}"), isFolder: false) == nil)
    }

    @Test("An anchored pattern is anchored to the folder of its file, and says nothing about other folders")
    func base() {
        let rules = IgnoreRules(parsing: bytes("/draft\n*.log\n"), base: bytes("novel"))

        #expect(rules.verdict(path: bytes("novel/draft"), isFolder: false) == true)
        #expect(rules.verdict(path: bytes("novel/part/draft"), isFolder: false) == nil)
        #expect(rules.verdict(path: bytes("novel/part/a.log"), isFolder: false) == true)
        #expect(rules.verdict(path: bytes("novels/a.log"), isFolder: false) == nil)
        #expect(rules.verdict(path: bytes("a.log"), isFolder: false) == nil)
    }

    @Test("The rules of a deeper folder win over those above it, and all win over the defaults")
    func stack() {
        let defaults = IgnoreStack(defaults: IgnoreRules(parsing: bytes("*.tmp\n*.swp\n"), base: []))
        let library = defaults.adding(IgnoreRules(parsing: bytes("!keep.tmp\n*.md\n"), base: []))
        let novel = library.adding(IgnoreRules(parsing: bytes("!*.md\nkeep.tmp\n"), base: bytes("novel")))

        #expect(defaults.ignores(path: bytes("keep.tmp"), isFolder: false))
        #expect(!library.ignores(path: bytes("keep.tmp"), isFolder: false))
        #expect(library.ignores(path: bytes("a.md"), isFolder: false))
        #expect(novel.ignores(path: bytes("novel/keep.tmp"), isFolder: false))
        #expect(!novel.ignores(path: bytes("novel/a.md"), isFolder: false))
        #expect(novel.ignores(path: bytes("novel/a.swp"), isFolder: false))
        #expect(!novel.ignores(path: bytes("novel/a.txt"), isFolder: false))
    }

    @Test("Rules without a pattern change nothing")
    func emptyRules() {
        let defaults = IgnoreStack(defaults: IgnoreRules(parsing: bytes("*.tmp\n"), base: []))

        let stack = defaults.adding(IgnoreRules(parsing: bytes("# nothing\n\n"), base: []))

        #expect(stack.ignores(path: bytes("a.tmp"), isFolder: false))
        #expect(!stack.ignores(path: bytes("a.md"), isFolder: false))
    }

    @Test("A hostile pattern costs no more than pattern times name for each folder", .timeLimit(.minutes(1)))
    func hostilePatterns() {
        let (deep, long) = (
            Array(repeating: "aa", count: 1300).joined(separator: "/"), String(repeating: "a", count: 4095)
        )
        let patterns = [
            String(repeating: "a*", count: 1000) + "b", String(repeating: "**/a*/", count: 300) + "b",
            "**/" + String(repeating: "*a*/", count: 100) + "b", String(repeating: "*[!b]", count: 500) + "b",
            String(repeating: "**/", count: 1000) + "b", "[" + String(repeating: "[:", count: 500_000) + "]",
            String(repeating: "[", count: 5000),
            String(repeating: "*", count: 5000) + "b",
        ]

        for pattern in patterns {
            let rules = IgnoreRules(parsing: bytes(pattern), base: [])
            #expect(rules.verdict(path: bytes(deep), isFolder: false) == nil)
            #expect(rules.verdict(path: bytes(long), isFolder: false) == nil)
        }
    }
}

@Suite("IgnoreRules and git agree", .enabled(if: Git.isInstalled, "needs git"))
struct IgnoreRulesAgainstGitTests {
    @Test("The examples are git's verdicts too")
    func examples() throws {
        let folders = Example.all.enumerated().map { index, example in
            Sample.Folder(name: "d\(index)", text: bytes(example.text), isPath: [bytes(example.path): example.isFolder])
        }

        let disagreements = try Git.disagreements(Sample(folders: folders))

        #expect(disagreements == [])
    }

    @Test("Every named class holds the same bytes as in git")
    func classes() throws {
        let names = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit word".split(
            separator: " ")
        let paths = (1...255).filter { $0 != 0x2F }.map { [0x78, UInt8($0)] }
        let folders = names.map {
            Sample.Folder(
                name: "\($0)", text: bytes("x[[:\($0):]]"),
                isPath: .init(uniqueKeysWithValues: paths.map { ($0, false) }))
        }

        let disagreements = try Git.disagreements(Sample(folders: folders))

        #expect(disagreements == [])
    }

    @Test("Random patterns and paths get git's verdict", arguments: Sample.seeds)
    func random(seed: UInt64) throws {
        let sample = Sample(seed: seed, folders: 230, paths: 14)
        let disagreements = try Git.disagreements(sample)

        #expect(disagreements == [], "seed \(seed); repeat it with CUE_SEED=\(seed)")
    }
}

/// One pattern file, one path, and what the one says about the other.
struct Example: Sendable, CustomTestStringConvertible {
    let text: String
    let path: String
    let isFolder: Bool
    let verdict: Bool?

    var testDescription: String { "\(text.debugDescription) \(path)\(isFolder ? "/" : "")" }

    static let all = lines + names + anchors + stars + brackets

    /// The examples for one pattern file; a path that ends in a slash is a folder.
    private static func of(
        _ text: String, ignored: [String] = [], kept: [String] = [], unsaid: [String] = []
    ) -> [Example] {
        let paths: [(String, Bool?)] = ignored.map { ($0, true) } + kept.map { ($0, false) } + unsaid.map { ($0, nil) }
        return paths.map { path, verdict in
            let isFolder = path.hasSuffix("/")
            return Example(
                text: text, path: isFolder ? "\(path.dropLast())" : path, isFolder: isFolder, verdict: verdict)
        }
    }

    private static let lines: [Example] = [
        of("\n\n \n# a\n#a\n", unsaid: ["a", "#a", "# a", " "]),
        of("\\#a", ignored: ["#a"]),
        of("\\!a", ignored: ["!a"]),
        of("a  ", ignored: ["a"], unsaid: ["a  "]),
        of("a\\ ", ignored: ["a "], unsaid: ["a"]),
        of("a\\  ", ignored: ["a "], unsaid: ["a  "]),
        of("a \\ b ", ignored: ["a  b"]),
        of("a\r\nb\r\n", ignored: ["a", "b"]),
        of("a\r", ignored: ["a"]),
        of("a\r\r", ignored: ["a\r"], unsaid: ["a"]),
        of("a\0b", ignored: ["a"], unsaid: ["ab"]),
        of("!\n/\n//\n", unsaid: ["a", "a/"]),
        of("", unsaid: ["a"]),
        of("*\n!a", ignored: ["b"], kept: ["a", "x/a"]),
        of("!a\n*", ignored: ["a"]),
        of("!!a", kept: ["!a"]),
        of("!#a", kept: ["#a"]),
    ].flatMap(\.self)

    private static let names: [Example] = [
        of("a", ignored: ["a", "a/", "x/y/a"], unsaid: ["ab", "ba", "A"]),
        of("a/", ignored: ["a/", "x/a/"], unsaid: ["a"]),
        of("._*", ignored: ["._", "._x", "n/._x"], unsaid: [".x", "x._x"]),
        of("~$*", ignored: ["~$n.docx"], unsaid: ["n~$"]),
        of(".~lock.*", ignored: [".~lock.n.odt#"]),
        of("*.tmp", ignored: [".tmp", "a.tmp", "n/a.b.tmp"], unsaid: ["a.tmp~", "tmp"]),
        of("a\\*", ignored: ["a*"], unsaid: ["ab"]),
        of("\\a\\\\", ignored: ["a\\"]),
        of("a\\", unsaid: ["a", "a\\"]),
        of("a\\/", unsaid: ["a/"]),
        of("?", ignored: ["a"], unsaid: ["ab", "é"]),
        of("??", ignored: ["é"]),
        of("a*b*c", ignored: ["abc", "axxbxxc", "abcbc"], unsaid: ["acb", "abcx"]),
    ].flatMap(\.self)

    private static let anchors: [Example] = [
        of("/a", ignored: ["a"], unsaid: ["x/a"]),
        of("x/a", ignored: ["x/a"], unsaid: ["y/x/a"]),
        of("/x/a/", ignored: ["x/a/"], unsaid: ["x/a"]),
        of("/*.c", ignored: ["cat.c"], unsaid: ["m/sha.c"]),
        of("x/*", ignored: ["x/a"], unsaid: ["x/", "y/a"]),
        of("x/*.md", ignored: ["x/a.md"], unsaid: ["x/a/b.md"]),
        of("x/*/b", ignored: ["x/a/b"], unsaid: ["x/b", "x/a/a/b"]),
        of("/x?a", ignored: ["xya"], unsaid: ["x/a"]),
        of("a//b", unsaid: ["a/b"]),
        of("x\\/a", ignored: ["x/a"], unsaid: ["y/x/a"]),
    ].flatMap(\.self)

    private static let stars: [Example] = [
        of("**/a", ignored: ["a", "x/a", "x/y/a"], unsaid: ["xa"]),
        of("**/x/a", ignored: ["x/a", "y/x/a"], unsaid: ["x/y/a", "yx/a"]),
        of("x/**", ignored: ["x/a", "x/y/a"], unsaid: ["x/", "y/x/a"]),
        of("x/**/", ignored: ["x/a/"], unsaid: ["x/a"]),
        of("a/**/b", ignored: ["a/b", "a/x/b", "a/x/y/b"], unsaid: ["ab", "a/xb", "a/c"]),
        of("***/a", ignored: ["a", "x/y/a"]),
        of("**", ignored: ["a", "x/a"]),
        of("/**", ignored: ["a", "x/a"]),
        of("**/", ignored: ["a/"], unsaid: ["a"]),
        of("**/**/a", ignored: ["a", "x/a"]),
        of("**/a*/**/*b", ignored: ["x/a/y/cb", "a/b"]),
        of("*/**/a", ignored: ["x/a", "x/y/a"], unsaid: ["a"]),
        // `**/` may stand for no folder at all, but not when its slash is escaped.
        of("x/**\\/a", ignored: ["x/y/a", "x/y/z/a"], unsaid: ["x/a"]),
        // Two stars that are not alone between slashes are one.
        of("a**b", ignored: ["ab", "axb"]),
        of("**a/b", ignored: ["xa/b"], unsaid: ["x/a/b"]),
        of("?**/b", ignored: ["a/b", "ax/b"], unsaid: ["a/x/b"]),
        of("**//a", unsaid: ["a", "x/a"]),
        of("a**/b", ignored: ["a/b", "ax/b"], unsaid: ["ab", "a/x/b", "ax/y/b"]),
        of("x/a**/", ignored: ["x/a/", "x/ab/"], unsaid: ["x/ab"]),
    ].flatMap(\.self)

    private static let brackets: [Example] = [
        of("[a-c]", ignored: ["a", "b", "c"], unsaid: ["d", "-", "B"]),
        of("[c-a]", ignored: ["c"], unsaid: ["a", "b", "-"]),
        of("[!a]", ignored: ["b"], unsaid: ["a"]),
        of("[^a]", ignored: ["b", "!"], unsaid: ["a"]),
        of("[]a]", ignored: ["]", "a"]),
        of("[!]a]", ignored: ["b"], unsaid: ["]"]),
        of("[a-]", ignored: ["-", "a"]),
        of("[-a]", ignored: ["-"]),
        of("[a-c-e]", ignored: ["-", "e", "b"], unsaid: ["d"]),
        of("[--0]x", ignored: [".x"]),
        of("[\\]a]", ignored: ["]"]),
        of("[\\a-\\c]", ignored: ["b"]),
        of("[[]", ignored: ["["]),
        of("[[:alpha:]]", ignored: ["a", "Z"], unsaid: ["1", ":"]),
        of("[![:alpha:]_]", ignored: ["1"], unsaid: ["_"]),
        of("[[:digit:]-a]", ignored: ["-", "a", "5"], unsaid: [":"]),
        of("[[:a]", ignored: ["[", ":", "a"]),
        of("[[:]", ignored: ["[", ":"]),
        of("[[:word:]]", unsaid: ["w", "a"]),
        of("[[::]]", unsaid: [":"]),
        of("[a", unsaid: ["[a", "a"]),
        of("*[", unsaid: ["["]),
        of("a]", ignored: ["a]"]),
        of("x[/]a", unsaid: ["x/a"]),
        of("x[!b]a/c", ignored: ["xda/c"], unsaid: ["x/a/c"]),
        of("x[.-0]a/b", ignored: ["x0a/b"], unsaid: ["x/a/b"]),
    ].flatMap(\.self)
}

/// Folders of a repository, each with a pattern file and paths to ask about.
struct Sample: Sendable {
    struct Folder: Sendable {
        var name: String  // ASCII, relative to the repository
        var text: [UInt8]
        var isPath: [[UInt8]: Bool]  // path below the folder → is a folder
        var inner: [UInt8]?  // the pattern file in the subfolder `s`
    }

    static let defaults = bytes(".DS_Store\n._*\n~$*\n.~lock.*\n*.tmp\n*.swp\n")
    var folders: [Folder]
}

extension Sample {
    static var seeds: [UInt64] {
        ProcessInfo.processInfo.environment["CUE_SEED"].map { $0.split(separator: ",").compactMap { UInt64($0) } } ?? [
            1, 2,
        ]
    }

    init(seed: UInt64, folders count: Int, paths: Int) {
        var random = SeededGenerator(state: seed)
        folders = (0..<count).map { index in
            let (text, examples) = Self.patternFile(&random)
            let (inner, innerExamples) = Self.patternFile(&random)
            var folder = Folder(name: "d\(index)", text: text, isPath: [:], inner: index % 3 == 0 ? inner : nil)
            for _ in 0..<paths {
                let usesInner = folder.inner != nil && Bool.random(using: &random)
                let path = Self.path(
                    like: (usesInner ? innerExamples : examples).randomElement(using: &random) ?? [], &random)
                folder.isPath[(usesInner ? bytes("s/") : []) + path] = Int.random(in: 0..<3, using: &random) == 0
            }
            return folder
        }
    }

    /// A pattern file of one to four lines, and for each line a path that it may well match.
    private static func patternFile(_ random: inout SeededGenerator) -> (text: [UInt8], examples: [[UInt8]]) {
        var text: [UInt8] = Int.random(in: 0..<8, using: &random) == 0 ? [0xEF, 0xBB, 0xBF] : []
        var examples: [[UInt8]] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let (line, example) = pattern(&random)
            text += line + bytes(["\n", "\n", "\n", "\r\n", " \n", "\\ \n"].randomElement(using: &random) ?? "\n")
            examples.append(example)
        }
        return (Bool.random(using: &random) ? text : text.dropLast(), examples)
    }

    private static func pattern(_ random: inout SeededGenerator) -> (line: [UInt8], example: [UInt8]) {
        var (line, example) = (bytes(["", "", "", "!", "/", "!/"].randomElement(using: &random) ?? ""), [UInt8]())
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            guard let piece = pieces.randomElement(using: &random) else { continue }
            line += piece.0
            example += piece.1.randomElement(using: &random) ?? []
        }
        if Int.random(in: 0..<5, using: &random) == 0 { line.append(UInt8(ascii: "/")) }
        return (line, example)
    }

    /// The text that makes git before 2.52 read `text` as documented.
    ///
    /// That git forgets the literal bytes before the first wildcard, and so takes an anchored `a**/b` for `a` and then
    /// `**/b`: it matches `ab` and `a/x/b` (mended in git 1940a02dc1). A backslash before the last literal byte changes
    /// nothing else and keeps git from forgetting that byte.
    static func withoutStarBug(_ text: [UInt8]) -> [UInt8] {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            let body = line.dropFirst(line.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
            let literal = body.dropFirst("!#".utf8.contains(body.first ?? 0) ? 1 : 0).prefix {
                !"*?[\\".utf8.contains($0)
            }
            let hasBug = line[literal.endIndex...].starts(with: "**".utf8)
            guard hasBug, let last = literal.last, last != UInt8(ascii: "/") else { return Array(line) }
            return line[..<(literal.endIndex - 1)] + bytes("\\") + [last] + line[literal.endIndex...]
        }
        return Array(lines.joined(separator: bytes("\n")))
    }

    /// A path near `example`, always one that can exist.
    ///
    /// As it is, or with a folder before or after it, or with one byte changed.
    private static func path(like example: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var path = example
        switch Int.random(in: 0..<6, using: &random) {
        case 0: path = bytes(["a/", "b/a/", "ab"].randomElement(using: &random) ?? "") + path
        case 1: path += bytes(["/a", "/b/a", "b", " "].randomElement(using: &random) ?? "")
        case 2 where !path.isEmpty:
            path[Int.random(in: path.indices, using: &random)] = bytes("ab/-!c. ").randomElement(using: &random) ?? 0x61
        default: break
        }
        let names = path.split(separator: UInt8(ascii: "/")).map {
            [bytes("."), bytes(".."), bytes(".git")].contains(Array($0)) ? bytes("x") : Array($0)
        }
        return names.isEmpty ? bytes("x") : Array(names.joined(separator: bytes("/")))
    }

    /// Pieces of patterns, each with bytes that it may or may not match.
    private static let pieces: [([UInt8], [[UInt8]])] =
        [
            ("a", ["a"]), ("b", ["b"]), ("ab", ["ab"]), (".", ["."]), ("-", ["-"]), ("!", ["!"]), ("#", ["#"]),
            (" ", [" "]), ("\\ ", [" "]),
            ("\\a", ["a"]), ("\\*", ["*", "a"]), ("\\!", ["!"]), ("\\#", ["#"]), ("\\\\", ["\\"]), ("\\/", ["/"]),
            ("\\", ["\\"]), ("]", ["]"]),
            ("*", ["", "a", "ab", ".b", "a/b"]), ("*", ["", "b", "a"]), ("**", ["", "a", "a/b", "b/a/b"]),
            ("***", ["", "a", "a/b"]),
            ("?", ["a", "b", "/", "é"]), ("?", ["a", "b"]), ("/", ["/"]), ("/", ["/"]), ("/", ["/"]),
            ("/*/", ["/a/", "/", "/a/b/"]),
            ("/**/", ["/", "/a/", "/a/b/"]), ("/**/", ["/", "/b/", "/a/b/"]), ("**/", ["", "a/", "b/a/"]),
            ("/**", ["/a", "/a/b"]),
            ("**\\/", ["a/", "", "a/b/"]), ("[ab]", ["a", "b", "c"]), ("[!a]", ["b", "a", "/"]), ("[^a]", ["b", "a"]),
            ("[a-c]", ["a", "b", "d"]),
            ("[c-a]", ["b", "c"]), ("[[:alpha:]]", ["a", "1"]), ("[[:digit:]-a]", ["1", "-", "a", ":"]),
            ("[[:space:]!]", [" ", "!"]),
            ("[]a]", ["]", "a"]), ("[!]a]", ["b", "]"]), ("[a-]", ["-", "a"]), ("[\\]a]", ["]", "a"]),
            ("[\\a-\\c]", ["b", "\\"]),
            ("[[:x:]]", ["a", "x]"]), ("[[:a]", ["[", ":", "a"]), ("[a-c-e]", ["d", "-", "e"]),
            ("[a/b]", ["a/b", "a", "/"]), ("[", ["["]),
            ("é", ["é", "e"]), ("[é]", ["é", "e"]), ("\r", ["\r"]), ("\0a", [""]),
        ].map { (bytes($0.0), $0.1.map(bytes)) } + [
            ([0xFF], [[0xFF]]), ([0x5B, 0x80, 0x2D, 0xFF, 0x5D], [[0xFE], [0x61]]),
        ]
}

/// The installed git, asked what it ignores.
enum Git {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/git")

    /// Returns a line for each path of `sample` about which git and `IgnoreRules` differ.
    static func disagreements(_ sample: Sample) throws -> [String] {
        let repository = FileManager.default.temporaryDirectory.appending(
            path: "cue-ignore-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: repository) }
        try FileManager.default.createDirectory(at: repository, withIntermediateDirectories: true)
        _ = try run(["init", "--quiet", "--template="], in: repository)
        try write(Sample.defaults, to: repository.appending(path: ".git/info/exclude"))
        for folder in sample.folders { try create(folder, in: repository) }

        let questions = sample.folders.flatMap { folder in
            folder.isPath.keys.map { (folder, bytes(folder.name + "/") + $0) }
        }
        let input = questions.map { $0.1 + [0] }.reduce(into: [UInt8](), +=)
        let answer = try run(["check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"], in: repository, input: input)
        let fields = answer.split(separator: 0, omittingEmptySubsequences: false)
        try #require(fields.count == questions.count * 4 + 1)

        return zip(questions, 0...).compactMap { question, index in
            let (folder, path) = question
            let pattern = fields[index * 4 + 2]
            let theirs: Bool? = pattern.isEmpty ? nil : pattern.first != UInt8(ascii: "!")
            let ours = verdict(folder, path)
            guard ours.verdict != theirs || ours.isIgnored != (theirs ?? false) else { return nil }
            return
                "\(text(path)) in \(text(folder.text)), \(text(folder.inner ?? []))"
                + ": git \(text(theirs)) by \(text(Array(pattern))), we \(ours)"
        }
    }

    /// Walks down to `path` as a caller does, and stops at the first ignored folder.
    private static func verdict(_ folder: Sample.Folder, _ path: [UInt8]) -> (verdict: Bool?, isIgnored: Bool) {
        var rules = [
            IgnoreRules(parsing: Sample.defaults, base: []),
            IgnoreRules(parsing: folder.text, base: bytes(folder.name)),
        ]
        var stack = IgnoreStack(defaults: rules[0]).adding(rules[1])
        let root = folder.name.utf8.count + 1
        var folders: Set<[UInt8]> = []
        for (path, isFolder) in folder.isPath where isFolder { folders.formUnion(ancestors(path) + [path]) }
        for above in ancestors(path) where above.count > root {
            if stack.ignores(path: above, isFolder: true) { return (true, true) }
            if above == bytes(folder.name + "/s"), let inner = folder.inner {
                rules.append(IgnoreRules(parsing: inner, base: above))
                stack = stack.adding(rules[2])
            }
        }
        let isFolder = folders.contains(Array(path.dropFirst(root)))
        let verdict = rules.reversed().lazy.compactMap { $0.verdict(path: path, isFolder: isFolder) }.first
        return (verdict, stack.ignores(path: path, isFolder: isFolder))
    }

    private static func ancestors(_ path: [UInt8]) -> [[UInt8]] {
        path.indices.filter { path[$0] == UInt8(ascii: "/") }.map { Array(path[..<$0]) }
    }

    /// Creates the folders only; for git, a path that does not exist is not a folder.
    private static func create(_ folder: Sample.Folder, in repository: URL) throws {
        let place = repository.appending(path: folder.name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try write(Sample.withoutStarBug(folder.text), to: place.appending(path: ".gitignore"))
        if let inner = folder.inner {
            try FileManager.default.createDirectory(at: place.appending(path: "s"), withIntermediateDirectories: false)
            try write(Sample.withoutStarBug(inner), to: place.appending(path: "s/.gitignore"))
        }
        for (path, isFolder) in folder.isPath where isFolder {
            for path in ancestors(path) + [path] {
                let name = (bytes(place.path + "/") + path + [0]).map { CChar(bitPattern: $0) }
                let code = unsafe mkdir(name, 0o755)
                try #require(code == 0 || errno == EEXIST)
            }
        }
    }

    private static func write(_ bytes: [UInt8], to file: URL) throws {
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// Input and output go through files, so neither side can wait for the other.
    private static func run(_ arguments: [String], in repository: URL, input: [UInt8] = []) throws -> [UInt8] {
        let files = (input: repository.appending(path: ".git-input"), output: repository.appending(path: ".git-output"))
        try write(input, to: files.input)
        try write([], to: files.output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/git")
        process.arguments = ["-C", repository.path] + arguments
        process.environment = [
            "HOME": repository.path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C",
        ]
        process.standardInput = try FileHandle(forReadingFrom: files.input)
        process.standardOutput = try FileHandle(forWritingTo: files.output)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus <= 1)  // check-ignore says 1 when nothing is ignored
        return try Array(Data(contentsOf: files.output))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).debugDescription }
    private static func text(_ verdict: Bool?) -> String { verdict.map { $0 ? "ignored" : "re-included" } ?? "nothing" }
}

/// SplitMix64, so that a seed gives the same sample everywhere.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
