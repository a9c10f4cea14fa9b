import CueBase
import CueStorage

/// Gathers one object of a bucket in memory and stores it with one request.
///
/// One of more than 48 MiB, which no pack is, goes up in parts of 16 MiB.
final class S3Writer: ObjectWriter {
    private static let wholeAtMost = 48 << 20
    private static let partSize = 16 << 20
    /// The first bytes of the object, by which it is known again.
    private static let headSize = 4096

    private let name: ObjectName
    private let uploads: S3Uploads
    private var bytes: [UInt8] = []
    private var head: [UInt8] = []
    private var size = 0
    private var upload: (id: String, tags: [String])?
    private var isEnded = false

    init(_ name: ObjectName, _ uploads: S3Uploads) {
        (self.name, self.uploads) = (name, uploads)
        bytes = uploads.buffers.take()
    }

    func write(_ more: Span<UInt8>) throws(StorageError) {
        UploadBuffers.grow(&bytes, by: more.count)
        bytes.append(more)
        size += more.count
        if bytes.count > Self.wholeAtMost || upload != nil { try sendParts(keeping: Self.partSize) }
    }

    /// Sends full parts until fewer than `rest` bytes are left.
    private func sendParts(keeping rest: Int) throws(StorageError) {
        if upload == nil {
            head = Array(bytes.prefix(Self.headSize))
            upload = (try uploads.beginParts(name), [])
        }
        while bytes.count >= rest, !bytes.isEmpty { try sendPart() }
    }

    private func sendPart() throws(StorageError) {
        guard let upload else { return }
        let part = Array(bytes.prefix(Self.partSize))
        let tag = try uploads.put(part: part, upload.tags.count + 1, of: name, upload: upload.id)
        self.upload?.tags.append(tag)
        bytes.removeFirst(part.count)
    }

    func finish() throws(StorageError) {
        guard !isEnded else { return }
        if upload == nil {
            try uploads.put(whole: bytes, as: name)
        } else {
            try sendParts(keeping: 0)
            if let upload {
                try uploads.finishParts(upload.tags, of: name, upload: upload.id, size: size, head: head)
            }
        }
        isEnded = true
        uploads.buffers.giveBack(bytes.taken())
    }

    func cancel() {
        guard !isEnded else { return }
        isEnded = true
        uploads.buffers.giveBack(bytes.taken())
        if let upload { uploads.dropParts(of: name, upload: upload.id) }
    }

    deinit { cancel() }
}
