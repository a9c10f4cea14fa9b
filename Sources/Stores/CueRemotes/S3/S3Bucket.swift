import CueBase
import CueCurl
import CueOpenSSL
import CueStorage
import CueSystem
import Synchronization

/// Requests to a bucket, and what their answers mean.
final class S3Bucket: Sendable {
    private let address: S3Address
    private let account: S3Account
    private let client: HTTPClient
    let clock: Clock
    private let ahead = Mutex<Int?>(nil)
    private static let sumHeader = "x-amz-checksum-sha256"
    /// False once the service refused the header with the SHA-256 of an object and took one with its MD5.
    private let takesSHA256 = Atomic<Bool>(true)
    /// False once the service gave the same bytes twice with a tag that is not their MD5.
    private let tagsAreSums = Atomic<Bool>(true)

    init(_ address: S3Address, _ account: S3Account, _ client: HTTPClient, clock: Clock) {
        (self.address, self.account, self.client, self.clock) = (address, account, client, clock)
    }

    /// How far this device is ahead of the service, in seconds, by the last answer; nil before the first one.
    var secondsAhead: Int? { ahead.withLock(\.self) }

    /// Where the vault is, as errors say it.
    private var place: String { "s3://\(address.bucket)/\(address.prefix)" }

    // MARK: Requests

    /// The key of a name in the vault.
    func key(_ name: String) -> String { address.prefix.isEmpty ? name : "\(address.prefix)/\(name)" }

    /// The name of a key in the vault; nil if the key lies outside.
    func name(ofKey key: String) -> String? {
        guard !address.prefix.isEmpty else { return key }
        return key.hasPrefix(address.prefix + "/") ? String(key.dropFirst(address.prefix.count + 1)) : nil
    }

    /// A signed request for a key; for the bucket itself if that is empty.
    func request(
        _ method: HTTPRequest.Method, _ key: String, label: String, query: [String: String] = [:],
        headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) -> HTTPRequest {
        var request = HTTPRequest(method, account.url(bucket: address.bucket, key: key, query: query), label: label)
        request.headers = headers
        request.body = body
        let sum = Digest.sha256(body.span)
        // A service compares it with what arrives. MD5 takes three times as long, and is for services that take no other,
        // for parts, for objects that are locked (Amazon S3 API Reference, PutObject), and where no signature has the
        // SHA-256 as well.
        if method == .put {
            let isWhole =
                account.key != nil && query.isEmpty && !headers.contains { $0.name.hasPrefix("x-amz-object-lock") }
            request.headers.append(
                isWhole && takesSHA256.load(ordering: .relaxed)
                    ? (Self.sumHeader, sum.base64) : ("Content-MD5", Digest.md5(body.span).base64))
        }
        guard let known = account.key else { return request }
        request.headers.append(("x-amz-content-sha256", sum.hexadecimal))
        if let token = known.token { request.headers.append(("x-amz-security-token", token)) }
        request.signature = HTTPRequest.Signature(
            region: account.region, service: "s3", key: known.id, secret: known.secret)
        return request
    }

    /// The answer, of any status.
    func send(_ request: HTTPRequest) throws(StorageError) -> HTTPAnswer {
        let answer = try sendOnce(request)
        guard let index = request.headers.firstIndex(where: { $0.name == Self.sumHeader }), mayBeOfHeader(answer)
        else { return answer }
        var other = request
        other.headers[index] = ("Content-MD5", Digest.md5(request.body.span).base64)
        var second = try sendOnce(other)
        // One that was refused now may have arrived before, and its answer been lost.
        second.attempts += answer.attempts - 1
        if second.isSuccess { takesSHA256.store(false, ordering: .relaxed) }
        return second
    }

    /// Whether a service may have refused a request for a header that it does not know.
    private func mayBeOfHeader(_ answer: HTTPAnswer) -> Bool {
        guard answer.status == 400 else { return answer.status == 501 }
        return ["InvalidArgument", "InvalidRequest", "NotImplemented"].contains(S3Document(answer.body)?.texts["Code"])
    }

    private func sendOnce(_ request: HTTPRequest) throws(StorageError) -> HTTPAnswer {
        do {
            let answer = try client.perform(request)
            if let date = answer.headers["date"].flatMap({ HTTPDate.seconds($0) }) {
                ahead.withLock { $0 = Int(clock.now.milliseconds / 1000) - date }
            }
            return answer
        } catch { throw translated(error, request.label) }
    }

