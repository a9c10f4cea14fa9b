import CueBase
import CueSystem
import CueTestSupport
import Foundation
import Synchronization
import Testing

@testable import CueEngine

@Suite("Work that is stopped")
struct StoppedWorkTests {
    /// Says that work is to stop from the call with a number on, and counts the calls.
    private final class Stop: Sendable {
        private let first: Int
        private let asked = Mutex(0)

        init(at first: Int = .max) { self.first = first }

        var calls: Int { asked.withLock(\.self) }

        /// A library on which work stops so.
        func library(of test: TestLibrary) -> OpenLibrary {
            test.library.with(
                surroundings: Surroundings(
                    cancellation: Cancellation {
                        self.asked.withLock { asked in
                            asked += 1
                            return asked >= self.first
                        }
                    }))
        }
    }

    private static let files = ["One.md": "one", "Two.md": "two", "Novel.scriv/1.rtf": "a scene"]

    private static func library() throws -> TestLibrary {
        let test = try TestLibrary()
        for (name, text) in files { try test.write(name, text) }
        Wait.milliseconds(40)
        return test
    }

    @Test("A backup that is stopped at any moment leaves a whole vault, and the next one stores the rest")
    func backup() throws {
        let (whole, never) = (try Self.library(), Stop())
        _ = try Backup.run(EngineContext(never.library(of: whole), whole.vault))
        #expect(never.calls > 3)

        for call in 1...never.calls {
            let (test, stop) = (try Self.library(), Stop(at: call))
            #expect(throws: Interrupted.self, "stopped at \(call)") {
                try Backup.run(EngineContext(stop.library(of: test), test.vault))
            }

            let summary = try Backup.run(test.context)

            #expect(summary.skipped.isEmpty && summary.conflicting.isEmpty, "stopped at \(call)")
            let report = try Check.run(test.context.ofVault, readData: true)
            #expect(report.documents == 3 && !report.isContentHarmed, "stopped at \(call): \(report.problems)")
        }
    }

    @Test("A restore that is stopped at any moment leaves no draft, and the next one brings the rest")
    func restore() throws {
        let test = try Self.library()
        try test.write("Part/Letter.md", "a letter")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: test.folder.appending("library/Part"))
        try test.backup()
        let never = Stop()
        func mode(_ place: String) throws -> Int? {
            let path = test.folder.appending(place + "/Part")
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        func restore(_ stop: Stop, to place: String) throws {
            _ = try Restore.run(
                RestoreRequest(), EngineContext(stop.library(of: test), test.vault).ofVault,
                to: .folder(test.folder.bytes.appending(place)))
        }
        try restore(never, to: "whole")
        let files = try test.contents(of: "whole")
        #expect(never.calls > 3)

        for call in 1...never.calls {
            #expect(throws: Interrupted.self, "stopped at \(call)") { try restore(Stop(at: call), to: "\(call)") }
            let left = try test.contents(of: "\(call)").keys
            #expect(left.allSatisfy { files[$0] != nil }, "stopped at \(call): \(left)")
            // A folder that stays has its own mode: a backup would take another one for the writer's wish.
            #expect(try mode("\(call)") ?? 0o755 == 0o755, "stopped at \(call)")

            try restore(Stop(), to: "\(call)")

            #expect(try test.contents(of: "\(call)") == files, "stopped at \(call)")
        }
    }
}
