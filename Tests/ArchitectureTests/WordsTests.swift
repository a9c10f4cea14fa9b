import CueTestSupport
import Foundation
import Testing

@Suite("Facts below, words in the face")
struct WordsTests {
    /// Texts that no face shows: names of values in the local store, and texts in files that cue writes.
    private static let known: Set<String> = [
        "allowed notify command", "intent is of disk", "removals held back",
        "# This folder is a library of cue. Without this file cue does not back it up.\\n",
        "A vault of cue: encrypted backup for writers. docs/format.md says how it is built.",
        "cue plan snapshot v1", "cue plan public key", "cue plan secret key",
    ]

    /// What an earlier cue kept in a watcher's state, and is still read.
    private static let kept: Set<String> = [
        "case told(String, hints: [String])", "private var message: String?", "private var hints: [String]?",
    ]

    @Test("No sentence stands below the faces")
    func noSentences() throws {
        for (file, text) in try Self.files() {
            for sentence in Self.sentences(in: text) where !Self.known.contains(sentence) {
                Issue.record("\(file): \"\(sentence)\" belongs in CueCLI/Words")
            }
        }
    }

    @Test("No value below the faces carries a sentence that a face made")
    func noCarriers() throws {
        for (file, text) in try Self.files() {
            for match in text.matches(of: /(?m)^.*\b(?:message|hints?|sentences?|advice)\b[^\n:]*: *\[?String.*$/)
            where !Self.kept.contains(match.output.trimmingCharacters(in: .whitespaces)) {
                Issue.record("\(file): \(match.output) belongs in CueCLI/Words")
            }
        }
    }

    @Test(
        "A sentence is found wherever it stands, and no SQL, precondition or comment is taken for one",
        arguments: [
            (#"throw Damage("the pack is gone")"#, 1), (#"let a = "\(name): it is missing""#, 1),
            (#"let a = "one of \(count) packs is gone""#, 1), (#"f("x", "keys/: there is none here")"#, 1),
            (#"f(sql: "SELECT one FROM that table")"#, 0), (#"precondition(is, "a key of 32 bytes")"#, 0),
            (#"guard is else { preconditionFailure("an array has an end") }"#, 0),
            (#"// "the pack is gone""#, 0), (#"let a = "vault.json""#, 0), (#"let a = "two words""#, 0),
        ])
    func finds(code: String, count: Int) { #expect(Self.sentences(in: code).count == count, "\(code)") }

    /// The path and the text of each source file below the faces.
    private static func files() throws -> [(path: String, text: String)] {
        try ["Engine", "Stores", "Core", "Base", "Bridges"].flatMap { layer in
            let root = Project.root + "/Sources/" + layer
            let files = try #require(FileManager.default.enumerator(atPath: root))
            return try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { file in
                ("\(layer)/\(file)", try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8))
            }
        }
    }

    /// The string literals with three or more words in a row, but for SQL and the texts of preconditions.
    private static func sentences(in text: String) -> [String] {
        let sql = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|PRAGMA|DROP|WHERE|FROM|ORDER BY)\b|, client_time,/
        let code = text.replacing(/(?m)^\s*\/\/.*$/, with: "")
        var found: [String] = []
        for match in code.matches(of: /"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"/) {
            let literal = String(match.output.trimmingPrefix("\"").dropLast())
            // What is interpolated parts the words around it.
            let words = literal.replacing(/\\\((?:[^()]|\([^()]*\))*\)/, with: "|")
            guard words.contains(/[A-Za-z][a-z'’,]* [a-z'’,]+ [a-z'’]+/), !words.contains(sql) else { continue }
            let before = code[..<match.range.lowerBound].suffix(200)
            let isChecked = before.contains(
                /(?:precondition|preconditionFailure|fatalError|assert)\([^\n]*(?:\n[^\n]*)?$/)
            if !isChecked { found.append(literal) }
        }
        return found
    }
}
