import CueCurl
import CueRemotes
import CueStorage
import CueSystem
import CueTestSupport
import Synchronization
import Testing

/// Each class of wrong answer, with what it means to a caller of the store (docs/faults.md). The object `packs/a` is
/// there; its bytes are 0, 1, 2, … 99.
@Suite("Wrong answers of a service")
struct WrongAnswerTests {
    /// What is asked for.
    enum Call: String, Sendable { case put, range, get, size, list, delete }

    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: Call
        /// nil: the right one comes all the same.
        let error: StorageError?
        let reply: @Sendable () -> LoopbackServer.Reply

        init(
            _ description: String, _ call: Call, _ error: StorageError?,
            _ reply: @escaping @Sendable () -> LoopbackServer.Reply
        ) {
            (testDescription, self.call, self.error, self.reply) = ("\(call): \(description)", call, error, reply)
        }

        /// An answer byte by byte.
        init(_ description: String, _ call: Call, _ error: StorageError?, raw text: String, ends: Bool = false) {
            self.init(description, call, error) {
                let bytes = Array(text.replacing("\n", with: "\r\n").utf8)
                return .init(raw: bytes, ends ? .cut(after: bytes.count) : .whole)
            }
        }

        /// A listing with this inside.
        init(_ description: String, listing text: String, _ error: StorageError?) {
            self.init(description, .list, error) {
                .init(200, [], Array("<ListBucketResult>\(text)</ListBucketResult>".utf8))
            }
        }
    }

    private static let bytes = (0..<100).map { UInt8($0) }
    private static let gone = StorageError.unreachable("s3://vault/")
    private static func foreign(_ what: String = "status 200") -> StorageError { .service(.notTheService(what)) }

    // MARK: Answers that stay wrong

    private static let puts = [
        Answer("200 without a tag, as a proxy says it", .put, foreign()) { .init(200) },
        Answer("the log-in page of a network", .put, foreign("status 200, text/html")) {
            .init(200, [("Content-Type", "text/html")], Array("<html>Welcome</html>".utf8))
        },
        Answer("an error behind status 200", .put, .service(.denied(.write, "packs/b"))) {
            FakeS3.error(200, "AccessDenied", headers: [("ETag", "\"a\"")])
        },
        Answer("500 for ever", .put, gone) { FakeS3.error(500, "InternalError") },
        Answer("503 for ever", .put, gone) { FakeS3.error(503, "SlowDown") },
        Answer("503 until tomorrow", .put, .busy("s3://vault/", seconds: 86_400)) {
            FakeS3.error(503, "SlowDown", headers: [("Retry-After", "86400")])
        },
        Answer("429 without a word", .put, gone) { .init(429) },
        Answer("no permission to write", .put, .service(.denied(.write, "packs/b"))) {
            FakeS3.error(403, "AccessDenied")
        },
        Answer("a clock that is off", .put, .service(.wrongClock(-3600))) {
            FakeS3.error(403, "RequestTimeTooSkewed", headers: [("Date", "Mon, 21 Sep 2026 15:13:20 GMT")])
        },
        Answer("no space", .put, .noSpace) { .init(507) },
        Answer("the connection ends at once", .put, gone) { .init(raw: [], .cut(after: 0)) },
        Answer(
            "bytes that got spoilt on the way, each time", .put,
            .service(.refused(status: 400, code: "BadDigest", "packs/b"))
        ) {
            FakeS3.error(400, "BadDigest")
        },
        Answer("another writer of the name, each time", .put, gone) { FakeS3.error(409, "ConditionalRequestConflict") },
    ]

    private static let ranges = [
        Answer("206 with another range", .range, .service(.noRanges)) {
            .init(206, [("Content-Range", "bytes 0-9/100")], Array(bytes[..<10]))
        },
        Answer("206 without a range", .range, .service(.noRanges)) { .init(206, [], Array(bytes[..<10])) },
        Answer("206 with less than the range", .range, .shortRead("packs/a")) {
            .init(206, [("Content-Range", "bytes 5-7/100")], [5, 6, 7])
        },
        Answer("206 with more than the range", .range, .service(.endlessAnswer("packs/a"))) {
            .init(206, [("Content-Range", "bytes 5-14/100")], Array(bytes[5..<20]))
        },
        Answer("200 with the whole object", .range, .service(.noRanges)) { .init(200, [("ETag", "\"a\"")], bytes) },
        Answer("200 with the log-in page of a network", .range, foreign("status 200, text/html")) {
            .init(200, [("Content-Type", "text/html")], Array("<html>Welcome to the hotel</html>".utf8))
        },
        Answer("206 without end", .range, .service(.endlessAnswer("packs/a"))) {
            .init(206, [("Content-Range", "bytes 5-14/100")], bytes, .endless)
        },
        Answer("a length that is longer than the body", .range, gone) {
            .init(206, [("Content-Range", "bytes 5-14/100"), ("Content-Length", "10")], [5, 6, 7], .cut(after: 1000))
        },
        Answer("the object ends before the range", .range, .shortRead("packs/a")) { FakeS3.error(416, "InvalidRange") },
    ]

    private static let gets = [
        Answer("no tag", .get, foreign()) { .init(200, [], bytes) },
        Answer("no permission to read", .get, .service(.denied(.read, "packs/a"))) {
            FakeS3.error(403, "AccessDenied")
        },
        Answer("a body without end", .get, .tooLarge("packs/a")) { .init(200, [("ETag", "\"a\"")], bytes, .endless) },
        Answer(
            "chunks that are broken", .get, gone,
            raw: "HTTP/1.1 200 OK\nETag: \"a\"\nTransfer-Encoding: chunked\n\nzz\nno chunk\n"),
        Answer(
            "chunks that do not end", .get, gone,
            raw: "HTTP/1.1 200 OK\nETag: \"a\"\nTransfer-Encoding: chunked\n\n5\nabcde\n", ends: true),
        Answer(
            "a length that is no number", .get, gone, raw: "HTTP/1.1 200 OK\nETag: \"a\"\nContent-Length: ten\n\nabc",
            ends: true),
        Answer(
            "a length below zero", .get, gone, raw: "HTTP/1.1 200 OK\nETag: \"a\"\nContent-Length: -5\n\nabc",
            ends: true),
        Answer("a redirect to another server", .get, .service(.redirected("elsewhere.example"))) {
            .init(307, [("Location", "http://elsewhere.example/a")])
        },
        Answer("a redirect to another protocol", .get, .service(.redirected("127.0.0.1"))) {
            .init(301, [("Location", "https://127.0.0.1/a")])
        },
        Answer("a redirect to a file", .get, .service(.redirected("file:///etc/passwd"))) {
            .init(301, [("Location", "file:///etc/passwd")])
        },
        Answer("a head without end", .get, .tooLarge("packs/a")) {
            .init(200, (0..<2000).map { ("X-\($0)", "a long value that says nothing at all, again and again") })
        },
    ]

    private static let sizes = [
        Answer("no tag", .size, foreign()) { .init(200, [("Content-Length", "100")]) },
        Answer("no length", .size, foreign(), raw: "HTTP/1.1 200 OK\nETag: \"a\"\n\n", ends: true),
        Answer("403 without a word", .size, .service(.denied(.read, "packs/a"))) { .init(403) },
    ]

    private static let deletes = [
        Answer("no permission to delete", .delete, .service(.denied(.delete, "packs/a"))) {
            FakeS3.error(403, "AccessDenied")
        }
    ]

    private static let lists = [
        Answer("no permission to list", .list, .service(.denied(.list, "packs"))) { FakeS3.error(403, "AccessDenied") },
        Answer("another region", .list, .service(.wrongRegion("eu-west-3"))) {
            .init(301, [("x-amz-bucket-region", "eu-west-3")])
        },
        Answer("another region, in the words of a signature", .list, .service(.wrongRegion("eu-west-3"))) {
            FakeS3.error(400, "AuthorizationHeaderMalformed", "<Region>eu-west-3</Region>")
        },
        Answer("entities that multiply", .list, foreign()) {
            let names = (1...9).map { "<!ENTITY a\($0) \"&a\($0 - 1);&a\($0 - 1);&a\($0 - 1);&a\($0 - 1);\">" }.joined()
            let text = "<!DOCTYPE r [<!ENTITY a0 \"aaaaaaaaaa\">\(names)]><ListBucketResult>&a9;</ListBucketResult>"
            return .init(200, [], Array(text.utf8))
        },
        Answer("elements nested without end", .list, foreign()) {
            .init(200, [], Array(("<ListBucketResult>" + String(repeating: "<a>", count: 100_000)).utf8))
        },
        Answer("more pages, and no name", listing: "<IsTruncated>true</IsTruncated>", .endlessList("packs")),
        Answer(
            "more pages, each the same",
            listing: "<IsTruncated>true</IsTruncated><Contents><Key>packs/a</Key><Size>1</Size></Contents>",
            .endlessList("packs")),
        Answer(
            "a key that leads elsewhere",
            listing:
                "<Contents><Key>packs/../keys/a</Key><Size>1</Size></Contents><Contents><Key>/etc/passwd</Key><Size>1</Size></Contents>",
            nil),
    ]

    private static let all = puts + ranges + gets + sizes + deletes + lists

    /// What comes of a call: the error, or whether it did what it has to.
    private func outcome(_ call: Call, _ store: S3Store) -> Result<Bool, StorageError> {
        do throws(StorageError) {
            switch call {
            case .put:
                try store.put(ObjectName("packs/b"), Self.bytes)
                return .success(true)
            case .range:
                var part = [UInt8](repeating: 0, count: 10)
                var span = part.mutableSpan
                try store.read(ObjectName("packs/a"), at: 5, into: &span)
                return .success(part.elementsEqual(Self.bytes[5..<15]))
            case .get: return .success(try store.get(ObjectName("packs/a"), upTo: 100) == Self.bytes)
            case .size: return .success(try store.size(of: ObjectName("packs/a")) == 100)
            case .list: return .success(try store.list("packs").allSatisfy { $0.name.text == "packs/a" })
            case .delete:
                try store.delete(ObjectName("packs/a"))
                return .success(true)
            }
        } catch { return .failure(error) }
    }

    private func store(
        _ fake: FakeS3, _ change: (inout HTTPSettings) -> Void = { _ in }
    ) throws -> (S3Store, LoopbackServer, TestClock) {
        fake.set("packs/a", to: Self.bytes)
        let server = try LoopbackServer(fake.answer)
        let clock = TestClock()
        var settings = HTTPSettings()
        change(&settings)
        return (try S3Places.store(server.address, settings: settings, clock: clock.clock), server, clock)
    }

    @Test("Each has its error, within a few tries, and no object is taken for another", arguments: all)
    func stays(_ answer: Answer) throws {
        let fake = FakeS3 { _, _ in answer.reply() }
        let (store, server, clock) = try store(fake)

        switch outcome(answer.call, store) {
        case .success(let isRight): #expect(answer.error == nil && isRight)
        case .failure(let error): #expect(error == answer.error)
        }
        #expect(fake.requests.count <= 8 && clock.seconds <= 60)
        #expect(fake.objects == ["packs/a": Self.bytes])
        _ = server
    }

    // MARK: Answers that are wrong once

    private static let passing: [(String, @Sendable () -> LoopbackServer.Reply)] = [
        ("an internal error", { FakeS3.error(500, "InternalError") }),
        ("too many requests", { FakeS3.error(503, "SlowDown", headers: [("Retry-After", "3")]) }),
        ("a gateway that waits no longer", { .init(504, [], Array("<html>".utf8)) }),
        ("no answer at all", { .init(raw: [], .cut(after: 0)) }),
        ("half a head", { .init(raw: Array("HTTP/1.1 200 O".utf8), .cut(after: 100)) }),
        ("half a body", { .init(206, [("ETag", "\"a\""), ("Content-Length", "100")], [0, 1, 2], .cut(after: 1000)) }),
        (
            "chunks that are broken",
            { .init(raw: Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".utf8)) }
        ),
    ]

    @Test(
        "What heals by itself is asked again, whatever was asked", arguments: passing.indices,
        [Call.put, .range, .get, .list, .delete])
    func passes(_ number: Int, _ call: Call) throws {
        let fake = FakeS3 { _, count in count == 1 ? Self.passing[number].1() : nil }
        let (store, server, clock) = try store(fake)

        let outcome = outcome(call, store)
        #expect(outcome == .success(true), "\(Self.passing[number].0)")
        #expect(clock.waits.count == 1 && fake.requests.count == 2)
        _ = server
    }

    @Test("An answer in HTTP/1.0, and one with headers twice, are answers")
    func oldForms() throws {
        let fake = FakeS3 { request, _ in
            guard request.method == "GET" else { return nil }
            let head = request.headers["x-amz-content-sha256"] == nil ? "" : "ETag: \"a\"\r\nETag: \"b\"\r\n"
            return .init(raw: Array("HTTP/1.0 200 OK\r\n\(head)\r\n".utf8) + Self.bytes, .cut(after: 10_000))
        }
        let (store, server, _) = try store(fake)

        #expect(outcome(.get, store) == .success(true))
        _ = server
    }

    @Test("A service that is silent, or next to that, is given up after two tries: each takes a minute already")
    func silent() throws {
        for manner in [LoopbackServer.Reply.Manner.silence, .trickle(200)] {
            let fake = FakeS3 { _, _ in .init(200, [("ETag", "\"a\"")], Self.bytes + Self.bytes, manner) }
            let (store, server, _) = try store(fake) { $0.stallSeconds = 1 }

            #expect(outcome(.get, store) == .failure(Self.gone))
            #expect(fake.requests.count == 2)
            _ = server
        }
    }

    @Test(
        "A connection that breaks in the middle of an upload costs that upload once more",
        arguments: [1, 50_000, 399_999])
    func brokenUpload(after count: Int) throws {
        let fake = FakeS3()
        let (store, server, _) = try store(fake)
        let bytes = [UInt8](repeating: 7, count: 400_000)

        server.cut(after: count)
        try store.put(ObjectName("packs/b"), bytes)
        #expect(fake.objects["packs/b"] == bytes && !server.isCutWaiting)
        #expect(fake.received + server.brokenOff <= 2 * bytes.count)
    }

    @Test("What redirects elsewhere gets the request, and elsewhere gets nothing")
    func redirects() throws {
        let asked = Mutex(0)
        let other = try LoopbackServer { _ in
            asked.withLock { $0 += 1 }
            return .init(200)
        }
        for call in [Call.put, .range, .get, .size, .list, .delete] {
            let fake = FakeS3 { _, _ in .init(307, [("Location", other.address + "/vault/a")]) }
            let (store, server, _) = try store(fake)

            #expect(outcome(call, store) == .failure(.service(.redirected("127.0.0.1"))))
            #expect(fake.requests.count == 1)
            _ = server
        }
        #expect(asked.withLock(\.self) == 0 && other.accepted == 0)
    }

    @Test("Objects in parts: an error behind 200 is one, and a lost answer to the last request is none")
    func parts() throws {
        let piece = [UInt8](repeating: 5, count: 50 << 20)
        let denied = FakeS3 { request, _ in
            request.method == "POST" && request.target.contains("uploadId")
                ? FakeS3.error(200, "InternalError") : nil
        }
        let (first, firstServer, _) = try store(denied)
        #expect(throws: Self.gone) { try first.put(ObjectName("packs/b"), piece) }
        #expect(denied.objects["packs/b"] == nil)

        let usual = FakeS3()
        let isLost = Mutex(true)
        let fake = FakeS3 { request, _ in
            let reply = usual.usual(request)
            guard request.method == "POST", request.target.contains("uploadId"),
                isLost.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return reply }
            return .init(raw: [], .cut(after: 0))
        }
        let (second, secondServer, _) = try store(fake)
        try second.put(ObjectName("packs/b"), piece)
        #expect(usual.objects["packs/b"] == piece)
        _ = (firstServer, secondServer)
    }

    @Test("A greeting of another protocol is no answer of the service")
    func greeting() throws {
        let server = try LoopbackServer { _ in
            .init(raw: Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), .cut(after: 100))
        }

        let found = outcome(.get, try S3Places.store(server.address))
        #expect(found == .failure(.service(.notTheService(server.address))))
    }

    @Test("A delete that answers 204 and keeps the object has deleted nothing")
    func kept() throws {
        let fake = FakeS3 { request, _ in request.method == "DELETE" ? .init(204) : nil }
        let (store, server, _) = try store(fake)

        #expect(try !store.deleteIfAllowed(ObjectName("packs/a")))
        _ = server
    }

    @Test("A listing page that says there is more, and has only names that cannot be read, does not end the listing")
    func foreignPage() throws {
        let text =
            "<IsTruncated>true</IsTruncated><EncodingType>url</EncodingType><Contents><Key>packs/%ff</Key><Size>1</Size></Contents>"
        let fake = FakeS3 { _, _ in .init(200, [], Array("<ListBucketResult>\(text)</ListBucketResult>".utf8)) }
        let (store, server, _) = try store(fake)

        #expect(outcome(.list, store) == .failure(.endlessList("packs")))
        _ = server
    }
}
