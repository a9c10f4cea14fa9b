import CueCurl
import CueRemotes
import CueStorage
import CueSystem
import CueTestSupport
import Foundation
import Synchronization
import Testing

/// A server of S3 that runs somewhere else, from `CUE_S3_SERVERS`: `NAME=URL,KEY,SECRET`, several with spaces between.
/// `make test-s3` starts them.
struct S3Server: Sendable, CustomStringConvertible {
    let description: String
    let url: String
    let key: String
    let secret: String

    static let all: [S3Server] = (ProcessInfo.processInfo.environment["CUE_S3_SERVERS"] ?? "").split(separator: " ")
        .compactMap { text in
            let pair = text.split(separator: "=", maxSplits: 1).map(String.init)
            let parts = pair.count == 2 ? pair[1].split(separator: ",").map(String.init) : []
            return parts.count == 3
                ? S3Server(description: pair[0], url: parts[0], key: parts[1], secret: parts[2]) : nil
        }

    var port: Int { HTTPAddress(url)?.port ?? 0 }
}

/// Stores for tests, each with a prefix of its own.
enum S3Places {
    static let clock = TestClock()

    /// A store in the bucket `vault` behind this address.
    static func store(
        _ url: String, prefix: String = "", key: String = "cuekey", secret: String = "cuesecret", more: String = "",
        settings: HTTPSettings = HTTPSettings(), clock: Clock = Self.clock.clock
    ) throws -> S3Store {
        let address = try S3Address("s3://vault\(prefix.isEmpty ? "" : "/\(prefix)")?endpoint=\(url)\(more)")
        let environment = ["AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret]
        let account = try S3Account(for: address) { environment[$0] }
        return S3Store(address, account, HTTPClient(settings, clock: clock), clock: clock)
    }

    /// Leaves a file whose name no object has, as another program would.
    static func leave(_ name: String, _ url: String, prefix: String, _ server: S3Server?) throws {
        let path = escaped("\(prefix)/\(name)")
        var request = HTTPRequest(.put, "\(url)/vault/\(path)", label: name)
        request.body = [1]
        if let server {
            request.headers = [("x-amz-content-sha256", "UNSIGNED-PAYLOAD")]
            request.signature = .init(region: "us-east-1", service: "s3", key: server.key, secret: server.secret)
        }
        try demand(try HTTPClient().perform(request).status == 200, "not left")
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            // A server signs the path anew, with all that need not be escaped as it is.
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "/-._~".contains(character))
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) + 0x100, radix: 16, uppercase: true).suffix(2)
        }.joined()
    }

    static func makeBucket(_ server: S3Server) throws {
        var request = HTTPRequest(.put, "\(server.url)/vault", label: "vault")
        request.signature = .init(region: "us-east-1", service: "s3", key: server.key, secret: server.secret)
        let status = try HTTPClient().perform(request).status
        try demand([200, 409].contains(status), "no bucket: \(status)")
    }

    /// A prefix that no other test has.
    static func newPrefix() -> String { "run-\(UInt64.random(in: 0 ... .max))/a b+ü" }
}
