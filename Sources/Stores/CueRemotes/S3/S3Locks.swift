import CueBase
import CueCurl
import CueStorage
import CueSystem

/// Object lock of a bucket in compliance mode: no account can end a lock before its time (Amazon S3 User Guide,
/// "Locking objects with Object Lock").
final class S3Locks: ObjectLocking {
    static let mode = "COMPLIANCE"
    static let untilHeader = "x-amz-object-lock-retain-until-date"

    let days: Int
    private let bucket: S3Bucket

    init(days: Int, _ bucket: S3Bucket) { (self.days, self.bucket) = (days, bucket) }

    /// Whether new objects of this name are locked. Objects below `tmp/` are not: they may be deleted at any time.
    static func covers(_ name: ObjectName) -> Bool { !name.text.hasPrefix("tmp/") }

    /// The headers that lock a new object from its upload on.
    func headers(for name: ObjectName) -> [(name: String, value: String)] {
        guard Self.covers(name) else { return [] }
        let until = Timestamp(milliseconds: bucket.clock.now.milliseconds + Int64(days) * 86_400_000)
        return [("x-amz-object-lock-mode", Self.mode), (Self.untilHeader, until.inSeconds)]
    }

    /// Asks for the head of the object. The time is in it for a key with `s3:GetObjectRetention` alone.
    func lockedUntil(_ name: ObjectName) throws(StorageError) -> Timestamp? {
        let answer = try bucket.send(bucket.request(.head, bucket.key(name.text), label: name.text))
        guard answer.status == 200 else { throw bucket.refusal(answer, .read, name.text) }
        return answer.headers[Self.untilHeader].flatMap { Timestamp(iso8601: $0) }
    }

    func lock(_ name: ObjectName, until time: Timestamp) throws(StorageError) {
        let text = """
            <Retention xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Mode>\(Self.mode)</Mode>\
            <RetainUntilDate>\(time.inSeconds)</RetainUntilDate></Retention>
            """
        let answer = try bucket.send(
            bucket.request(
                .put, bucket.key(name.text), label: name.text, query: ["retention": ""],
                headers: [("Content-Type", "application/xml")], body: Array(text.utf8)))
        guard !answer.isSuccess else { return }
        // A lock cannot be made shorter: another device, or the bucket's own rule, locked it for longer.
        if answer.status == 403, let until = try lockedUntil(name), until.milliseconds >= time.milliseconds { return }
        throw bucket.refusal(answer, .lock, name.text)
    }
}

extension Timestamp {
    /// The next whole second: some services take no fractions.
    fileprivate var inSeconds: String {
        let whole = Timestamp(milliseconds: (milliseconds + 999) / 1000 * 1000)
        return whole.iso8601.replacing(".000Z", with: "Z")
    }
}
