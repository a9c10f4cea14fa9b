import CueBase
import CueLibrary
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Synchronization
import Testing

@testable import CueEngine

@Suite("A restore while somebody writes")
struct RestoreRaceTests {
    /// What somebody does to a document between the look at it and its replacement.
    private struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// A line of the shell, run in the library.
        let script: String

        init(_ what: String, _ script: String) { (testDescription, self.script) = (what, script) }

        func run(in folder: String) throws {
            let result = try Program.run("/bin/bash", ["-ec", script], in: folder)
            guard result.code == 0 else { throw CocoaError(.executableLoad) }
        }
    }

    // MARK: Bundles

    private static let bundleChanges = [
        Change("a file in it is written over", "echo newer > Album.rtfd/TXT.rtf"),
        Change("a file in it is longer", "echo more >> Album.rtfd/Pictures/one.png"),
        Change("a file in it is saved beside and renamed", "echo newer > n; mv n Album.rtfd/TXT.rtf"),
        Change("a file is added", "echo new > Album.rtfd/two.png"),
        Change("a file is added to a folder in it", "echo new > Album.rtfd/Pictures/two.png"),
        Change("a file in it is removed", "rm Album.rtfd/Pictures/one.png"),
        Change("a folder in it is added", "mkdir Album.rtfd/Notes"),
        Change("a folder in it is renamed", "mv Album.rtfd/Pictures Album.rtfd/Images"),
        Change("a file in it becomes a link", "rm Album.rtfd/TXT.rtf; ln -s Pictures/one.png Album.rtfd/TXT.rtf"),
        Change("its mode in it is changed", "chmod 0600 Album.rtfd/TXT.rtf"),
        Change(
            "all of it is saved beside and put in its place",
            "mkdir n; echo newer > n/TXT.rtf; mv Album.rtfd o; mv n Album.rtfd; rm -r o"),
        Change("it becomes a single file", "rm -r Album.rtfd; echo newer > Album.rtfd"),
        Change("it becomes a link", "mkdir Real; mv Album.rtfd Real/; ln -s Real/Album.rtfd ."),
    ]

    /// A library with two states of a bundle, a file and a page; the first state is wanted back.
    private static func twoStates() throws -> (TestLibrary, first: String) {
        let test = try TestLibrary()
        try test.write("A.md", "first a")
        try test.write("Album.rtfd/Pictures/one.png", "first picture")
        try test.write("Album.rtfd/TXT.rtf", "first text")
        try test.write("B.md", "first b")
        let first = try test.backup()
        try test.write("A.md", "second a")
        try test.write("Album.rtfd/Pictures/one.png", "second picture")
        try test.write("Album.rtfd/TXT.rtf", "second text")
        try test.write("B.md", "second b")
        try test.backup()
        return (test, first)
    }

    private static func isNamed(_ name: String, _ summary: Restore.Summary) -> Bool {
        summary.failed.contains { $0.path.map { Display.text($0).hasPrefix(name) } ?? false }
    }

    @Test(
        "A bundle that somebody changes while it is restored stays as they left it, and is named",
        arguments: bundleChanges)
    private func bundle(change: Change) throws {
        let (test, first) = try Self.twoStates()
        let place = test.folder.appending("library")
        // Four files are written; after the last of them nothing stands in its place yet.
        let writer = Meanwhile(after: 4) {
            try change.run(in: place)
            _ = try Program.run("/bin/cp", ["-a", place, place + " then"])
        }

        let summary = try test.restore(at: first, reporter: writer)

        var (now, then) = (try test.contents(), try test.contents(of: "library then"))
        #expect(now["A.md"] == "first a" && now["B.md"] == "first b", "all others come back")
        for name in ["A.md", "B.md"] { (now[name], then[name]) = (nil, nil) }
        for name in then.keys where name.hasPrefix(".cue-restore") { then[name] = nil }
        #expect(now == then)
        #expect(Self.isNamed("Album.rtfd", summary), "\(summary.failed)")
        #expect(summary.documents == 2 && !summary.isDamaged)
    }

    @Test("A bundle that somebody removes while it is restored is named, and nothing half stays")
    func bundleRemoved() throws {
        let (test, first) = try Self.twoStates()
        let place = test.folder.appending("library/Album.rtfd")

        let summary = try test.restore(
            at: first, reporter: Meanwhile(after: 4) { try FileManager.default.removeItem(atPath: place) })

        let contents = try test.contents()
        #expect(contents == ["A.md": "first a", "B.md": "first b"])
        #expect(Self.isNamed("Album.rtfd", summary), "\(summary.failed)")
    }

    @Test("A bundle that somebody makes where none was stays, and is named")
    func bundleMade() throws {
        let (test, first) = try Self.twoStates()
        let place = test.folder.appending("library/Album.rtfd")
        try FileManager.default.removeItem(atPath: place)
        let folder = test.folder

        let summary = try test.restore(
            at: first, reporter: Meanwhile(after: 4) { try folder.write("library/Album.rtfd/mine.rtf", "mine") })

        let contents = try test.contents()
        #expect(
            contents == ["A.md": "first a", "B.md": "first b", "Album.rtfd": "", "Album.rtfd/mine.rtf": "mine"])
        #expect(Self.isNamed("Album.rtfd", summary), "\(summary.failed)")
    }

    @Test("A bundle that nobody touches is replaced whole")
    func bundleAlone() throws {
        let (test, first) = try Self.twoStates()

        let summary = try test.restore(at: first, reporter: Meanwhile(after: 4) {})

        let contents = try test.contents()
        #expect(
            contents == [
                "A.md": "first a", "B.md": "first b", "Album.rtfd": "", "Album.rtfd/Pictures": "",
                "Album.rtfd/Pictures/one.png": "first picture", "Album.rtfd/TXT.rtf": "first text",
            ])
        #expect(summary.failed.isEmpty && summary.documents == 3, "\(summary)")
    }

    private static let obstacleChanges = [
        Change("it is written over", "echo newer > Album.rtfd"),
        Change("it is saved beside and renamed", "echo newer > n; mv n Album.rtfd"),
        Change("it becomes a bundle", "rm Album.rtfd; mkdir Album.rtfd; echo newer > Album.rtfd/TXT.rtf"),
    ]

    @Test(
        "A file in a bundle's place that somebody changes while the bundle is restored stays as they left it",
        arguments: obstacleChanges)
    private func obstacle(change: Change) throws {
        let (test, first) = try Self.twoStates()
        let place = test.folder.appending("library")
        try FileManager.default.removeItem(atPath: place + "/Album.rtfd")
        try test.write("Album.rtfd", "a file")
        let writer = Meanwhile(after: 4) {
            try change.run(in: place)
            _ = try Program.run("/bin/cp", ["-a", place, place + " then"])
        }

        let summary = try test.restore(at: first, overwrite: true, reporter: writer)

        let album = { (contents: [String: String]) in
            contents.filter { $0.key.hasPrefix("Album.rtfd") || $0.key.hasPrefix(".cue-restore") }
        }
        let then = try album(test.contents(of: "library then")).filter { $0.key.hasPrefix("Album.rtfd") }
        #expect(try album(test.contents()) == then)
        #expect(Self.isNamed("Album.rtfd", summary), "\(summary.failed)")
    }

    @Test("A line that is written to a file in a bundle's place is in the folder or a version, whenever it is written")
    func obstacleWrittenTo() throws {
        for call in 1... {
            let (test, first) = try Self.twoStates()
            let place = test.folder.appending("library")
            try FileManager.default.removeItem(atPath: place + "/Album.rtfd")
            try test.write("Album.rtfd", "a file")
            try test.write("Same.md", "read to see that it is the same")
            try test.backup()
            let asked = Mutex(0)
            let isWritten = Mutex(false)
            let folder = test.folder
            let writing = test.library.with(
                surroundings: Surroundings(
                    cancellation: Cancellation {
                        guard
                            asked.withLock({
                                $0 += 1; return $0 == call
                            })
                        else { return false }
                        // Once the bundle is in its place, the file cannot be written any more.
                        let isDone = (try? folder.write("library/Album.rtfd", "a file, and a line")) != nil
                        isWritten.withLock { $0 = isDone }
                        return false
                    }))

            let reported: String
            do {
                let summary = try RestoreOverwriteTests.restore([], at: first, test, on: writing)
                reported = "\(summary)"
            } catch { reported = "\(error)" }

            let isReached = asked.withLock { $0 >= call }
            guard isReached else { return #expect(call > 5) }
            let texts = try RestoreOverwriteTests.texts(in: test).union(try test.contents().values)
            #expect(texts.contains("a file"), "written at \(call): \(reported)")
            let isSafe = isWritten.withLock { !$0 } || texts.contains("a file, and a line")
            #expect(isSafe, "written at \(call): \(reported)")
        }
    }

    // MARK: Single files

    private static let fileChanges = [
        Change("it is written over", "echo newer > B.md"),
        Change("it is longer", "echo more >> B.md"),
        Change("it is saved beside and renamed", "echo newer > n; mv n B.md"),
        Change("it becomes a folder", "rm B.md; mkdir B.md; echo newer > B.md/part.md"),
        Change("it becomes a link", "mv B.md C.md; ln -s C.md B.md"),
        Change("its mode is changed", "chmod 0600 B.md"),
        Change("its time is changed", "touch -d 2001-01-01 B.md"),
    ]

    @Test(
        "A file that somebody changes while others are restored stays as they left it, and is named",
        arguments: fileChanges, [false, true])
    private func file(change: Change, overwrite: Bool) throws {
        let test = try TestLibrary()
        for name in ["A.md", "B.md"] { try test.write(name, "first") }
        let first = try test.backup()
        for name in ["A.md", "B.md"] { try test.write(name, "second") }
        try test.backup()
        let place = test.folder.appending("library")
        // A.md is written, and waits beside its place; B.md is next.
        let writer = Meanwhile(after: 1) {
            try change.run(in: place)
            _ = try Program.run("/bin/cp", ["-a", place, place + " then"])
        }

        let summary = try test.restore(at: first, overwrite: overwrite, reporter: writer)

        #expect(try test.read("A.md") == "first")
        var then = try test.contents(of: "library then").filter { !$0.key.hasPrefix(".cue-restore") }
        then["A.md"] = "first"
        #expect(try test.contents() == then)
        #expect(Self.isNamed("B.md", summary), "\(summary.failed)")
        #expect(
            summary.failed.contains {
                switch $0.reason {
                case .notPlaced(.changedMeanwhile), .keptBeside, .replacedChanged: true
                default: false
                }
            }, "\(summary.failed)")
        #expect(summary.documents == 1 && summary.files == 1, "\(summary)")
    }

    @Test("A file that somebody makes where none was stays, and is named")
    func fileMade() throws {
        let test = try TestLibrary()
        for name in ["A.md", "B.md"] { try test.write(name, "first") }
        let first = try test.backup()
        for name in ["A.md", "B.md"] {
            try FileManager.default.removeItem(atPath: test.folder.appending("library/" + name))
        }
        let folder = test.folder

        let summary = try test.restore(
            at: first, reporter: Meanwhile(after: 1) { try folder.write("library/B.md", "mine") })

        #expect(try test.contents() == ["A.md": "first", "B.md": "mine"])
        #expect(Self.isNamed("B.md", summary), "\(summary.failed)")
    }
}