    private func translated(_ error: HTTPError, _ label: String) -> StorageError {
        switch error {
        case .unresolved(let host): .service(.away(.unknownHost, host))
        case .noConnection: .service(.away(.noConnection, account.endpoint))
        case .noTLS: .service(.away(.noTLS, account.endpoint))
        case .timedOut, .broken, .noMemory: .unreachable(place)
        case .untrusted(let reason): .service(.untrusted(account.endpoint, reason))
        case .tooLarge: .service(.endlessAnswer(label))
        case .redirected(let host): .service(.redirected(host))
        case .badAddress: .service(.notTheService(account.endpoint))
        case .interrupted: .stopped
        case .other(let text): .service(.notTheService(text))
        }
    }

    /// Throws unless an object came with a tag: every S3 gives one, and the page of a network that wants a log-in has
    /// none.
    private func prove(_ answer: HTTPAnswer) throws(StorageError) {
        guard answer.headers["etag"] != nil else { throw .service(.notTheService(S3Refusal.firstLine(answer))) }
    }

    /// What an answer means that is no success.
    func refusal(_ answer: HTTPAnswer, _ action: ServiceFault.Action, _ name: String) -> StorageError {
        S3Refusal(name: name, action: action, bucket: address.bucket, place: place)
            .error(answer, now: Int(clock.now.milliseconds / 1000))
    }

    // MARK: Reading

    /// Asks for the range. Throws `.notFound`, `.shortRead`, and what `StorageError` has for services.
    func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        guard !buffer.isEmpty else {
            guard let size = try size(of: name) else { throw .notFound(name.text) }
            guard offset <= size else { throw .shortRead(name.text) }
            return
        }
        let (last, overflows) = offset.addingReportingOverflow(buffer.count - 1)
        guard !overflows else { throw .shortRead(name.text) }
        var request = request(
            .get, key(name.text), label: name.text, headers: [("Range", "bytes=\(offset)-\(last)")])
        request.limit = max(request.limit, buffer.count)
        let answer: HTTPAnswer
        do { answer = try client.read(request, status: 206, into: &buffer) } catch {
            throw translated(error, name.text)
        }
        switch answer.status {
        case 206:
            let range = answer.headers["content-range"] ?? ""
            guard range.hasPrefix("bytes \(offset)-") else { throw .service(.noRanges) }
            guard answer.received == buffer.count else { throw .shortRead(name.text) }
        case 200:
            try prove(answer)
            // The whole of a short object, which some services send for a range that covers it.
            guard offset == 0, answer.body.count >= buffer.count else {
                throw answer.body.count < buffer.count ? .shortRead(name.text) : .service(.noRanges)
            }
            buffer.fill(from: answer.body, at: 0)
        default: throw refusal(answer, .read, name.text)
        }
    }

    /// Reads the whole object with one request. Throws as `read`, and `.tooLarge`.
    func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        var request = request(.get, key(name.text), label: name.text)
        request.limit = max(request.limit, limit)
        let answer: HTTPAnswer
        do { answer = try client.perform(request) } catch {
            // No object that a caller may read is longer than its limit.
            if error == .tooLarge { throw .tooLarge(name.text) }
            throw translated(error, name.text)
        }
        guard answer.status == 200 else { throw refusal(answer, .read, name.text) }
        try prove(answer)
        guard answer.body.count <= limit else { throw .tooLarge(name.text) }
        // Of an object that went up at once the tag is the MD5, as most services make it. Where it is not, the same
        // bytes come again.
        guard tagsAreSums.load(ordering: .relaxed), let tag = answer.headers["etag"]?.filter({ $0 != "\"" }),
            tag.utf8.count == 32,
            Digest.md5(answer.body.span).hexadecimal != tag.lowercased()
        else { return answer.body }
        let again: HTTPAnswer
        do { again = try client.perform(request) } catch { throw translated(error, name.text) }
        guard again.status == 200 else { throw refusal(again, .read, name.text) }
        guard again.body.count <= limit else { throw .tooLarge(name.text) }
        if again.body == answer.body { tagsAreSums.store(false, ordering: .relaxed) }
        return again.body
    }

    /// Asks for the head of the object.
    func size(of name: ObjectName) throws(StorageError) -> Int? {
        let answer = try send(request(.head, key(name.text), label: name.text))
        switch answer.status {
        case 200:
            try prove(answer)
            guard let size = answer.headers["content-length"].flatMap({ Int($0) }), size >= 0 else {
                throw .service(.notTheService(S3Refusal.firstLine(answer)))
            }
            return size
        case 404: return nil
        default: throw refusal(answer, .read, name.text)
        }
    }
}
