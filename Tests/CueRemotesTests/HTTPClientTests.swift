import CueCurl
import CueSystem
import CueTestSupport
import Synchronization
import Testing

@Suite("Requests over HTTP")
struct HTTPClientTests {
    private let clock = TestClock()

    private func client(_ change: (inout HTTPSettings) -> Void = { _ in }) -> HTTPClient {
        var settings = HTTPSettings()
        settings.connectSeconds = 60
        change(&settings)
        return HTTPClient(settings, clock: clock.clock)
    }

    private func request(_ method: HTTPRequest.Method, _ server: LoopbackServer, body: [UInt8] = []) -> HTTPRequest {
        var request = HTTPRequest(method, server.address + "/a", label: "a")
        request.body = body
        return request
    }

    /// Answers with these, one after the other, and then with the last again and again.
    private func script(_ replies: LoopbackServer.Reply...) -> (LoopbackServer.Handler, @Sendable () -> Int) {
        let count = Ref(0)
        return (
            { _ in
                let number = count.value.withLock { count in
                    count += 1
                    return count
                }
                return replies[min(number, replies.count) - 1]
            }, { count.value.withLock(\.self) }
        )
    }

    private final class Ref: Sendable {
        let value: Mutex<Int>
        init(_ value: Int) { self.value = Mutex(value) }
    }

    @Test("A body goes up and comes down unchanged, whatever its size", arguments: [0, 1, 70_000, 3 << 20])
    func bodies(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let server = try LoopbackServer { .init(200, [("X-Method", $0.method)], $0.body) }

        for method in [HTTPRequest.Method.put, .post] {
            var asked = request(method, server, body: bytes)
            asked.limit = 4 << 20
            let answer = try client().perform(asked)
            #expect(answer.body == bytes && answer.headers["x-method"] == method.rawValue && answer.attempts == 1)
        }
    }

    @Test("Requests that come one after the other share a connection, and threads share a client")
    func connections() throws {
        let server = try LoopbackServer { .init(200, [], $0.body) }
        let client = client { $0.connections = 3 }

        for _ in 0..<10 { _ = try client.perform(request(.get, server)) }
        #expect(server.accepted == 1)
        let put = request(.put, server, body: [UInt8](repeating: 7, count: 100_000))
        try Workers.run(8) { _ in
            for _ in 0..<5 { try demand(try client.perform(put).body == put.body, "another body") }
        }
        #expect(server.accepted <= 4)
    }

    @Test("What heals is asked again after longer and longer waits", arguments: [408, 429, 500, 502, 503, 504])
    func retries(status: Int) throws {
        let (handler, count) = script(.init(status), .init(status), .init(status), .init(200, [], [9]))
        let server = try LoopbackServer(handler)

        let answer = try client().perform(request(.put, server, body: [1, 2, 3]))
        #expect(answer.body == [9] && answer.attempts == 4 && count() == 4)
        for (wait, usual) in zip(clock.waits, [1.0, 2, 4]) { #expect(abs(wait - usual) <= usual / 4) }
    }

    @Test("What does not heal is asked once", arguments: [400, 401, 403, 404, 409, 412, 501, 507])
    func refusals(status: Int) throws {
        let (handler, count) = script(.init(status))
        let server = try LoopbackServer(handler)

        #expect(try client().perform(request(.get, server)).status == status)
        #expect(count() == 1 && clock.waits.isEmpty)
    }

    @Test("A server says itself when it wants to be asked again, but not a day later")
    func retryAfter() throws {
        let (handler, _) = script(
            .init(503, [("Retry-After", "17")]), .init(200), .init(503, [("Retry-After", "86400")]))
        let server = try LoopbackServer(handler)
        let client = client()

        #expect(try client.perform(request(.get, server)).status == 200)
        #expect(clock.waits == [17])
        let late = try client.perform(request(.get, server))
        #expect(late.status == 503 && late.retryAfter == 86_400 && clock.waits == [17])
    }

    @Test("After so many tries the last answer is the answer")
    func givesUp() throws {
        let (handler, count) = script(.init(503))
        let server = try LoopbackServer(handler)

        #expect(try client().perform(request(.get, server)).status == 503)
        #expect(count() == 5)
    }

    @Test("A connection that breaks in the head or in the body is tried again", arguments: [0, 10, 60])
    func broken(after count: Int) throws {
        let whole = LoopbackServer.Reply(200, [], [UInt8](repeating: 5, count: 1000))
        var cut = whole
        cut.manner = .cut(after: count)
        let (handler, asked) = script(cut, whole)
        let server = try LoopbackServer(handler)
        var bytes = [UInt8](repeating: 0, count: 1000)
        var span = bytes.mutableSpan

        let answer = try client().read(request(.get, server), status: 200, into: &span)
        #expect(answer.received == 1000 && answer.attempts == 2 && asked() == 2)
        #expect(bytes == whole.body)
    }

    @Test("Where nothing answers, that is said after three tries")
    func away() throws {
        let address = try LoopbackServer { _ in .init(200) }.address

        #expect(throws: HTTPError.noConnection("127.0.0.1")) {
            try client().perform(HTTPRequest(.get, address, label: "a"))
        }
        #expect(clock.waits.count == 2)
    }

