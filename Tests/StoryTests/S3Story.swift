import CueTestSupport
import Foundation
import Synchronization
import Testing

/// A vault in S3, as a person uses it. The servers of `CUE_S3_SERVERS` are real ones, which `make test-s3` starts; the
/// usual one is a fake in this process, which can be made to fail.
@Suite("Story: a vault in S3")
struct S3Story {
    /// What stands between the program and the objects.
    enum Line: CaseIterable, Sendable { case good, bad }

    struct Server: Sendable, CustomStringConvertible {
        let description: String
        /// nil for the fake.
        let port: Int?

        static let all =
            [Server(description: "fake", port: nil)]
            + (ProcessInfo.processInfo.environment["CUE_S3_SERVERS"] ?? "").split(separator: " ").compactMap { text in
                let name = text.prefix { $0 != "=" }
                let address = text.dropFirst(name.count + 1).prefix { $0 != "," }
                return URL(string: String(address))?.port.map { Server(description: String(name), port: $0) }
            }
    }

    /// The program with a vault in S3.
    struct Remote {
        let cue = Cue()
        let server: LoopbackServer
        let vault: String
        let key: [String: String?]

        init(_ handler: @escaping LoopbackServer.Handler, options: String = "") throws {
            server = try LoopbackServer(handler)
            vault = "s3://vault/run-\(UInt64.random(in: 0 ... .max))?endpoint=\(server.address)\(options)"
            key = Self.key
        }

        static let key: [String: String?] = [
            "AWS_ACCESS_KEY_ID": "cuekey", "AWS_SECRET_ACCESS_KEY": "cuesecret", "AWS_PROFILE": nil,
            "AWS_SESSION_TOKEN": nil, "AWS_REGION": nil, "AWS_DEFAULT_REGION": nil, "AWS_CA_BUNDLE": nil,
            "AWS_ENDPOINT_URL": nil, "AWS_ENDPOINT_URL_S3": nil, "AWS_CONFIG_FILE": "/nowhere",
            "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
        ]

        @discardableResult
        func run(_ arguments: String..., code: Int32 = 0, more: [String: String?] = [:]) throws -> Running.Result {
            let result = try cue.start(arguments, environment: key.merging(more) { $1 }).result(deadline: 300)
            #expect(result.code == code, "\(arguments): \(result.errors)\(result.text)")
            return result
        }

        /// Adds a passphrase and removes the first one, whose slot cannot be deleted.
        func removeKeySlotThatStays() throws {
            try cue.folder.write("new", "quite another passphrase of five words")
            try run("key", "add", "--library", "library", "--new-passphrase-file", "new")
            let slots = try run("key", "list", "--library", "library", "--json").json["slots"].list
            let slot = slots.first { $0["kind"].string == "passphrase" }?["slot"].string ?? ""
            let kept = try run("key", "remove", slot, "--library", "library", "--yes")
            #expect(kept.text.contains("the place forbids deleting"), "\(kept.text)")
        }

        func initialize(_ folder: String = "library", more: [String: String?] = [:]) throws {
            try FileManager.default.createDirectory(
                atPath: cue.folder.appending(folder), withIntermediateDirectories: true)
            try run("init", folder, "--vault", vault, "--kdf-memory", "64", more: more)
        }
    }

    /// Writes documents, one of them with more than a commit takes.
    private static func write(_ cue: Cue) throws {
        for number in 1...6 { try cue.write("Notes/\(number).md", "note \(number)\n") }
        try cue.write("Salt.rtfd/TXT.rtf", Cue.inPack("{\\rtf1 salt}"))
        try cue.write("Salt.rtfd/picture.png", Cue.inPack("picture"))
    }

