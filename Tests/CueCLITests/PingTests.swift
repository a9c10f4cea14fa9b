import CueCurl
import CueStorage
import CueTestSupport
import Synchronization
import Testing

@testable import CueCLI
@testable import CueEngine

@Suite("What a monitor hears")
struct PingTests {
    // MARK: Addresses

    @Test(
        "The event stands at the end of the path, in front of a query",
        arguments: [
            ("https://hc-ping.com/1234", "https://hc-ping.com/1234/start", "https://hc-ping.com/1234"),
            ("https://hc-ping.com/key/slug?create=1", "https://hc-ping.com/key/slug/start?create=1", nil),
            ("https://host/a/", "https://host/a/start", nil), ("https://host", "https://host/start", nil),
            ("https://host/a?x=b/c#part", "https://host/a/start?x=b/c", "https://host/a?x=b/c"),
            ("https://host?x=1", "https://host/start?x=1", nil),
        ])
    func addresses(text: String, start: String, ok: String?) {
        let address = PingAddress(text)

        #expect(address.url(.start) == start && address.url(.ok) == ok ?? text)
        #expect(address.url(.fail) == start.replacing("/start", with: "/fail"))
    }

    // MARK: Sending

    /// A monitor that notes what it hears.
    private final class Monitor: Sendable {
        private let heard = Mutex<[String]>([])

        var lines: [String] { heard.withLock(\.self) }

        func note(_ request: LoopbackServer.Request) {
            heard.withLock {
                $0.append("\(request.method) \(request.target) \(String(decoding: request.body, as: UTF8.self))")
            }
        }
    }

