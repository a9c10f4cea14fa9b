import CueBase
import CueCurl
import CueStorage
import CueSystem
import Synchronization

/// Stores objects in a bucket, each under a name that is free.
final class S3Uploads: Sendable {
    private let bucket: S3Bucket
    /// nil if nothing is locked.
    private let locks: S3Locks?
    /// True once the service has said that it does not know the condition of a `PUT`. Then a question goes before it.
    private let asksFirst = Atomic<Bool>(false)

    /// True once this process has looked for parts that killed runs left.
    private let hasTidied = Atomic<Bool>(false)

    let buffers = UploadBuffers()

    init(_ bucket: S3Bucket, _ locks: S3Locks?) { (self.bucket, self.locks) = (bucket, locks) }

    /// Stores a whole object durably. Throws `.alreadyThere` if another one has the name.
    func put(whole bytes: [UInt8], as name: ObjectName) throws(StorageError) {
        try finish(name, size: bytes.count, head: bytes) { [bucket, locks] headers in
            bucket.request(
                .put, bucket.key(name.text), label: name.text, headers: headers + (locks?.headers(for: name) ?? []),
                body: bytes)
        }
    }

    /// The error of a service that refuses an object. One that is to be locked may be refused for the lock.
    private func action(_ name: ObjectName) -> ServiceFault.Action {
        locks != nil && S3Locks.covers(name) ? .lock : .write
    }

    /// Sends the request that gives an object its name, on the condition that the name is free.
    private func finish(
        _ name: ObjectName, size: Int, head: [UInt8],
        _ request: ([(name: String, value: String)]) -> HTTPRequest
    ) throws(StorageError) {
        var (attempts, conflicts) = (0, 0)
        while true {
            let asks = asksFirst.load(ordering: .relaxed)
            if asks, try bucket.size(of: name) != nil { throw .alreadyThere(name.text) }
            let answer = try bucket.send(request(asks ? [] : [("If-None-Match", "*")]))
            attempts += answer.attempts
            switch answer.status {
            case 200:
                // The parts of an object may be put together with an error after status 200. And every S3 names what it
                // stored: what answers without that is a proxy that stores nothing.
                let document = answer.body.isEmpty ? nil : S3Document(answer.body)
                if document?.root == "Error" { throw bucket.refusal(answer, .write, name.text) }
                guard answer.headers["etag"] != nil || document?.texts["ETag"] != nil else {
                    throw .service(.notTheService(S3Refusal.firstLine(answer)))
                }
                return
            case 412:
                // An earlier attempt may have arrived, and its answer been lost.
                if attempts > 1, try isThere(name, size: size, head: head) { return }
                throw .alreadyThere(name.text)
            case 400 where conflicts < 3 && isSpoilt(answer):
                conflicts += 1
            case 409 where conflicts < 3:
                // Another writer of the same name is under way, or our own lost attempt.
                conflicts += 1
                bucket.clock.wait(Double(conflicts))
            case 501 where !asks: asksFirst.store(true, ordering: .relaxed)
            default: throw bucket.refusal(answer, action(name), name.text)
            }
        }
    }

    /// Whether the service got other bytes than were sent.
    private func isSpoilt(_ answer: HTTPAnswer) -> Bool {
        let codes = ["BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch", "IncompleteBody"]
        return S3Document(answer.body)?.texts["Code"].map { codes.contains($0) } ?? false
    }

    /// Whether the object of this name has this size and begins with these bytes. No two sealed objects agree in that:
    /// each has random bytes near its beginning.
    private func isThere(_ name: ObjectName, size: Int, head: [UInt8]) throws(StorageError) -> Bool {
        guard try bucket.size(of: name) == size else { return false }
        var found = [UInt8](repeating: 0, count: min(4096, head.count))
        var span = found.mutableSpan
        try bucket.read(name, at: 0, into: &span)
        return found.elementsEqual(head.prefix(found.count))
    }

    // MARK: Objects in parts

    /// Begins an object in parts and returns the id under which the service keeps them.
    func beginParts(_ name: ObjectName) throws(StorageError) -> String {
        if !hasTidied.exchange(true, ordering: .relaxed) { dropOldParts() }
        let answer = try bucket.send(
            bucket.request(
                .post, bucket.key(name.text), label: name.text, query: ["uploads": ""],
                headers: locks?.headers(for: name) ?? []))
        guard answer.status == 200 else { throw bucket.refusal(answer, action(name), name.text) }
        guard let id = S3Document(answer.body)?.texts["UploadId"], !id.isEmpty else {
            throw .service(.notTheService(S3Refusal.firstLine(answer)))
        }
        return id
    }

    /// Sends a part, numbered from 1, and returns the service's name for it.
    func put(part: [UInt8], _ number: Int, of name: ObjectName, upload: String) throws(StorageError) -> String {
        let answer = try bucket.send(
            bucket.request(
                .put, bucket.key(name.text), label: name.text, query: ["partNumber": "\(number)", "uploadId": upload],
                body: part))
        guard answer.status == 200 else { throw bucket.refusal(answer, .write, name.text) }
        guard let tag = answer.headers["etag"] else {
            throw .service(.notTheService(S3Refusal.firstLine(answer)))
        }
        return tag
    }

    /// Puts the parts together under the object's name. `head`: its first bytes.
    func finishParts(
        _ tags: [String], of name: ObjectName, upload: String, size: Int, head: [UInt8]
    ) throws(StorageError) {
        var text = "<CompleteMultipartUpload>"
        for (index, tag) in tags.enumerated() {
            let tag = tag.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            text += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let body = Array((text + "</CompleteMultipartUpload>").utf8)
        do throws(StorageError) {
            try finish(name, size: size, head: head) { [bucket] headers in
                bucket.request(
                    .post, bucket.key(name.text), label: name.text, query: ["uploadId": upload],
                    headers: headers + [("Content-Type", "application/xml")], body: body)
            }
        } catch {
            // The parts are gone where an earlier attempt put them together and its answer was lost.
            guard case .notFound = error, try isThere(name, size: size, head: head) else { throw error }
        }
    }

    /// Drops the parts of an object that is not finished. Errors are ignored: the service keeps the
    /// parts, and a later run drops them.
    func dropParts(of name: ObjectName, upload: String) {
        _ = try? bucket.send(
            bucket.request(.delete, bucket.key(name.text), label: name.text, query: ["uploadId": upload]))
    }

    /// Drops the parts of objects that were begun more than a day ago, by any writer: no object takes that long. Errors
    /// are ignored.
    private func dropOldParts() {
        let query = ["uploads": "", "prefix": bucket.key("")]
        guard let answer = try? bucket.send(bucket.request(.get, "", label: "uploads", query: query)),
            answer.status == 200, let document = S3Document(answer.body),
            document.root == "ListMultipartUploadsResult"
        else { return }
        let yesterday = bucket.clock.now.milliseconds - 86_400_000
        for item in document.items where item.name == "Upload" {
            guard let key = item.texts["Key"], let name = bucket.name(ofKey: key).flatMap({ ObjectName(listed: $0) }),
                let id = item.texts["UploadId"],
                let begun = item.texts["Initiated"].flatMap({ Timestamp(iso8601: $0) }), begun.milliseconds < yesterday
            else { continue }
            dropParts(of: name, upload: id)
        }
    }
}
