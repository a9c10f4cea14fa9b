import CueOpenSSL
import Synchronization

/// As much of S3 as a store uses, in memory. A test may answer a request in its place.
package final class FakeS3: Sendable {
    /// Gives another answer; nil for the usual one. `number` counts the requests from 1.
    package typealias Fault = @Sendable (_ request: LoopbackServer.Request, _ number: Int) -> LoopbackServer.Reply?

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var uploads: [String: (key: String, parts: [Int: [UInt8]])] = [:]
        var requests: [String] = []
        var received = 0
        var isChecking = true
    }

    private let state: Mutex<State>
    private let pageSize: Int
    private let fault: Fault

    /// `knowsConditions`: whether a `PUT` with `If-None-Match` is refused where the name is taken.
    package init(pageSize: Int = 1000, knowsConditions: Bool = true, fault: @escaping Fault = { _, _ in nil }) {
        (self.pageSize, self.fault) = (pageSize, fault)
        var state = State()
        state.isChecking = knowsConditions
        self.state = Mutex(state)
    }

    /// The objects by their keys, without the bucket.
    package var objects: [String: [UInt8]] { state.withLock { $0.objects } }
    package func set(_ key: String, to bytes: [UInt8]?) { state.withLock { $0.objects[key] = bytes } }
    /// Makes these all objects.
    package func setAll(_ objects: [String: [UInt8]]) { state.withLock { $0.objects = objects } }
    /// Method and target of every request so far.
    package var requests: [String] { state.withLock { $0.requests } }
    /// The bytes of the bodies of all requests so far.
    package var received: Int { state.withLock { $0.received } }
    /// The parts of objects that are not finished.
    package var uploads: Int { state.withLock { $0.uploads.count } }

    /// The handler of a `LoopbackServer`.
    package func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let number = state.withLock { state in
            state.requests.append("\(request.method) \(request.target)")
            state.received += request.body.count
            return state.requests.count
        }
        return fault(request, number) ?? usual(request)
    }

    /// What S3 does and says.
    package func usual(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        let path = parts[0].split(separator: "/", maxSplits: 1).map(String.init)
        let key = path.count > 1 ? decoded(path[1]) : ""
        var query: [String: String] = [:]
        for part in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            query[decoded(pair[0])] = pair.count > 1 ? decoded(pair[1]) : ""
        }
        if key.isEmpty {
            return query["uploads"] != nil ? listUploads() : list(query)
        }
        switch request.method {
        case "PUT":
            if let id = query["uploadId"], let number = query["partNumber"].flatMap({ Int($0) }) {
                state.withLock { $0.uploads[id]?.parts[number] = request.body }
                return .init(200, [("ETag", "\"part\(number)\"")])
            }
            return put(key, request.body, isConditional: request.headers["if-none-match"] == "*")
        case "POST" where query["uploads"] != nil:
            let id = state.withLock { state in
                let id = "upload\(state.requests.count)"
                state.uploads[id] = (key, [:])
                return id
            }
            return listing(root: "InitiateMultipartUploadResult", "<UploadId>\(id)</UploadId>")
        case "POST": return finish(key, query["uploadId"] ?? "", request)
        case "GET", "HEAD": return get(key, request)
        case "DELETE":
            state.withLock { state in
                if let id = query["uploadId"] { state.uploads[id] = nil } else { state.objects[key] = nil }
            }
            return .init(204)
        default: return .init(405)
        }
    }

    private func put(_ key: String, _ bytes: [UInt8], isConditional: Bool) -> LoopbackServer.Reply {
        state.withLock { state in
            if isConditional && state.isChecking && state.objects[key] != nil {
                return Self.error(412, "PreconditionFailed")
            }
            state.objects[key] = bytes
            return .init(200, [("ETag", Self.tag(bytes))])
        }
    }

    private static func tag(_ bytes: [UInt8]) -> String { "\"\(Digest.md5(bytes.span).hexadecimal)\"" }

    private func finish(_ key: String, _ id: String, _ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let parts = state.withLock { state in state.uploads[id]?.parts }
        guard let parts else { return Self.error(404, "NoSuchUpload") }
        let bytes = parts.sorted { $0.key < $1.key }.flatMap(\.value)
        let reply = put(key, bytes, isConditional: request.headers["if-none-match"] == "*")
        guard reply.status == 200 else { return reply }
        state.withLock { $0.uploads[id] = nil }
        return listing(root: "CompleteMultipartUploadResult", "<ETag>\"whole\"</ETag>")
    }

    private func get(_ key: String, _ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        guard let bytes = state.withLock({ $0.objects[key] }) else { return Self.error(404, "NoSuchKey") }
        if request.method == "HEAD" {
            return .init(200, [("Content-Length", "\(bytes.count)"), ("ETag", Self.tag(bytes))])
        }
        guard let range = request.headers["range"]?.dropFirst(6).split(separator: "-").compactMap({ Int($0) }),
            range.count == 2
        else { return .init(200, [("ETag", Self.tag(bytes))], bytes) }
        guard range[0] < bytes.count else { return Self.error(416, "InvalidRange") }
        let end = min(range[1] + 1, bytes.count)
        return .init(
            206, [("Content-Range", "bytes \(range[0])-\(end - 1)/\(bytes.count)")], Array(bytes[range[0]..<end]))
    }

    /// Puts a part of an object here that an earlier run left, with the time at which it was begun.
    package func leaveUpload(_ key: String, begun: String) {
        state.withLock { $0.uploads["left at \(begun)"] = (key, [1: [1]]) }
    }

    private func listUploads() -> LoopbackServer.Reply {
        let uploads = state.withLock(\.uploads)
        return listing(
            root: "ListMultipartUploadsResult",
            uploads.map { id, upload in
                "<Upload><Key>\(upload.key)</Key><UploadId>\(id)</UploadId>"
                    + "<Initiated>\(id.hasPrefix("left at ") ? String(id.dropFirst(8)) : "2999-01-01T00:00:00.000Z")</Initiated></Upload>"
            }.joined())
    }

    private func list(_ query: [String: String]) -> LoopbackServer.Reply {
        let (prefix, after) = (query["prefix"] ?? "", query["start-after"] ?? "")
        let found = objects.filter { $0.key.hasPrefix(prefix) && $0.key > after }.sorted { $0.key < $1.key }
        let pageSize = min(pageSize, query["max-keys"].flatMap { Int($0) } ?? pageSize)
        var text = "<IsTruncated>\(found.count > pageSize)</IsTruncated><EncodingType>url</EncodingType>"
        for (key, bytes) in found.prefix(pageSize) {
            text += "<Contents><Key>\(encoded(key))</Key><Size>\(bytes.count)</Size></Contents>"
        }
        return listing(root: "ListBucketResult", text)
    }

    private func listing(root: String, _ text: String) -> LoopbackServer.Reply {
        let space = "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\""
        return .init(
            200, [("Content-Type", "application/xml")],
            Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<\(root) \(space)>\(text)</\(root)>".utf8))
    }

    /// An answer as S3 gives it to what it refuses.
    package static func error(
        _ status: Int, _ code: String, _ more: String = "", headers: [(String, String)] = []
    ) -> LoopbackServer.Reply {
        .init(
            status, [("Content-Type", "application/xml")] + headers,
            Array("<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>no</Message>\(more)</Error>".utf8))
    }

    private func decoded(_ text: String) -> String {
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            if byte == 0x25, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            byte < 0x80 && byte > 0x20 && !"<>&%\"+".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
