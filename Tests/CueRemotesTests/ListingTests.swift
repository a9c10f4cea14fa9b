import CueBase
import CueRemotes
import CueStorage
import CueSystem
import CueTestSupport
import Foundation
import Testing

@Suite("Listings and copies of a vault in S3")
struct ListingTests {
    private let fake: FakeS3
    private let server: LoopbackServer
    private let clock = TestClock()
    private let folder = TemporaryFolder()

    init() throws {
        fake = FakeS3()
        server = try LoopbackServer(fake.answer)
    }

    private func listed() throws -> ListingStore {
        ListingStore(try S3Places.store(server.address, prefix: "p"), clock: clock.clock)
    }

    private func cached() throws -> CachingStore {
        try CachingStore(try listed(), in: folder.bytes, limit: 1 << 20)
    }

    /// The requests after the first so many.
    private func requests(after count: Int = 0) -> [String] {
        fake.requests.dropFirst(count).map { String($0.prefix { $0 != "?" }) }
    }

    @Test(
        "It keeps every promise of an object store, whatever a page holds", arguments: ObjectStoreSuite.strictRules,
        [2, 1000])
    func promises(_ rule: ObjectStoreSuite.Rule, _ pageSize: Int) throws {
        let fake = FakeS3(pageSize: pageSize)
        let server = try LoopbackServer(fake.answer)
        // What comes from elsewhere shows at the latest after some seconds, which these rules do not wait for.
        let clock = TestClock()
        let store = ListingStore(try S3Places.store(server.address, prefix: "p"), clock: clock.clock)
        try rule.check(
            .init(store) {
                fake.set("p/" + $0, to: [1])
                clock.advance(by: 4)
            })
    }

    @Test("The listings of a command are one request, and what it writes and deletes shows in them at once")
    func oneRequest() throws {
        let store = try listed()
        fake.set("p/keys/a", to: [1])
        fake.set("p/packs/aa/b", to: [1, 2])

        #expect(try store.list("keys").map(\.name.text) == ["keys/a"])
        #expect(try store.list("packs").map(\.size) == [2] && store.list("log").isEmpty)
        #expect(requests().count == 1)
        try store.put(ObjectName("log/d/1"), [1, 2, 3])
        #expect(try store.list("log") == [ObjectEntry(name: ObjectName("log/d/1"), size: 3)])
        #expect(requests(after: 1) == ["PUT /vault/p/log/d/1"])
        try store.delete(ObjectName("keys/a"))
        #expect(try store.list("keys").isEmpty)
    }

    @Test("After some seconds, and after an object did not open, the service is asked anew")
    func anew() throws {
        let store = try listed()
        #expect(try store.list("log").isEmpty)
        fake.set("p/log/d/1", to: [1])
        #expect(try store.list("log").isEmpty)

        clock.advance(by: 3)

        #expect(try store.list("log").count == 1)
        fake.set("p/log/d/2", to: [1])
        store.forget(ObjectName("log/d/1"))
        #expect(try store.list("log").count == 2)
    }

    @Test("An object whose upload failed may be there all the same, so it is looked for")
    func failedUpload() throws {
        let fake = FakeS3 { request, _ in request.method == "PUT" ? FakeS3.error(403, "AccessDenied") : nil }
        let server = try LoopbackServer(fake.answer)
        let store = ListingStore(try S3Places.store(server.address, prefix: "p"), clock: clock.clock)
        #expect(try store.list("log").isEmpty)

        #expect(throws: StorageError.self) { try store.put(ObjectName("log/d/1"), [1]) }
        fake.set("p/log/d/1", to: [1])

        #expect(try store.list("log").count == 1)
    }

    @Test("A key slot comes from its copy while the listing has it unchanged, and a replaced one is read")
    func taggedCopies() throws {
        let slot = ObjectName("keys/a")
        fake.set("p/keys/a", to: [1, 2])
        fake.set("p/log/d/1", to: [1])
        let first = try cached()
        #expect(try first.get(slot, upTo: 10) == [1, 2])
        #expect(requests() == ["GET /vault/p/keys/a"], "a place may be no vault")
        #expect(try first.get(ObjectName("log/d/1"), upTo: 10) == [1] && first.get(slot, upTo: 10) == [1, 2])
        let before = fake.requests.count

        let later = try cached()
        #expect(try later.get(slot, upTo: 10) == [1, 2] && later.get(slot, upTo: 10) == [1, 2])
        #expect(requests(after: before) == ["GET /vault"])
        fake.set("p/keys/a", to: [3, 4])
        clock.advance(by: 3)
        #expect(try later.get(slot, upTo: 10) == [3, 4])
        fake.set("p/keys/a", to: nil)
        clock.advance(by: 3)
        #expect(throws: StorageError.notFound("keys/a")) { try later.get(slot, upTo: 10) }
    }

    @Test("Records that are read next come near several at once, each with one request, and stay")
    func bringNear() throws {
        let names = (1...20).map { "log/d/\($0)" }
        for name in names { fake.set("p/\(name)", to: Array(name.utf8)) }
        let store = try cached()

        store.bringNear(names.map { ObjectEntry(name: ObjectName($0), size: $0.utf8.count) })

        #expect(Set(requests()) == Set(names.map { "GET /vault/p/\($0)" }) && fake.requests.count == 20)
        for name in names { #expect(try store.get(ObjectName(name), upTo: 100) == Array(name.utf8)) }
        #expect(fake.requests.count == 20)
    }

    @Test("Where a key may not list, key slots are read each time")
    func noTags() throws {
        let fake = FakeS3 { request, _ in
            request.target.contains("list-type") ? FakeS3.error(403, "AccessDenied") : nil
        }
        fake.set("p/keys/a", to: [1, 2])
        let server = try LoopbackServer(fake.answer)
        let listed = ListingStore(try S3Places.store(server.address, prefix: "p"), clock: clock.clock)
        let store = try CachingStore(listed, in: folder.bytes, limit: 1 << 20)

        for _ in 1...2 { #expect(try store.get(ObjectName("keys/a"), upTo: 10) == [1, 2]) }
    }
}