    @Test("Pings arrive in order, each with one line of JSON that holds counts alone")
    func order() throws {
        let monitor = Monitor()
        let server = try LoopbackServer { request in
            monitor.note(request)
            return .init(200, [], Array("OK".utf8))
        }
        let (pinger, address) = (Pinger(secondsEach: 60, log: nil), PingAddress(server.address + "/id?a=b"))
        var counts = Ping.Counts()
        (counts.documents, counts.stored) = (20, 3)

        pinger.send(.start("backup"), to: address)
        pinger.send(.end("backup", 3, seconds: 1.23456, counts), to: address)
        pinger.send(.end("sync", 7, seconds: 2), to: address)

        #expect(pinger.finish(within: 120))
        #expect(
            monitor.lines == [
                "POST /id/start?a=b {\"command\":\"backup\",\"event\":\"start\"}\n",
                "POST /id?a=b {\"command\":\"backup\",\"documents\":20,\"event\":\"ok\",\"exit_code\":3,\"seconds\":1.235,\"stored\":3}\n",
                "POST /id/fail?a=b {\"command\":\"sync\",\"event\":\"fail\",\"exit_code\":7,\"seconds\":2}\n",
            ])
    }

    @Test(
        "A backup that happened is told as one, whatever is left open; anything else is a failure",
        arguments: [
            (0, true), (3, true), (4, true), (1, false), (2, false), (5, false), (6, false), (7, false), (130, false),
        ])
    func outcomes(code: Int32, isWell: Bool) {
        #expect(Ping.end("backup", code, seconds: nil).event == (isWell ? .ok : .fail))
    }

    /// The troubles that are told, as they change.
    private final class Troubles: Sendable {
        private let told = Mutex<[PingTrouble?]>([])
        var all: [PingTrouble?] { told.withLock(\.self) }
        func note(_ trouble: PingTrouble?) { told.withLock { $0.append(trouble) } }
    }

    @Test("A monitor that refuses is asked once a ping, and its trouble is told once until it changes")
    func refusals() throws {
        let answers = Mutex<[Int]>([503, 503, 404, 200, 200])
        let server = try LoopbackServer { _ in .init(answers.withLock { $0.removeFirst() }) }
        let troubles = Troubles()
        let (pinger, address) = (Pinger(secondsEach: 60, log: nil, changed: troubles.note), PingAddress(server.address))

        for _ in 1...5 { pinger.send(.start("sync"), to: address) }

        #expect(pinger.finish(within: 120) && answers.withLock(\.isEmpty))
        #expect(troubles.all == [.refused(503), .refused(404), nil])
    }

    @Test("No ping follows to another place, on another server or on the same", arguments: [301, 302, 307, 308])
    func redirects(status: Int) throws {
        let elsewhere = Monitor()
        let other = try LoopbackServer { request in
            elsewhere.note(request)
            return .init(200)
        }
        let place = other.address + "/elsewhere"
        let monitor = Monitor()
        let server = try LoopbackServer { request in
            monitor.note(request)
            return .init(status, [("Location", request.target == "/far" ? place : "/near2")])
        }
        let troubles = Troubles()
        let pinger = Pinger(secondsEach: 60, log: nil, changed: troubles.note)

        pinger.send(.end("sync", 0, seconds: nil), to: PingAddress(server.address + "/far"))
        pinger.send(.end("sync", 0, seconds: nil), to: PingAddress(server.address + "/near"))

        #expect(pinger.finish(within: 120) && elsewhere.lines.isEmpty && monitor.lines.count == 2)
        #expect(troubles.all == [.unheard(.redirected("127.0.0.1")), .refused(status)])
    }

    @Test("A monitor that hangs, or sends its answer byte by byte, is given up; one that is not there too")
    func hangs() throws {
        let server = try LoopbackServer { request in
            request.target == "/slow/start" ? .init(200, [], [1], .trickle(40)) : .init(200, [], [], .silence)
        }
        let troubles = Troubles()
        let pinger = Pinger(secondsEach: 0.1, log: nil, changed: troubles.note)

        for place in ["/slow", "/silent"] { pinger.send(.start("backup"), to: PingAddress(server.address + place)) }
        pinger.send(.start("backup"), to: PingAddress("http://127.0.0.1:1/"))

        #expect(pinger.finish(within: 120))
        #expect(troubles.all == [.unheard(.timedOut), .unheard(.noConnection("127.0.0.1"))])
    }

    @Test("The end waits no longer than it is told to")
    func patience() throws {
        let server = try LoopbackServer { _ in .init(200, [], [], .silence) }
        let pinger = Pinger(secondsEach: 0.5, log: nil)

        pinger.send(.start("backup"), to: PingAddress(server.address))

        #expect(!pinger.finish(within: 0))
    }

    // MARK: A watcher

    private static let failure = Failure(StorageError.unreachable("/v"), vault: "/v")
    private static let denied = Failure(StorageError.noPermission("log"), vault: "/v")

    private static func saved() -> Watcher.Event {
        .saved(Sync.Summary(backup: .init()), whole: .init(backup: .init()), seconds: 1)
    }

    /// Event and exit code of what is heard, in the order of the events.
    private static func heard(_ events: [(Double, Watcher.Event)]) -> [String] {
        var pings = WatchPings()
        return events.map { time, event in
            pings.ping(for: event, at: time).map { "\($0.event.rawValue) \($0.exitCode ?? -1)" } ?? "-"
        }
    }

    @Test("Of a watcher that is well a monitor hears once a minute at most")
    func well() {
        let saved = Self.saved()

        let heard = Self.heard([
            (0, .started(folders: 1, limitation: nil)), (1, .syncing), (2, saved), (3, saved), (61, saved), (62, saved),
            (63, saved), (700, saved),
        ])

        #expect(heard == ["-", "-", "ok 0", "-", "-", "ok 0", "-", "ok 0"])
    }

    @Test("A trouble is told when it begins, when it is another, and each hour; its end at once")
    func trouble() {
        let (again, denied) = (Watcher.Event.failedAgain(Self.failure), Watcher.Event.error(Self.denied))

        let heard = Self.heard([
            (0, Self.saved()), (1, .offline(Self.failure, nextTry: 1)), (2, again), (3_600, again), (3_601, again),
            (3_602, denied), (3_603, .failedAgain(Self.denied)), (3_604, Self.saved()), (3_605, denied),
        ])

        #expect(heard == ["ok 0", "fail 7", "-", "-", "fail 7", "fail 1", "-", "ok 0", "fail 1"])
    }

    @Test("A vault that a reading found damaged is a failure, until a reading finds nothing")
    func damage() {
        let damaged = Watcher.Event.verified(RollingCheck.Report(packs: 1, problems: [.noKeySlot]))
        let whole = Watcher.Event.verified(RollingCheck.Report(packs: 1, problems: []))

        let heard = Self.heard([
            (0, Self.saved()), (1, damaged), (2, Self.saved()), (4_000, Self.saved()), (4_001, whole),
            (4_002, Self.saved()),
        ])

        #expect(heard == ["ok 0", "fail 6", "-", "fail 6", "-", "ok 0"])
    }
}