    /// Goes wrong in one of twenty requests, in seven ways.
    private static func bad(_ usual: @escaping LoopbackServer.Handler) -> LoopbackServer.Handler {
        let generator = Mutex(SeededGenerator(seed: 17))
        return { request in
            let (isBad, kind, place) = generator.withLock { ($0.next() % 20 == 0, $0.next() % 7, $0.next()) }
            guard isBad else { return usual(request) }
            switch kind {
            case 0: return .init(raw: [], .cut(after: 0))
            case 1:
                _ = usual(request)
                return .init(raw: [], .cut(after: 0))
            case 2: return .init(503, [], Array("<html>busy</html>".utf8))
            case 3:
                _ = usual(request)
                return usual(request)
            case 4:
                usleep(50_000)
                return usual(request)
            case 5:
                var reply = usual(request)
                let size = reply.raw?.count ?? reply.body.count
                reply.manner = .cut(after: size / 2)
                return reply
            default:
                // Wrong bytes, but only in what is read of objects: listings are not sealed.
                var reply = usual(request)
                let isRead = request.method == "GET" && !request.target.contains("list-type")
                if isRead, reply.raw == nil, reply.status < 300, !reply.body.isEmpty {
                    reply.body[Int(place % UInt64(reply.body.count))] ^= 0x55
                } else if isRead, var raw = reply.raw, let head = raw.firstRange(of: Array("\r\n\r\n".utf8)),
                    raw.starts(with: Array("HTTP/1.1 20".utf8)), raw.count > head.upperBound
                {
                    raw[head.upperBound + Int(place % UInt64(raw.count - head.upperBound))] ^= 0x55
                    reply.raw = raw
                }
                return reply
            }
        }
    }

    private static func handler(_ server: Server) -> LoopbackServer.Handler {
        guard let port = server.port else { return FakeS3().answer }
        return { request in
            LoopbackServer.forward(request, toPort: port).map { .init(raw: $0) } ?? .init(502)
        }
    }

    @Test(
        "Two devices share a vault, over a good line and over one that breaks, delays, repeats and gives wrong bytes",
        arguments: Server.all, Line.allCases)
    func twoDevices(_ server: Server, _ line: Line) throws {
        let usual = Self.handler(server)
        let remote = try Remote(line == .good ? usual : Self.bad(usual))
        let cue = remote.cue
        try Self.write(cue)
        let other = cue.elsewhere

        try remote.initialize()
        try remote.run("backup", "library")
        try cue.write("Notes/1.md", "note 1, and more\n")
        try remote.run("sync", "library")
        try remote.initialize("other", more: other)
        try remote.run("sync", "other", more: other)
        #expect(try cue.differences("library", "other") == "")
        try cue.folder.write("other/Notes/2.md", "from the other device\n")
        try remote.run("sync", "other", more: other)
        try remote.run("sync", "library")
        #expect(try cue.folder.read("library/Notes/2.md") == "from the other device\n")
        try remote.run("restore", "--vault", remote.vault, "--to", "restored", more: cue.elsewhere)
        #expect(try cue.differences("library", "restored") == "")
        let log = try remote.run("log", "Notes/1.md", "--library", "library", "--json")
        #expect(log.json["versions"].list.count == 2)
        // Over a bad line a check would say that it was bad.
        guard line == .good else { return }
        try remote.run("check", "library", "--read-data")
    }

    // MARK: What a person does wrong, and what a service refuses

