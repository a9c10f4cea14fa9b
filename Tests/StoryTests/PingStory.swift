import CueTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Story: a monitor hears how backups go")
struct PingStory {
    /// A monitor in the manner of healthchecks.io.
    private final class Monitor: Sendable {
        private let server: LoopbackServer
        private let box = Box()

        /// `answer`: nil for the usual one.
        init(_ answer: LoopbackServer.Reply? = nil) throws {
            server = try LoopbackServer { [box] request in
                box.note(request)
                return answer ?? .init(200, [], Array("OK".utf8))
            }
        }

        private final class Box: Sendable {
            private let requests = Mutex<[LoopbackServer.Request]>([])
            var all: [LoopbackServer.Request] { requests.withLock(\.self) }
            func note(_ request: LoopbackServer.Request) { requests.withLock { $0.append(request) } }
        }

        var address: String { server.address + "/1234" }
        /// Such as `start`, and empty for success.
        var events: [String] { box.all.map { String($0.target.dropFirst("/1234".count)) } }
        var bodies: [JSON] { box.all.map { JSON(Data($0.body)) } }
        var texts: [String] { box.all.map { String(decoding: $0.raw, as: UTF8.self) } }
    }

    private static func small(_ monitor: Monitor) throws -> Cue {
        let cue = Cue()
        try cue.initialize()
        try cue.write("Secret name.md", "one")
        let marker = try cue.folder.read("library/.cue/library.toml")
        try cue.write(".cue/library.toml", marker + "\n[notify]\nping = \"\(monitor.address)\"\n")
        return cue
    }

    @Test("It hears the start and the end of a backup and of a sync, and no name")
    func well() throws {
        let monitor = try Monitor()
        let cue = try Self.small(monitor)

        try cue.snapshot()
        let sync = try cue.run("sync", in: cue.library)
        #expect(sync.code == 0, "\(sync.errors)")

        #expect(monitor.events == ["/start", "", "/start", ""])
        let (backup, synced) = (monitor.bodies[1], monitor.bodies[3])
        #expect(backup["event"].string == "ok" && backup["command"].string == "backup" && backup["exit_code"].int == 0)
        #expect(backup["documents"].int == 1 && backup["stored"].int == 1 && backup["seconds"].value != nil)
        #expect(synced["command"].string == "sync" && synced["stored"].int == 0 && synced["received"].int == 0)
        #expect(synced["conflicts"].int == 0 && backup["conflicts"].value == nil)
        for text in monitor.texts {
            #expect(!text.contains("Secret") && !text.contains(cue.folder.path) && !text.contains("library"), "\(text)")
        }
    }

    @Test("It hears of a backup that leaves something out as one that happened, with the exit code")
    func incomplete() throws {
        let monitor = try Monitor()
        let cue = try Self.small(monitor)
        #expect(try cue.shell("mkdir library/Pipe.rtfd && mkfifo library/pipe").code == 0)

        let result = try cue.backup()

        #expect(result.code == 3 && monitor.events == ["/start", ""], "\(result.text)")
        #expect(monitor.bodies.last?["exit_code"].int == 3)
    }

    @Test("It hears of a vault that is away, and the command fails as it does without a monitor")
    func away() throws {
        let monitor = try Monitor()
        let cue = try Self.small(monitor)
        try cue.snapshot()
        try cue.rename("vault", "away")
        let plain = try cue.folder.read("library/.cue/library.toml").components(separatedBy: "[notify]")[0]

        let told = try cue.run("backup", cue.library)
        let sync = try cue.run("sync", cue.library)
        try cue.write(".cue/library.toml", plain)
        let untold = try cue.run("backup", cue.library)

        #expect(told.code == 7 && told.code == untold.code && sync.code == 7)
        #expect(told.errors == untold.errors && told.text == untold.text)
        #expect(monitor.events == ["/start", "", "/start", "/fail", "/start", "/fail"])
        let failed = monitor.bodies[3]
        #expect(failed["event"].string == "fail" && failed["exit_code"].int == 7 && failed["documents"].value == nil)
        #expect(!monitor.texts.contains { $0.contains("vault") || $0.contains(cue.folder.path) })
    }

    @Test("A monitor that is away or refuses changes nothing; --verbose names neither its address nor a secret")
    func deaf() throws {
        let monitor = try Monitor(.init(500))
        let cue = try Self.small(monitor)

        let quiet = try cue.run("backup", cue.library)
        #expect(quiet.code == 0 && quiet.errors == "" && monitor.events == ["/start", ""], "\(quiet.errors)")
        let verbose = try cue.run("backup", cue.library, "--verbose")
        #expect(verbose.code == 0 && verbose.errors.contains("POST ping/start 500"), "\(verbose.errors)")
        #expect(verbose.errors.contains("POST ping 500") && !verbose.errors.contains("1234"), "\(verbose.errors)")

        let marker = try cue.folder.read("library/.cue/library.toml")
        try cue.write(
            ".cue/library.toml", marker.replacingOccurrences(of: monitor.address, with: "http://127.0.0.1:1/1234"))
        let away = try cue.run("backup", cue.library, "--verbose")
        #expect(away.code == 0 && away.errors.contains("POST ping/start no connection"), "\(away.errors)")
    }

    @Test("It hears that a watcher is well, that its vault goes away, and that it comes back")
    func watch() throws {
        let monitor = try Monitor()
        let cue = try Self.small(monitor)
        let watcher = try Watching(cue)
        func hears(_ events: [String]) -> Bool { eventually(within: 60) { monitor.events == events } }

        #expect(hears([""]), "\(monitor.events)")
        try cue.rename("vault", "away")
        try cue.write("Secret name.md", "one two")
        #expect(hears(["", "/fail"]), "\(monitor.events)")
        try cue.rename("away", "vault")
        #expect(hears(["", "/fail", ""]), "\(monitor.events)")
        let result = try watcher.stop()

        #expect(result.code == 0 && !result.errors.contains("[notify]"), "\(result.errors)")
        let bodies = monitor.bodies
        #expect(bodies.allSatisfy { $0["command"].string == "watch" } && bodies[1]["exit_code"].int == 7)
        #expect(bodies[0]["stored"].int == 1 && bodies[2]["stored"].int == 1)
        #expect(!monitor.texts.contains { $0.contains("Secret") || $0.contains(cue.folder.path) })
    }

    @Test("A watcher whose monitor refuses says so once, and saves all the same")
    func watchDeaf() throws {
        let monitor = try Monitor(.init(404))
        let cue = try Self.small(monitor)
        let watcher = try Watching(cue)
        try cue.rename("vault", "away")
        try cue.write("Secret name.md", "one two")
        #expect(eventually(within: 60) { monitor.events == ["", "/fail"] }, "\(monitor.events)")
        try cue.rename("away", "vault")
        #expect(try cue.arrives("Secret name.md", "one two", within: 60))

        let log = try watcher.stop().errors
        #expect(
            log.components(separatedBy: "does not hear this watcher: it answers with status 404").count == 2, "\(log)")
    }
}
