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
}