    @Test(
        "What the service refuses is said with what to do, and nothing is left behind",
        arguments: [
            (403, "InvalidAccessKeyId", "", 1, "does not know this access key"),
            (403, "SignatureDoesNotMatch", "", 1, "copy both halves of the key again"),
            (400, "ExpiredToken", "", 1, "for a limited time, which is over"),
            (400, "AuthorizationHeaderMalformed", "<Region>eu-west-3</Region>", 1, "?region=eu-west-3"),
            (404, "NoSuchBucket", "", 1, "there is no bucket vault"),
            (403, "AccessDenied", "", 1, "this key may not"),
            (403, "RequestTimeTooSkewed", "", 1, "set the clock"),
            (403, "QuotaExceeded", "", 1, "no space is left"),
        ] as [(Int, String, String, Int32, String)])
    func refused(_ status: Int, _ code: String, _ more: String, _ exit: Int32, _ words: String) throws {
        let remote = try Remote { _ in FakeS3.error(status, code, more) }
        try remote.cue.write("a.md", "text")

        let result = try remote.run("init", "library", "--vault", remote.vault, "--kdf-memory", "64", code: exit)
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!result.errors.contains("cuesecret") && !remote.cue.folder.exists("library/.cue"))
    }

    @Test("Another server, another protocol and no server at all are told apart")
    func elsewhere() throws {
        func said(_ remote: Remote, _ code: Int32) throws -> String {
            try remote.cue.write("a.md", "text")
            return try remote.run("init", "library", "--vault", remote.vault, "--kdf-memory", "64", code: code).errors
        }
        let hotel = try Remote { _ in .init(200, [("Content-Type", "text/html")], Array("<html>Welcome</html>".utf8)) }
        #expect(try said(hotel, 7).contains("does not speak S3"))
        let moved = try Remote { _ in .init(307, [("Location", "http://elsewhere.example/vault")]) }
        #expect(try said(moved, 1).contains("elsewhere.example, which was not given the key"))
        let endless = try Remote { _ in .init(200, [], [UInt8](repeating: 65, count: 4096), .endless) }
        #expect(try said(endless, 1).contains("larger than any object of its kind"))
        let gone = try Remote { _ in .init(200) }
        let port = try LoopbackServer { _ in .init(200) }.port
        let away = try gone.run("ls", "--vault", "s3://vault/a?endpoint=http://127.0.0.1:\(port)", code: 7).errors
        #expect(away.contains("cannot be reached: nothing answers at http://127.0.0.1:\(port)"), "\(away)")
        let plain = try gone.run("ls", "--vault", gone.vault.replacing("http:", with: "https:"), code: 7).errors
        #expect(plain.contains("does not speak TLS") && plain.contains("?endpoint=http://HOST"), "\(plain)")
    }

    @Test(
        "A certificate that does not verify is refused, and one that AWS_CA_BUNDLE names is taken",
        .enabled(if: Machine.python != nil, "CUE_PYTHON names no Python with cryptography"))
    func certificates() throws {
        let remote = try Remote { _ in .init(200) }
        let cue = remote.cue
        let server = try Running(
            try #require(Machine.python),
            ["-c", Self.tlsServer, cue.folder.appending("ca.pem"), cue.folder.appending("port")],
            in: cue.folder.path)
        defer { server.send(SIGKILL) }
        while !cue.folder.exists("port"), server.isRunning { usleep(20_000) }
        let place = "s3://vault/a?endpoint=https://localhost:\(try cue.folder.read("port"))"

        let refused = try remote.run("ls", "--vault", place, code: 1)
        #expect(refused.errors.contains("cannot prove who it is") && refused.errors.contains("nothing was sent to it"))
        let trusted = try remote.run(
            "ls", "--vault", place, code: 7, more: ["AWS_CA_BUNDLE": cue.folder.appending("ca.pem")])
        #expect(trusted.errors.contains("does not speak S3 (status 404"), "\(trusted.errors)")
    }

    /// Says 404 to everything, over TLS, with a certificate of its own that it writes to a file.
    private static let tlsServer = """
        import datetime, http.server, ipaddress, os, ssl, sys
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.utcnow()
        made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(7).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), True).sign(key, hashes.SHA256()))
        with open(sys.argv[1], "wb") as file:
            file.write(made.public_bytes(serialization.Encoding.PEM))
        secret = sys.argv[1] + ".key"
        with open(secret, "wb") as file:
            file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption()))
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self): self.send_error(404)
            def log_message(self, *arguments): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], secret)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        with open(sys.argv[2] + ".new", "w") as file: file.write(str(server.server_port))
        os.rename(sys.argv[2] + ".new", sys.argv[2])
        server.serve_forever()
        """

    @Test(
        "An address that cannot be is refused before anything is asked",
        arguments: [
            ("s3://", "names no bucket"), ("s3://key:secret@bucket/a", "in front of an @"),
            ("s3://bucket/a?colour=red", "no option colour"), ("s3://bucket/a?style=odd", "no value for style"),
            ("s3://bucket/a/../b", "cannot be part of a key"), ("ftp://bucket", "s3://bucket/prefix"),
        ])
    func addresses(_ place: String, _ words: String) throws {
        let remote = try Remote { _ in .init(200) }
        try remote.cue.write("a.md", "text")

        let result = try remote.run("init", "library", "--vault", place, code: 2)
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(remote.server.accepted == 0 && !result.errors.contains("secret@"))
    }

    @Test("Without a key nothing begins, and it is said where one is looked for")
    func noKey() throws {
        let remote = try Remote { _ in .init(200) }
        try remote.cue.write("a.md", "text")
        let none: [String: String?] = ["AWS_ACCESS_KEY_ID": nil, "AWS_SECRET_ACCESS_KEY": nil]

        let result = try remote.run("init", "library", "--vault", remote.vault, code: 1, more: none)
        #expect(result.errors.contains("AWS_ACCESS_KEY_ID") && result.errors.contains("~/.aws/credentials"))
        #expect(remote.server.accepted == 0)
    }

    // MARK: A place that forbids deleting and replacing

    @Test("Where nothing can be deleted or replaced, all goes on but taking key slots away")
    func appendOnly() throws {
        let store = FakeS3()
        let remote = try Remote { request in
            let key = String(request.target.dropFirst("/vault/".count).prefix { $0 != "?" })
            let isThere = store.objects[key] != nil
            guard request.method == "DELETE" || request.method == "PUT" && isThere else { return store.usual(request) }
            return FakeS3.error(403, "AccessDenied")
        }
        let cue = remote.cue
        try Self.write(cue)
        let other = cue.elsewhere

        let doctor = try remote.run("doctor", "--vault", remote.vault)
        #expect(doctor.text.contains("deletes an object") && doctor.text.contains("no: this key may not delete"))
        try remote.initialize()
        try remote.run("backup", "library")
        try remote.initialize("other", more: other)
        try remote.run("sync", "other", more: other)
        try cue.write("Notes/1.md", "more\n")
        try remote.run("sync", "library")
        try remote.run("sync", "other", more: other)
        #expect(try cue.differences("library", "other") == "")
        try remote.run("check", "library", "--read-data")
        try remote.removeKeySlotThatStays()
        try cue.write("Notes/1.md", "and more\n")
        try remote.run("backup", "library")
    }

    @Test("A check reads what is in the vault, and not the copies that this device keeps")
    func checkReadsTheVault() throws {
        let fake = FakeS3()
        let remote = try Remote(fake.answer)
        try Self.write(remote.cue)
        try remote.initialize()
        try remote.run("backup", "library")
        try remote.run("sync", "library")
        try remote.run("log", "Notes/1.md", "--library", "library")
        let commit = try #require(fake.objects.first { $0.key.contains("/log/") })
        fake.set(commit.key, to: commit.value.map { $0 ^ 1 })

        let damaged = try remote.run("check", "library", code: 6)
        #expect(damaged.errors.contains("/log/") || damaged.errors.contains("log/"), "\(damaged.errors)")
    }

    @Test("Half a copy is no place for a new vault, and goes on when it is copied again")
    func halfCopy() throws {
        let fake = FakeS3()
        let remote = try Remote(fake.answer)
        let cue = remote.cue
        try Self.write(cue)
        try cue.initialize()
        try cue.snapshot()
        try remote.run("copy", cue.vault, remote.vault)
        let header = try #require(fake.objects.keys.first { $0.hasSuffix("/vault.json") })
        fake.set(header, to: nil)
        try cue.folder.write("other/a.md", "text")

        let refused = try remote.run("init", "other", "--vault", remote.vault, "--kdf-memory", "64", code: 1)
        #expect(refused.errors.contains("nothing was changed") || refused.errors.contains("empty"), "\(refused.errors)")
        try remote.run("copy", cue.vault, remote.vault)
        #expect(fake.objects[header] != nil)
    }

    // MARK: Copies

    @Test("A vault goes from a folder to S3 and back, and each is the whole vault")
    func copies() throws {
        let remote = try Remote(FakeS3(pageSize: 5).answer)
        let cue = remote.cue
        try Self.write(cue)
        try cue.initialize()
        try cue.snapshot()
        try cue.write("Notes/2.md", "changed\n")
        try cue.snapshot()

        let there = try remote.run("copy", cue.vault, remote.vault, "--json").json
        #expect(there["copied"].int > 4 && there["missing"].list.isEmpty)
        try remote.run("copy", cue.vault, remote.vault, "--check", "--read-data")
        #expect(try remote.run("copy", cue.vault, remote.vault).text.contains("has everything"))
        try remote.run("copy", remote.vault, "back")
        let same = try cue.shell("diff -r vault back")
        #expect(same.text.split(separator: "\n").allSatisfy { $0.hasPrefix("Only in vault: tmp") }, "\(same.text)")
        try remote.run("restore", "--vault", remote.vault, "--to", "restored", more: cue.elsewhere)
        #expect(try cue.differences("library", "restored") == "")
        let both = try remote.run("copy", "back", "back", code: 2)
        #expect(both.errors.contains("both places"))
        let inside = try remote.run("copy", cue.vault, "library/copy", code: 1)
        #expect(inside.errors.contains("inside the library") && !cue.folder.exists("library/copy"))
        try cue.folder.write("letters/a.md", "text")
        let among = try remote.run("copy", cue.vault, "letters", code: 1)
        #expect(!among.errors.isEmpty && !cue.folder.exists("letters/packs"))
        let nothing = try remote.run("copy", "library", "elsewhere", code: 1)
        #expect(nothing.errors.contains("there is no vault"), "\(nothing.errors)")
    }
}
