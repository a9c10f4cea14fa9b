package import CueBase
import CueOpenSSL
package import CueSystem
import Foundation
import Synchronization

/// As much of S3 as a store uses, in memory. A test may answer a request in its place.
package final class FakeS3: Sendable {
    /// Gives another answer; nil for the usual one. `number` counts the requests from 1.
    package typealias Fault = @Sendable (_ request: LoopbackServer.Request, _ number: Int) -> LoopbackServer.Reply?

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var uploads: [String: (key: String, parts: [Int: [UInt8]], until: Timestamp?)] = [:]
        /// Until when the newest version of a key is locked.
        var locks: [String: Timestamp] = [:]
        /// The keys of which a deletion has hidden a locked version.
        var hidden: Set<String> = []
        var requests: [String] = []
        var received = 0
        var isChecking = true
    }

    private let state: Mutex<State>
    private let pageSize: Int
    private let fault: Fault
    private let locksObjects: Bool
    private let clock: Clock

    /// `knowsConditions`: whether a `PUT` with `If-None-Match` is refused where the name is taken. `locksObjects`:
    /// whether the bucket has object lock, and versions with it.
    package init(
        pageSize: Int = 1000, knowsConditions: Bool = true, locksObjects: Bool = false, clock: Clock = .system,
        fault: @escaping Fault = { _, _ in nil }
    ) {
        (self.pageSize, self.fault) = (pageSize, fault)
        (self.locksObjects, self.clock) = (locksObjects, clock)
        var state = State()
        state.isChecking = knowsConditions
        self.state = Mutex(state)
    }

    /// The objects by their keys, without the bucket.
    package var objects: [String: [UInt8]] { state.withLock { $0.objects } }
    package func set(_ key: String, to bytes: [UInt8]?) { state.withLock { $0.objects[key] = bytes } }
    /// Until when each key is locked.
    package var locks: [String: Timestamp] { state.withLock { $0.locks } }
    /// Locks all keys that are locked for so many days from now.
    package func relock(days: Int64) {
        let until = Timestamp(milliseconds: clock.now.milliseconds + days * 86_400_000)
        state.withLock { $0.locks = $0.locks.mapValues { _ in until } }
    }
    /// The fewest days for which an object is still locked; 0 if one is not.
    package var shortestLock: Double {
        let now = clock.now.milliseconds
        return state.withLock { state in
            state.objects.keys.map { key in
                max(0, Double((state.locks[key]?.milliseconds ?? now) - now) / 86_400_000)
            }.min() ?? 0
        }
    }
    /// The keys that were deleted while they were locked: their versions are still there.
    package var hidden: Set<String> { state.withLock { $0.hidden } }
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
            if query["retention"] != nil { return retain(key, request) }
            if let id = query["uploadId"], let number = query["partNumber"].flatMap({ Int($0) }) {
                let isLocked = state.withLock { state in
                    state.uploads[id]?.parts[number] = request.body
                    return state.uploads[id]?.until != nil
                }
                if isLocked, !hasSum(request) { return Self.error(400, "InvalidRequest") }
                return .init(200, [("ETag", "\"part\(number)\"")])
            }
            let until = until(request)
            if until != nil, !locksObjects || !hasSum(request) { return Self.error(400, "InvalidRequest") }
            return put(key, request.body, isConditional: request.headers["if-none-match"] == "*", until)
        case "POST" where query["uploads"] != nil:
            let until = until(request)
            if until != nil, !locksObjects { return Self.error(400, "InvalidRequest") }
            let id = state.withLock { state in
                let id = "upload\(state.requests.count)"
                state.uploads[id] = (key, [:], until)
                return id
            }
            return listing(root: "InitiateMultipartUploadResult", "<UploadId>\(id)</UploadId>")
        case "POST": return finish(key, query["uploadId"] ?? "", request)
        case "GET", "HEAD": return get(key, request)
        case "DELETE":
            return state.withLock { state in
                if let id = query["uploadId"] {
                    state.uploads[id] = nil
                    return .init(204)
                }
                let isLocked = isLocked(key, state)
                if isLocked, query["versionId"] != nil { return Self.error(403, "AccessDenied") }
                // A deletion without a version only hides what is there.
                if isLocked { state.hidden.insert(key) }
                (state.objects[key], state.locks[key]) = (nil, nil)
                return .init(204)
            }
        default: return .init(405)
        }
    }

    // MARK: Locks

    private func isLocked(_ key: String, _ state: borrowing State) -> Bool {
        state.locks[key].map { $0.milliseconds > clock.now.milliseconds } ?? false
    }

    /// Until when a new object is to be locked.
    private func until(_ request: LoopbackServer.Request) -> Timestamp? {
        guard request.headers["x-amz-object-lock-mode"] == "COMPLIANCE" else { return nil }
        return request.headers["x-amz-object-lock-retain-until-date"].flatMap { Timestamp(iso8601: $0) }
    }

    private func hasSum(_ request: LoopbackServer.Request) -> Bool {
        request.headers["content-md5"] == Data(Digest.md5(request.body.span)).base64EncodedString()
    }

    private func retain(_ key: String, _ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let text = String(decoding: request.body, as: UTF8.self)
        guard locksObjects else { return Self.error(400, "InvalidRequest") }
        guard hasSum(request), text.contains("<Mode>COMPLIANCE</Mode>"),
            let date = text.firstMatch(of: /<RetainUntilDate>([^<]*)</), let until = Timestamp(iso8601: date.output.1)
        else { return Self.error(400, "MalformedXML") }
        return state.withLock { state in
            guard state.objects[key] != nil else { return Self.error(404, "NoSuchKey") }
            guard until.milliseconds > clock.now.milliseconds else { return Self.error(400, "InvalidArgument") }
            if isLocked(key, state), until.milliseconds < state.locks[key]?.milliseconds ?? 0 {
                return Self.error(403, "AccessDenied")
            }
            state.locks[key] = until
            return .init(200)
        }
    }

    private func put(
        _ key: String, _ bytes: [UInt8], isConditional: Bool, _ until: Timestamp? = nil
    ) -> LoopbackServer.Reply {
        state.withLock { state in
            if isConditional && state.isChecking && state.objects[key] != nil {
                return Self.error(412, "PreconditionFailed")
            }
            state.objects[key] = bytes
            state.locks[key] = until
            return .init(200, [("ETag", Self.tag(bytes))])
        }
    }

    private static func tag(_ bytes: [UInt8]) -> String { "\"\(Digest.md5(bytes.span).hexadecimal)\"" }

    private func finish(_ key: String, _ id: String, _ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        guard let (_, parts, until) = state.withLock({ state in state.uploads[id] }) else {
            return Self.error(404, "NoSuchUpload")
        }
        let bytes = parts.sorted { $0.key < $1.key }.flatMap(\.value)
        let reply = put(key, bytes, isConditional: request.headers["if-none-match"] == "*", until)
        guard reply.status == 200 else { return reply }
        state.withLock { $0.uploads[id] = nil }
        return listing(root: "CompleteMultipartUploadResult", "<ETag>\"whole\"</ETag>")
    }

    private func get(_ key: String, _ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        guard let bytes = state.withLock({ $0.objects[key] }) else { return Self.error(404, "NoSuchKey") }
        if request.method == "HEAD" {
            let lock = locks[key].map { [("x-amz-object-lock-retain-until-date", $0.iso8601)] } ?? []
            return .init(200, [("Content-Length", "\(bytes.count)"), ("ETag", Self.tag(bytes))] + lock)
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
        state.withLock { $0.uploads["left at \(begun)"] = (key, [1: [1]], nil) }
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
            text += "<Contents><Key>\(encoded(key))</Key><Size>\(bytes.count)</Size>"
            text += "<ETag>\(Self.tag(bytes))</ETag></Contents>"
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
