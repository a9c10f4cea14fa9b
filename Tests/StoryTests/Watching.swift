import CueTestSupport
import Foundation
import Testing

/// A watcher with short times beside the test; it ends with the test.
final class Watching {
    let cue: Cue
    private let process: Running
    private let library: String
    private let environment: [String: String?]
    private var stateFile: String?

    init(
        _ cue: Cue, debounce: Double = 0.3, poll: Double = 1, _ more: String..., library: String? = nil,
        environment: [String: String?] = [:], isSettled: Bool = true
    ) throws {
        self.cue = cue
        (self.library, self.environment) = (library ?? cue.library, environment)
        process = try cue.start(
            ["watch", self.library, "--debounce", "\(debounce)", "--poll", "\(poll)"] + more, environment: environment)
        if isSettled { try settle() }
    }

    deinit { process.send(SIGKILL) }

    var isRunning: Bool { process.isRunning }

    /// What the log says until now.
    func logSoFar() throws -> String { try process.errorsSoFar() }

    /// Waits until the first sync is done, or a later one.
    func settle() throws {
        let isIdle = try eventually { try self.phase() == "idle" && self.status().code == 0 }
        let status = try status()
        #expect(isIdle, "\(status.text)\(status.errors)")
    }

    func status() throws -> Running.Result { try cue.run("status", library, "--json", environment: environment) }

    func headline() throws -> String { try status().json["headline"].string }

    /// Where it cannot be asked, because its folder is not there, its own file tells.
    func phase() throws -> String { try state()["phase"].string }

    /// What it last wrote of itself; nothing while the file is that of a watcher before it.
    func state() throws -> JSON {
        if stateFile == nil { stateFile = findStateFile() }
        let state = JSON(stateFile.flatMap { try? Data(contentsOf: URL(fileURLWithPath: $0)) } ?? Data())
        return state["process"].int == Int(process.id) ? state : JSON(Data())
    }

    /// Looked for once: a look through folders in which files come and go may fail.
    private func findStateFile() -> String? {
        let home = (environment["CUE_HOME"] ?? nil) ?? cue.home
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: home)) ?? []
        return names.first { $0.hasSuffix("/watch.json") }.map { "\(home)/\($0)" }
    }

    func send(_ signal: Int32) { process.send(signal) }

    /// Ends it, and gives what it said.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) throws -> Running.Result {
        process.send(signal)
        return try end()
    }

    /// Waits for its end, and gives what it said.
    func end() throws -> Running.Result { try process.result(deadline: 60) }
}

/// Whether something becomes true in time.
func eventually(within seconds: Double = 15, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = Date().addingTimeInterval(seconds)
    repeat {
        if try condition() { return true }
        usleep(50_000)
    } while Date() < end
    return try condition()
}

extension Cue {
    /// How many commits all devices made.
    func commits() throws -> Int { try objects(in: "log").count }

    /// When the last of them was made, by the times of their files.
    func lastCommit() throws -> Date {
        let times = try objects(in: "log").compactMap {
            try FileManager.default.attributesOfItem(atPath: "\(vault)/\($0)")[.modificationDate] as? Date
        }
        return try #require(times.max())
    }

    /// What the vault has of a document, read by somebody who knows nothing of the library.
    func stored(_ name: String) throws -> String? {
        let result = try run("cat", name, "--vault", vault)
        return result.code == 0 ? result.text : nil
    }

    func arrives(_ name: String, _ text: String, within seconds: Double = 15) throws -> Bool {
        try eventually(within: seconds) { try stored(name) == text }
    }

    func arrives(_ name: String, within seconds: Double = 15, nothing: Bool) throws -> Bool {
        try eventually(within: seconds) { try (stored(name) == nil) == nothing }
    }
}
