import CueTestSupport
import Foundation
import Synchronization
import Testing

/// A vault that is well, behind a service that begins to do wrong. `docs/faults.md` is the list of what comes of each
/// class; `WrongAnswerTests` has those that do not reach a person.
@Suite("Fault: a service that does wrong")
struct BadServiceFault {
    typealias Fault = @Sendable (LoopbackServer.Request, FakeS3) -> LoopbackServer.Reply?

    /// A fake that does as `fault` says, from the moment at which it is set.
    final class Service: Sendable {
        let fake = FakeS3()
        private let fault = Mutex<Fault?>(nil)

        func set(_ new: Fault?) { fault.withLock { $0 = new } }

        func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
            fault.withLock(\.self)?(request, fake) ?? fake.answer(request)
        }
    }

    /// A library with a document that was backed up.
    struct Scene {
        let service = Service()
        let remote: S3Story.Remote
        var cue: Cue { remote.cue }

        init() throws {
            remote = try S3Story.Remote(service.answer)
            try cue.write("Novel.md", "the first chapter\n")
            try cue.write("Atlas.md", Cue.inPack("maps"))
            try remote.initialize()
            try remote.run("backup", "library")
            try cue.write("Novel.md", "the first chapter, and the second\n")
        }

        /// With the service well again, everything is stored, and comes back.
        func expectWhole() throws {
            service.set(nil)
            try remote.run("backup", "library")
            try remote.run("check", "library", "--read-data")
            try remote.run("restore", "--vault", remote.vault, "--to", "restored", more: cue.elsewhere)
            #expect(try cue.differences("library", "restored") == "")
        }
    }

    struct Class: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Int32
        let words: String
        let fault: Fault

        init(_ description: String, _ code: Int32, _ words: String, _ fault: @escaping Fault) {
            (testDescription, self.code, self.words, self.fault) = (description, code, words, fault)
        }

        /// Every listing is this.
        init(_ description: String, listing text: String, _ code: Int32, _ words: String) {
            self.init(description, code, words) { request, _ in
                request.isListing ? .init(200, [], Array("<ListBucketResult>\(text)</ListBucketResult>".utf8)) : nil
            }
        }
    }

    private static let classes = [
        Class("no permission to write", 1, "this key may not write") { request, _ in
            request.method == "PUT" ? FakeS3.error(403, "AccessDenied") : nil
        },
        Class("no permission to list", 1, "this key may not list") { request, _ in
            request.isListing ? FakeS3.error(403, "AccessDenied") : nil
        },
        Class("another region", 1, "?region=eu-west-3") { _, _ in
            .init(301, [("x-amz-bucket-region", "eu-west-3")])
        },
        Class("a clock that is off", 1, "set the clock") { _, _ in FakeS3.error(403, "RequestTimeTooSkewed") },
        Class("the log-in page of a network", 7, "nothing counts as stored") { _, _ in
            .init(200, [("Content-Type", "text/html")], Array("<html>Welcome</html>".utf8))
        },
        Class("that page for what is stored alone", 7, "nothing counts as stored") { request, _ in
            request.method == "PUT" ? .init(200, [], Array("<html>Welcome</html>".utf8)) : nil
        },
        Class("come back tomorrow", 7, "asks to wait for 86,400 seconds") { _, _ in
            FakeS3.error(503, "SlowDown", headers: [("Retry-After", "86400")])
        },
        Class("another protocol", 7, "does not speak S3") { _, _ in
            .init(raw: Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), .cut(after: 100))
        },
        Class("a redirect to another server", 1, "was not given the key") { _, _ in
            .init(307, [("Location", "https://elsewhere.example/")])
        },
        Class("the bucket is full", 1, "make room") { request, _ in
            request.method == "PUT" ? FakeS3.error(403, "QuotaExceeded") : nil
        },
        Class("entities that multiply", 7, "does not speak S3") { request, _ in
            let text =
                "<!DOCTYPE r [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><ListBucketResult>&b;</ListBucketResult>"
            return request.isListing ? .init(200, [], Array(text.utf8)) : nil
        },
        Class("a listing without end", 6, "sends more than there can be") { request, _ in
            request.isListing ? .init(200, [], [UInt8](repeating: 65, count: 4096), .endless) : nil
        },
        Class(
            "a listing that goes on, and has no name", listing: "<IsTruncated>true</IsTruncated>", 1,
            "does not go on"),
        Class("a listing that lacks what was stored", listing: "", 6, "went back in time"),
    ]

    @Test("It is said with what to do next, nothing is lost, and afterwards all goes on", arguments: classes)
    func goesOn(_ kind: Class) throws {
        let scene = try Scene()
        let before = scene.service.fake.objects

        scene.service.set(kind.fault)
        let result = try scene.remote.run("backup", "library", code: kind.code)
        #expect(result.errors.contains(kind.words), "\(result.errors)")
        #expect(result.errors.contains("cue: hint: "), "\(result.errors)")
        #expect(!result.errors.contains("cuesecret"))
        for (key, bytes) in before { #expect(scene.service.fake.objects[key] == bytes) }
        try scene.expectWhole()
    }

    /// What is wrong with packs alone, and the code and the words of a restore. `isDamage`: whether the pack counts as
    /// damaged, and not the service as refusing.
    private static let packFaults: [(Int32, String, isDamage: Bool, Fault)] = [
        (6, "there is no permission to read it", true, { _, _ in FakeS3.error(403, "InvalidObjectState") }),
        (1, "for a limited time, which is over", false, { _, _ in FakeS3.error(400, "ExpiredToken") }),
        (1, "set the clock", false, { _, _ in FakeS3.error(403, "RequestTimeTooSkewed") }),
        (7, "does not speak S3", false, { _, _ in .init(200, [], Array("<html>Welcome</html>".utf8)) }),
        (
            1, "does not read parts of objects", false,
            { request, fake in
                var reply = fake.usual(request)
                reply.headers = [("Content-Range", "bytes 1-2/3")]
                return reply
            }
        ),
        (
            6, "cue: warning: Atlas.md", true,
            { request, fake in
                var reply = fake.usual(request)
                reply.body = reply.body.map { $0 ^ 1 }
                return reply
            }
        ),
        (6, "cue: warning: Atlas.md", true, { _, _ in FakeS3.error(404, "NoSuchKey") }),
    ]

    @Test(
        "What is wrong with packs stops a restore or leaves out what is in them, and only damage counts as damage",
        arguments: packFaults.indices)
    func packs(_ number: Int) throws {
        let (code, words, isDamage, fault) = Self.packFaults[number]
        let scene = try Scene()
        try scene.remote.run("backup", "library")
        scene.service.set { request, fake in
            request.isReading && request.target.contains("/packs/") ? fault(request, fake) : nil
        }

        let restored = try scene.remote.run(
            "restore", "--vault", scene.remote.vault, "--to", "broken", code: code, more: scene.cue.elsewhere)
        #expect((restored.errors + restored.text).contains(words), "\(restored.errors) \(restored.text)")
        #expect(!scene.cue.folder.exists("broken/Atlas.md"))
        try scene.remote.run("check", "library", "--read-data", code: isDamage ? 6 : code)
        scene.service.set(nil)
        let status = try scene.remote.run("status", "library")
        #expect(isDamage || !status.text.contains("damaged"), "\(status.text)")
        try scene.remote.run("check", "library", "--read-data")
        try scene.expectWhole()
    }

    // MARK: A service that lies

    @Test(
        "A service that takes what is stored and keeps none of it is found out by the next look, and all is stored again"
    )
    func storesNothing() throws {
        let scene = try Scene()
        scene.service.set { request, _ in
            request.method == "PUT" ? .init(200, [("ETag", "\"0123456789abcdef0123456789abcdef\"")]) : nil
        }
        try scene.remote.run("backup", "library")
        scene.service.set(nil)

        let found = try scene.remote.run("backup", "library", code: 6)
        #expect(found.errors.contains("went back in time: 1 commit"), "\(found.errors)")
        #expect(found.errors.contains("--accept-older-vault"))
        let status = try scene.remote.run("status", "library")
        #expect(status.text.contains("went back in time"), "\(status.text)")
        try scene.remote.run("init", "library", "--vault", scene.remote.vault, "--accept-older-vault")
        try scene.expectWhole()
    }

    @Test("A service that loses packs alone is found out by the next backup that stores, and they are stored again")
    func losesPacks() throws {
        let scene = try Scene()
        try scene.cue.write("Album.md", Cue.inPack("pictures"))
        scene.service.set { request, _ in
            request.method == "PUT" && request.target.contains("/packs/") ? .init(200, [("ETag", "\"a\"")]) : nil
        }
        try scene.remote.run("backup", "library")
        scene.service.set(nil)

        try scene.remote.run("check", "library", code: 6)
        try scene.cue.write("Letter.md", "dear reader\n")
        let again = try scene.remote.run("backup", "library", code: 3)
        #expect(again.errors.contains("a pack of the vault is gone"), "\(again.errors)")
        try scene.expectWhole()
    }

    @Test("What is stored and not listed yet stops the next backup, and no more than that")
    func staleListing() throws {
        let scene = try Scene()
        let old = Set(scene.service.fake.objects.keys)
        try scene.remote.run("backup", "library")
        scene.service.set { request, fake in
            guard request.isListing else { return nil }
            let all = fake.objects
            let stale = FakeS3()
            stale.setAll(all.filter { old.contains($0.key) })
            return stale.usual(request)
        }
        try scene.cue.write("Novel.md", "a third chapter\n")

        try scene.remote.run("backup", "library", code: 6)
        // Another device sees the vault as it was.
        try scene.remote.run("restore", "--vault", scene.remote.vault, "--to", "old", more: scene.cue.elsewhere)
        #expect(try scene.cue.folder.read("old/Novel.md") == "the first chapter\n")
        try scene.expectWhole()
        let status = try scene.remote.run("status", "library")
        #expect(!status.text.contains("went back"), "\(status.text)")
    }

    @Test("A listing that invents commits, packs, sizes and names that lead elsewhere misleads no backup")
    func inventedNames() throws {
        let scene = try Scene()
        let device = String(repeating: "0", count: 31) + "7"
        scene.service.set { request, fake in
            guard request.isListing else { return nil }
            var reply = fake.usual(request)
            let prefix = try? #require(fake.objects.keys.first { $0.hasSuffix("vault.json") }).dropLast(10)
            guard let prefix else { return nil }
            let invented = [
                "log/../../etc/passwd": 1, "log/\(device)/0000000001-0123456789abcdef": -5,
                "log/\(device)/9999999999-0123456789abcdef": 1 << 60, "packs/00/\(device)": 1 << 62,
                "packs/..": 3, "keys/\(String(repeating: "0", count: 16))": 7, "Ünknown name": 1,
            ]
            let text = invented.map { name, size in
                "<Contents><Key>\(prefix)\(name.replacing(" ", with: "%20"))</Key><Size>\(size)</Size></Contents>"
            }.joined()
            let body = String(decoding: reply.body, as: UTF8.self)
            reply.body = Array(body.replacing("</ListBucketResult>", with: text + "</ListBucketResult>").utf8)
            return reply
        }

        let result = try scene.remote.cue.start(
            ["backup", "library"], environment: scene.remote.key
        ).result(deadline: 300)
        #expect(result.code == 0, "\(result.errors)\(result.text)")
        try scene.expectWhole()
    }

    @Test("A key slot that the service says it deleted, and has still, is said to be kept")
    func keepsWhatIsDeleted() throws {
        let scene = try Scene()
        scene.service.set { request, _ in request.method == "DELETE" ? .init(204) : nil }
        try scene.cue.folder.write("new", "quite another passphrase of five words")
        try scene.remote.run("key", "add", "--library", "library", "--new-passphrase-file", "new")
        let slots = try scene.remote.run("key", "list", "--library", "library", "--json").json["slots"].list
        let slot = slots.first { $0["kind"].string == "passphrase" }?["slot"].string ?? ""

        let kept = try scene.remote.run("key", "remove", slot, "--library", "library", "--yes")
        #expect(kept.text.contains("the place forbids deleting"), "\(kept.text)")
    }
}

extension LoopbackServer.Request {
    fileprivate var isListing: Bool { method == "GET" && target.contains("list-type") }
    fileprivate var isReading: Bool { method == "GET" && !target.contains("list-type") }
}
