import CueBase
package import CueCurl
package import CueStorage
package import CueSystem

/// A vault in a bucket of Amazon S3, or of a service that speaks its protocol (Amazon S3 API Reference, 2006-03-01).
///
/// An object is one `PUT`, which the service refuses if the name is taken (`If-None-Match: *`); very large ones go up in
/// parts. Requests are repeated by the client. If an answer was lost and the name is then found taken, the object is
/// compared: it is ours.
package final class S3Store: ObjectStore {
    /// The keys of one page of a listing, as S3 allows at most.
    private static let pageSize = 1000
    /// The keys of a page for a caller that expects few.
    private static let fewKeys = 20
    /// The most bytes of an answer in XML: a page of keys of 1,024 bytes, all of them escaped.
    private static let listAtMost = 8 << 20

    private let bucket: S3Bucket
    private let uploads: S3Uploads
    private let locks: S3Locks?

    /// Makes no request. `client` trusts the certificates of the account.
    package init(_ address: S3Address, _ account: S3Account, _ client: HTTPClient, clock: Clock = .system) {
        bucket = S3Bucket(address, account, client, clock: clock)
        locks = address.lockDays.map { [bucket] in S3Locks(days: $0, bucket) }
        uploads = S3Uploads(bucket, locks)
    }

    /// True: reads cost time and money.
    package var readsAreDownloads: Bool { true }

    /// By the last answer.
    package var secondsAhead: Int? { bucket.secondsAhead }

    /// As the address says.
    package var locking: (any ObjectLocking)? { locks }

    // MARK: Reading

    /// Asks for the range. Throws `.notFound`, `.shortRead`, and what `StorageError` has for services.
    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        try bucket.read(name, at: offset, into: &buffer)
    }

    /// Reads the whole object with one request. Throws as `read`, and `.tooLarge`.
    package func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        try bucket.get(name, upTo: limit)
    }

    /// Asks for the head of the object.
    package func size(of name: ObjectName) throws(StorageError) -> Int? { try bucket.size(of: name) }

    /// Asks for one page of up to 1,000 keys.
    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try page(of: folder, after: after)
    }

    /// Asks for one page of up to 20 keys: 1,000 are a quarter of a megabyte.
    package func listFew(_ folder: String, after: String) throws(StorageError) -> ObjectPage {
        try page(of: folder, after: after, count: Self.fewKeys)
    }

    /// Asks for the first page of all keys.
    package func firstPage(upTo count: Int) throws(StorageError) -> ObjectPage? {
        try page(of: nil, after: nil, count: min(max(1, count), Self.pageSize))
    }

    /// `folder`: nil for the whole vault.
    private func page(
        of folder: String?, after: String?, count: Int = S3Store.pageSize
    ) throws(StorageError) -> ObjectPage {
        var query = [
            "list-type": "2", "prefix": bucket.key(folder.map { $0 + "/" } ?? ""), "max-keys": "\(count)",
            "encoding-type": "url",
        ]
        if let after { query["start-after"] = bucket.key(after) }
        let label = folder ?? "the prefix"
        var request = bucket.request(.get, "", label: label, query: query)
        request.limit = Self.listAtMost
        let answer = try bucket.send(request)
        guard answer.status == 200 else { throw bucket.refusal(answer, .list, label) }
        guard let document = S3Document(answer.body), document.root == "ListBucketResult" else {
            throw .service(.notTheService(S3Refusal.firstLine(answer)))
        }
        return try page(document, label)
    }

    private func page(_ document: S3Document, _ label: String) throws(StorageError) -> ObjectPage {
        let isEncoded = document.texts["EncodingType"] == "url"
        var (entries, last): ([ObjectEntry], String?) = ([], nil)
        for item in document.items where item.name == "Contents" {
            // Other programs' keys may be anything. Where the listing goes on may be such a one, so it must be read too.
            guard let text = item.texts["Key"],
                let key = isEncoded ? PercentEncoding.decode(text, plusIsSpace: true) : text,
                let name = bucket.name(ofKey: key)
            else { continue }
            last = name
            guard let object = ObjectName(listed: name), let size = item.texts["Size"].flatMap({ Int($0) }) else {
                continue
            }
            entries.append(ObjectEntry(name: object, size: size, tag: item.texts["ETag"]?.filter { $0 != "\"" }))
        }
        guard document.texts["IsTruncated"] == "true" else { return ObjectPage(entries) }
        // There is more, and no name after which to ask for it: what is here must not count as all there is.
        guard let last else { throw .endlessList(label) }
        return ObjectPage(entries, next: last)
    }

    // MARK: Writing

    /// Returns a writer that sends nothing before the object is finished, unless that is very large.
    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        S3Writer(name, uploads)
    }

    /// Removes the object. One that is not there is no error.
    package func delete(_ name: ObjectName) throws(StorageError) {
        let answer = try bucket.send(bucket.request(.delete, bucket.key(name.text), label: name.text))
        guard answer.isSuccess || answer.status == 404 else { throw bucket.refusal(answer, .delete, name.text) }
    }
}