    @Test("A server that does not speak TLS is asked once")
    func noTLS() throws {
        let server = try LoopbackServer { _ in .init(200) }
        #expect(throws: HTTPError.noTLS("127.0.0.1")) {
            try client().perform(HTTPRequest(.get, "https://127.0.0.1:\(server.port)/a", label: "a"))
        }
        #expect(clock.waits.isEmpty)
    }

    @Test("A server that says nothing where TLS should begin was never reached")
    func silence() throws {
        let server = try LoopbackServer(isSilentToTLS: true) { _ in .init(200) }
        let client = client {
            $0.connectSeconds = 1
            $0.attemptsOffline = 1
        }
        #expect(throws: HTTPError.noConnection("127.0.0.1")) {
            try client.perform(HTTPRequest(.get, "https://127.0.0.1:\(server.port)/a", label: "a"))
        }
    }

    @Test("A body without end, a head without end and a body longer than its buffer are no answers")
    func endless() throws {
        let server = try LoopbackServer { _ in .init(200, [], [UInt8](repeating: 1, count: 4096), .endless) }
        let heads = try LoopbackServer { _ in
            .init(200, (0..<2000).map { ("X-\($0)", "a long value that says nothing at all, again and again") })
        }
        var bytes = [UInt8](repeating: 0, count: 10_000)
        var span = bytes.mutableSpan

        #expect(throws: HTTPError.tooLarge) { try client().perform(request(.get, server)) }
        #expect(throws: HTTPError.tooLarge) { try client().perform(request(.get, heads)) }
        do {
            _ = try client().read(request(.get, server), status: 200, into: &span)
            Issue.record("it was read")
        } catch { #expect(error == .tooLarge) }
        #expect(clock.waits.isEmpty)
    }

    @Test("A trickle of bytes is given up")
    func trickle() throws {
        let server = try LoopbackServer { _ in .init(200, [], [UInt8](repeating: 1, count: 100_000), .trickle(200)) }
        let client = client {
            $0.stallSeconds = 1
            $0.attempts = 1
        }

        #expect(throws: HTTPError.timedOut) { try client.perform(request(.get, server)) }
    }

    @Test("A redirect is followed on the same server; another one is not asked", arguments: [301, 302, 307, 308])
    func redirects(status: Int) throws {
        let (handler, count) = script(.init(200))
        let other = try LoopbackServer(handler)
        let here = try LoopbackServer { request in
            switch request.target {
            case "/a": .init(status, [("Location", "/b")])
            case "/b": .init(200, [], [4])
            case "/round": .init(status, [("Location", "/round")])
            default: .init(status, [("Location", other.address + "/b")])
            }
        }

        #expect(try client().perform(request(.get, here)).body == [4])
        #expect(throws: HTTPError.redirected("127.0.0.1")) {
            try client().perform(HTTPRequest(.get, here.address + "/away", label: "a"))
        }
        #expect(try client().perform(HTTPRequest(.get, here.address + "/round", label: "a")).status == status)
        #expect(count() == 0)
    }

    @Test("A stop ends a request that hangs, and no further one begins")
    func stops() throws {
        let stop = Ref(0)
        let server = try LoopbackServer { _ in
            stop.value.withLock { $0 = 1 }
            return .init(200, [], [], .silence)
        }
        let client = HTTPClient(cancellation: Cancellation { stop.value.withLock { $0 == 1 } })

        #expect(throws: HTTPError.interrupted) { try client.perform(request(.get, server)) }
        #expect(throws: HTTPError.interrupted) { try client.perform(request(.get, server)) }
    }

    @Test("A header with a line break is not sent")
    func lineBreaks() throws {
        let (handler, count) = script(.init(200))
        let server = try LoopbackServer(handler)
        var request = request(.get, server)
        request.headers = [("X-A", "b\r\nX-C: d")]

        #expect(throws: HTTPError.badAddress("a")) { try client().perform(request) }
        #expect(count() == 0)
    }

    @Test("A limit holds for all transfers of a direction together")
    func limits() throws {
        let server = try LoopbackServer { _ in .init(200) }
        let client = HTTPClient(
            { () -> HTTPSettings in
                var settings = HTTPSettings()
                settings.uploadLimit = 200_000
                return settings
            }())
        let put = request(.put, server, body: [UInt8](repeating: 7, count: 150_000))
        let start = Clock.system.seconds

        try Workers.run(2) { _ in _ = try client.perform(put) }
        // 300,000 bytes; libcurl lets the first ones pass.
        #expect(Clock.system.seconds - start > 0.5)
    }

    @Test("The log has a line for each request, without a secret")
    func lines() throws {
        let (handler, _) = script(.init(503), .init(200, [], [1, 2]))
        let server = try LoopbackServer(handler)
        let seen = Lines()
        let client = HTTPClient(clock: clock.clock) { line in seen.add(line) }
        var asked = request(.put, server, body: [1, 2, 3])
        asked.signature = .init(region: "us-east-1", service: "s3", key: "known", secret: "hidden")

        _ = try client.perform(asked)
        #expect(seen.all.map(\.status) == [503, 200])
        #expect(seen.all.map(\.sent) == [3, 3] && seen.all.map(\.received) == [0, 2])
        #expect(!seen.all.contains { "\($0)".contains("hidden") })
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[HTTPLine]>([])
        var all: [HTTPLine] { lines.withLock(\.self) }
        func add(_ line: HTTPLine) { lines.withLock { $0.append(line) } }
    }
}
