import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// What a save of one more sentence costs, and that every version still comes back (docs/format.md §5 and §9).
@Suite("What a save costs")
struct SaveSizeTests {
    private var generator = SeededGenerator(seed: 1)

    /// Words that look like text to a compressor.
    private mutating func words(_ count: Int) -> String {
        (0..<count).map { _ in
            String(
                decoding: (0..<Int.random(in: 2...9, using: &generator)).map { _ in
                    UInt8.random(in: 97...122, using: &generator)
                }, as: UTF8.self)
        }.joined(separator: " ") + ". "
    }

    private func sizes(_ store: MemoryStore, _ folder: String) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: store.names.filter { $0.hasPrefix(folder) }.map { name in
                (name, store.bytes(of: name)?.count ?? 0)
            })
    }

    private func check(_ desk: TestLibrary) throws -> Check.Report {
        try Check.run(VaultContext(desk.vault), of: desk.library, readData: true)
    }

    @Test("Each save is one small object, now and then one with the whole chapter, and each version comes back")
    mutating func saves() throws {
        let desk = try TestLibrary()
        var text = (0..<60).map { _ in words(150) }
        try desk.write("Chapter.md", text.joined(separator: "\n\n"))
        try desk.backup()
        let before = sizes(desk.store, "log")
        var versions: [(snapshot: String, text: String)] = []
        for _ in 0..<40 {
            text[Int.random(in: 0...59, using: &generator)] += words(12)
            try desk.write("Chapter.md", text.joined(separator: "\n\n"))
            versions.append((try desk.backup(), text.joined(separator: "\n\n")))
        }

        let commits = sizes(desk.store, "log").filter { before[$0.key] == nil }.values.sorted()
        #expect(commits.count == 40 && sizes(desk.store, "packs").count <= 1)
        // The first edit is stored in full, as the base of those that follow.
        #expect(commits.filter { $0 > 4096 }.count <= 3, "\(commits)")
        #expect(commits.reduce(0, +) < 40 * 5_000, "\(commits)")
        for (snapshot, text) in versions {
            _ = try desk.restore(at: snapshot, overwrite: true)
            #expect(try desk.read("Chapter.md") == text)
        }
        #expect(try !check(desk).isContentHarmed)
    }

    @Test("A file of many chunks is stored as what changed in one of them, also in a bundle and after a rename")
    mutating func bundle() throws {
        let desk = try TestLibrary()
        var text = (0..<400).map { _ in words(150) }
        func write(_ name: String) throws { try desk.write(name + "/TXT.rtf", text.joined(separator: "\n\n")) }
        try write("Novel.rtfd")
        try desk.backup()
        text[200] += words(10)
        try write("Novel.rtfd")
        try desk.backup()
        let before = sizes(desk.store, "")
        text[200] += words(10)
        try write("Novel.rtfd")
        try desk.backup()
        try FileManager.default.moveItem(
            atPath: desk.folder.appending("library/Novel.rtfd"), toPath: desk.folder.appending("library/Book.rtfd"))
        text[201] += words(10)
        try write("Book.rtfd")
        try desk.backup()

        let new = sizes(desk.store, "").filter { before[$0.key] == nil && $0.key.hasPrefix("log") }
        #expect(new.count == 2 && new.values.allSatisfy { $0 <= 4096 }, "\(new)")
        #expect(try !check(desk).isContentHarmed)
    }

    @Test("What was stored against a base that the vault has lost is stored again, in full")
    mutating func lostBase() throws {
        let desk = try TestLibrary()
        // Random letters: the base is too large for a commit, and stands in a pack.
        let text = String(
            decoding: (0..<60_000).map { _ in UInt8.random(in: 33...126, using: &generator) }, as: UTF8.self)
        let ballast = String(
            decoding: (0..<60_000).map { _ in UInt8.random(in: 33...126, using: &generator) }, as: UTF8.self)
        try desk.write("Chapter.md", "draft")
        try desk.backup()
        try desk.write("Chapter.md", text)
        try desk.write("Other.md", ballast)
        try desk.backup()
        let base = try #require(sizes(desk.store, "packs").keys.first)
        try desk.write("Chapter.md", text + " One more.")
        try desk.backup()
        #expect(sizes(desk.store, "packs").count == 1)

        desk.store.set(base, to: nil)
        #expect(try check(desk).damagedDocuments.contains { Display.text($0.path) == "Chapter.md" })
        try desk.write("Third.md", "Something new, so that a backup looks.")
        try desk.backup()

        try FileManager.default.removeItem(atPath: desk.folder.appending("library/Chapter.md"))
        var request = RestoreRequest()
        request.names = ["Chapter.md"]
        _ = try Restore.run(request, VaultContext(desk.vault), to: .library(desk.library))
        #expect(try desk.read("Chapter.md") == text + " One more.")
    }

    @Test("What another device stored as a difference is read here, and edited on")
    mutating func otherDevice() throws {
        let (folder, store) = (TemporaryFolder(), MemoryStore())
        let laptop = try SyncDevice("laptop", in: folder, on: store)
        let desk = try SyncDevice("desk", in: folder, on: store)
        var text = (0..<40).map { _ in words(150) }
        for number in 0..<8 {
            let (here, there) = number % 4 < 2 ? (laptop, desk) : (desk, laptop)
            text[Int.random(in: 0...39, using: &generator)] += words(10)
            try here.write("Chapter.md", text.joined(separator: "\n\n"))
            _ = try here.sync()
            _ = try there.sync()
            #expect(try there.read("Chapter.md") == text.joined(separator: "\n\n"), "save \(number)")
        }
        let report = try Check.run(VaultContext(desk.vault), of: desk.library, readData: true)
        #expect(!report.isContentHarmed)
    }
}
