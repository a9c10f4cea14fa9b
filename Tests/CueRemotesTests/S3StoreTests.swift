import CueBase
import CueCurl
import CueRemotes
import CueStorage
import CueSystem
import CueTestSupport
import Foundation
import Synchronization
import Testing

@Suite("A vault in S3")
struct S3StoreTests {
    enum Kind: CaseIterable, Sendable { case whole, smallPages, ignoresConditions, takesOnlyMD5, atTheRoot, locked }

    @Test("It keeps every promise of an object store", arguments: ObjectStoreSuite.strictRules, Kind.allCases)
    func promises(_ rule: ObjectStoreSuite.Rule, _ kind: Kind) throws {
        let fake = FakeS3(pageSize: kind == .smallPages ? 2 : 1000, locksObjects: kind == .locked) { request, _ in
            if kind == .ignoresConditions, request.headers["if-none-match"] != nil {
                return FakeS3.error(501, "NotImplemented")
            }
            guard kind == .takesOnlyMD5, request.headers["x-amz-checksum-sha256"] != nil else { return nil }
            return FakeS3.error(400, "InvalidArgument")
        }
        let server = try LoopbackServer(fake.answer)
        let prefix = kind == .atTheRoot ? "" : "my vault/é+"
        let store = try S3Places.store(
            server.address, prefix: prefix, more: kind == .locked ? "&lock=90d" : "")
        try rule.check(.init(store) { fake.set((prefix.isEmpty ? "" : prefix + "/") + $0, to: [1]) })
    }

    @Test("Each object goes up with its SHA-256; where a service refuses that, with its MD5 from then on")
    func sums() throws {
        let takesAll = Mutex(true)
        let sums = Mutex<[String]>([])
        let fake = FakeS3 { request, _ in
            guard request.method == "PUT" else { return nil }
            let isNew = request.headers["x-amz-checksum-sha256"] != nil
            sums.withLock { $0.append(isNew ? "SHA-256" : request.headers["content-md5"] == nil ? "none" : "MD5") }
            return isNew && !takesAll.withLock { $0 } ? FakeS3.error(400, "InvalidArgument") : nil
        }
        let server = try LoopbackServer(fake.answer)
        let store = try S3Places.store(server.address)
        try store.put(ObjectName("log/a"), [1])
        takesAll.withLock { $0 = false }
        for name in ["log/b", "log/c"] { try store.put(ObjectName(name), [2]) }

        #expect(sums.withLock { $0 } == ["SHA-256", "SHA-256", "MD5", "MD5"])
        // Without a signature the request says its sum nowhere else.
        try S3Places.store(server.address, more: "&anonymous=yes").put(ObjectName("log/d"), [3])
        #expect(sums.withLock(\.last) == "MD5" && fake.objects.count == 4)
    }

    @Test("It keeps every promise of a record log", arguments: RecordLogSuite.rules)
    func logs(_ rule: RecordLogSuite.Rule) throws {
        let server = try LoopbackServer(FakeS3(pageSize: 3).answer)
        try rule.check(ObjectRecordLog(on: try S3Places.store(server.address)))
    }

    @Test(
        "Real servers keep every promise of an object store", .enabled(if: !S3Server.all.isEmpty, "CUE_S3_SERVERS"),
        arguments: ObjectStoreSuite.rules, S3Server.all)
    func realPromises(_ rule: ObjectStoreSuite.Rule, _ server: S3Server) throws {
        let prefix = S3Places.newPrefix()
        try S3Places.makeBucket(server)
        let store = try S3Places.store(
            server.url, prefix: prefix, key: server.key, secret: server.secret, clock: .system)
        try rule.check(.init(store) { try S3Places.leave($0, server.url, prefix: prefix, server) })
    }

    @Test(
        "Real servers keep every promise of a record log", .enabled(if: !S3Server.all.isEmpty, "CUE_S3_SERVERS"),
        arguments: RecordLogSuite.rules, S3Server.all)
    func realLogs(_ rule: RecordLogSuite.Rule, _ server: S3Server) throws {
        try S3Places.makeBucket(server)
        let store = try S3Places.store(
            server.url, prefix: S3Places.newPrefix(), key: server.key, secret: server.secret, clock: .system)
        try rule.check(ObjectRecordLog(on: store))
    }

    @Test("Each call is as few requests as it can be")
    func requests() throws {
        let fake = FakeS3()
        let server = try LoopbackServer(fake.answer)
        let store = try S3Places.store(server.address)
        let name = ObjectName("packs/ab/abcd")

        try store.put(name, [UInt8](repeating: 3, count: 2 << 20))
        _ = try store.get(name, upTo: 2 << 20)
        var bytes = [UInt8](repeating: 0, count: 100)
        var span = bytes.mutableSpan
        try store.read(name, at: 5, into: &span)
        _ = try store.list("packs")
        try store.delete(name)
        #expect(fake.requests.map { String($0.prefix { $0 != " " }) } == ["PUT", "GET", "GET", "GET", "DELETE"])
    }

    @Test("A very large object goes up in parts, and those of a dropped one are removed")
    func parts() throws {
        let fake = FakeS3()
        let server = try LoopbackServer(fake.answer)
        let store = try S3Places.store(server.address, prefix: "p")
        let piece = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 / 11) }
        func write(_ name: String) throws -> any ObjectWriter {
            let writer = try store.makeWriter(for: ObjectName(name))
            for _ in 0..<60 { try writer.write(piece.span) }
            return writer
        }

        try write("packs/one").finish()
        #expect(fake.objects["p/packs/one"]?.count == 60 << 20)
        #expect(fake.objects["p/packs/one"]?.suffix(piece.count).elementsEqual(piece) ?? false)
        #expect(throws: StorageError.alreadyThere("packs/one")) { try write("packs/one").finish() }
        try write("packs/two").cancel()
        #expect(fake.uploads == 0)
    }

    @Test("Parts that a killed run left are dropped a day later, when this one sends parts")
    func oldParts() throws {
        let fake = FakeS3()
        let server = try LoopbackServer(fake.answer)
        // The clock of these tests stands in September 2026.
        fake.leaveUpload("p/packs/old", begun: "2026-09-01T00:00:00.000Z")
        fake.leaveUpload("p/packs/new", begun: "2026-12-01T00:00:00.000Z")
        fake.leaveUpload("q/packs/of-another", begun: "2026-09-01T00:00:01.000Z")

        let writer = try S3Places.store(server.address, prefix: "p", clock: TestClock().clock)
            .makeWriter(for: ObjectName("packs/one"))
        try writer.write([UInt8](repeating: 1, count: 50 << 20).span)
        #expect(fake.uploads == 3)
        try writer.finish()
        #expect(fake.uploads == 2)
    }

    @Test("Beyond a cursor each device costs a request for few names, and all that is new is found")
    func looks() throws {
        let fake = FakeS3()
        let server = try LoopbackServer(fake.answer)
        let log = ObjectRecordLog(on: try S3Places.store(server.address))
        func name(_ device: Int, _ number: Int) -> String {
            let digits = String(number)
            let padded = String(repeating: "0", count: 10 - digits.count) + digits
            return "log/\(String(repeating: "\(device)", count: 32))/\(padded)-\(String(repeating: "a", count: 16))"
        }
        for device in 1...3 { for number in 1...400 { fake.set(name(device, number), to: [1]) } }
        let first = try log.news(after: .start)
        #expect(first.entries.count == 1200)
        let before = fake.requests.count

        let nothing = try log.news(after: first.cursor)
        #expect(nothing.entries.isEmpty && nothing.lost.isEmpty)
        // The beginning, and the end of each device.
        let asked = fake.requests[before...]
        #expect(asked.count == 4 && asked.count { $0.contains("max-keys=20&") } == 3, "\(asked)")
        for number in 401...450 { fake.set(name(2, number), to: [1]) }
        fake.set(name(4, 1), to: [1])
        fake.set(name(3, 400), to: nil)
        let news = try log.news(after: first.cursor)
        #expect(news.entries.count == 51 && news.lost.count == 1)
    }

    // MARK: Lost answers

    @Test("An object whose answer was lost is there, and that is no error", arguments: [10, 200_000])
    func lostAnswer(size: Int) throws {
        let store = FakeS3()
        let fake = FakeS3 { request, number in
            let reply = store.usual(request)
            // The first request is carried out, and its answer never comes.
            return number == 1 ? .init(raw: [], .cut(after: 0)) : reply
        }
        let server = try LoopbackServer(fake.answer)
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 3) }

        try S3Places.store(server.address).put(ObjectName("packs/a"), bytes)
        #expect(store.objects["packs/a"] == bytes)
    }

    @Test("Another object that has the name meanwhile is not taken for ours")
    func stranger() throws {
        let store = FakeS3()
        let fake = FakeS3 { request, number in
            guard number == 1 else { return store.usual(request) }
            store.set("packs/a", to: [9, 9, 9])
            return .init(raw: [], .cut(after: 0))
        }
        let server = try LoopbackServer(fake.answer)

        #expect(throws: StorageError.alreadyThere("packs/a")) {
            try S3Places.store(server.address).put(ObjectName("packs/a"), [1, 2, 3])
        }
        #expect(store.objects["packs/a"] == [9, 9, 9])
    }

    @Test("What answers 200 to everything and stores nothing is no S3")
    func saysYes() throws {
        let server = try LoopbackServer { _ in
            .init(200, [("Content-Type", "text/html")], Array("<html>Welcome to the hotel</html>".utf8))
        }
        let store = try S3Places.store(server.address)
        let what = StorageError.service(.notTheService("status 200, text/html"))

        #expect(throws: what) { try store.put(ObjectName("packs/a"), [1]) }
        #expect(throws: what) { try store.list("packs") }
    }

    @Test("An error behind status 200, as after parts were put together, is one")
    func errorBehindSuccess() throws {
        let server = try LoopbackServer { _ in
            var reply = FakeS3.error(200, "AccessDenied")
            reply.headers.append(("ETag", "\"a\""))
            return reply
        }
        #expect(throws: StorageError.service(.denied(.write, "packs/a"))) {
            try S3Places.store(server.address).put(ObjectName("packs/a"), [1])
        }
    }

    @Test("Wrong bytes of a small object are read again, and a tag that is no checksum costs that once")
    func wrongBytes() throws {
        let store = FakeS3()
        let hasOwnTags = Mutex(false)
        let fake = FakeS3 { request, number in
            var reply = store.usual(request)
            guard request.method == "GET" else { return reply }
            if hasOwnTags.withLock(\.self) {
                reply.headers = [("ETag", "\"0123456789abcdef0123456789abcdef\"")]
            } else if number == 2 {
                reply.body[1] ^= 1
            }
            return reply
        }
        let server = try LoopbackServer(fake.answer)
        let (store3, name) = (try S3Places.store(server.address), ObjectName("keys/a"))
        try store3.put(name, [1, 2, 3])

        #expect(try store3.get(name, upTo: 3) == [1, 2, 3] && fake.requests.count == 3)
        hasOwnTags.withLock { $0 = true }
        for _ in 0..<3 { #expect(try store3.get(name, upTo: 3) == [1, 2, 3]) }
        #expect(fake.requests.count == 3 + 4)
    }

    // MARK: Refusals

    @Test(
        "Each refusal is told apart",
        arguments: [
            (403, "InvalidAccessKeyId", "", StorageError.service(.unknownKey)),
            (403, "SignatureDoesNotMatch", "", .service(.wrongSecret)),
            (400, "ExpiredToken", "", .service(.expiredKey)),
            (403, "RequestTimeTooSkewed", "", .service(.wrongClock(3600))),
            (400, "AuthorizationHeaderMalformed", "<Region>eu-west-3</Region>", .service(.wrongRegion("eu-west-3"))),
            (301, "PermanentRedirect", "<Endpoint>elsewhere</Endpoint>", .service(.wrongRegion(nil))),
            (404, "NoSuchBucket", "", .service(.noBucket("vault"))),
            (403, "AccessDenied", "", .service(.denied(.list, "log"))),
            (403, "QuotaExceeded", "", .noSpace),
            (503, "SlowDown", "", .unreachable("s3://vault/")),
            (418, "Teapot", "", .service(.refused(status: 418, code: "Teapot", "log"))),
        ])
    func refusals(_ status: Int, _ code: String, _ more: String, _ error: StorageError) throws {
        // An hour before the time of the clock of these tests.
        let isLate = error == .service(.wrongClock(3600))
        let server = try LoopbackServer { _ in
            FakeS3.error(status, code, more, headers: isLate ? [("Date", "Mon, 21 Sep 2026 13:13:20 GMT")] : [])
        }
        let clock = TestClock()
        let store = try S3Places.store(server.address, clock: clock.clock)
        #expect(throws: error) { try store.list("log") }
    }

    @Test(
        "XML with entities, of another kind or cut in the middle is no listing",
        arguments: [
            "<!DOCTYPE a [<!ENTITY b \"c\">]><ListBucketResult>&b;</ListBucketResult>", "<a/>",
            "<ListBucketResult><Con", "",
        ])
    func foreignXML(_ text: String) throws {
        let server = try LoopbackServer { _ in .init(200, [], Array(text.utf8)) }
        #expect(throws: StorageError.service(.notTheService("status 200"))) {
            try S3Places.store(server.address).list("log")
        }
    }

    @Test("A listing that repeats, invents and leads back gives only names of objects, and an end")
    func hostileListing() throws {
        let text = """
            <ListBucketResult><IsTruncated>true</IsTruncated>
            <Contents><Key>v/log/../keys/00</Key><Size>1</Size></Contents>
            <Contents><Key>v/keys/00</Key><Size>1</Size></Contents>
            <Contents><Key>elsewhere</Key><Size>1</Size></Contents>
            <Contents><Key>v/log/b</Key><Size>99999999999999999999999</Size></Contents>
            <Contents><Key>v/log/a</Key><Size>-7</Size></Contents>
            <Contents><Key>v/log/a</Key><Size>1</Size></Contents></ListBucketResult>
            """
        let server = try LoopbackServer { _ in .init(200, [], Array(text.utf8)) }
        let store = try S3Places.store(server.address, prefix: "v")

        #expect(throws: StorageError.endlessList("log")) { try store.list("log") }
        let page = try store.list("log", after: nil)
        #expect(Set(page.entries.map(\.name.text)) == ["keys/00", "log/a"] && page.next == "log/a")
    }

    @Test("A service that does not read ranges is found out, and not taken at its word")
    func noRanges() throws {
        let server = try LoopbackServer { _ in .init(200, [("ETag", "\"a\"")], [UInt8](repeating: 1, count: 1000)) }
        var bytes = [UInt8](repeating: 0, count: 10)
        do {
            var span = bytes.mutableSpan
            try S3Places.store(server.address).read(ObjectName("packs/a"), at: 5, into: &span)
            Issue.record("it was read")
        } catch { #expect(error as? StorageError == .service(.noRanges)) }
        bytes = []
    }
}
