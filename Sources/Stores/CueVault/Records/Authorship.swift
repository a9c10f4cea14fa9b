package import CueBase
import CueCrypto
import CueSodium

/// Who signed an object, and what (docs/format.md §12).
package struct Authorship: Sendable {
    /// The digest of the object.
    package let digest: CommitDigest
    private let signature: DeviceSignature

    fileprivate init(_ digest: CommitDigest, _ signature: DeviceSignature) {
        (self.digest, self.signature) = (digest, signature)
    }

    /// The device that signed it. Throws `FormatError.invalid(.falselySigned)` if the signature does not hold.
    func device(in vault: VaultID) throws(FormatError) -> DeviceID {
        guard signature.holds(for: digest) else { throw .invalid(.falselySigned) }
        return signature.device(in: vault)
    }
}

/// Reads the records of an object up to the signature, which is the last.
struct AuthorshipReader {
    private let hasher: BLAKE2b.Stream
    private var signature: DeviceSignature?

    /// For the object of this context.
    init(_ context: SealContext) { hasher = BLAKE2b.Stream(context.bytes) }

    /// Passes each record of a frame but the signature to `take`: its kind, nil for one of a later version, and the range
    /// of its body. Throws `FormatError`, and the errors of `take`.
    mutating func read(_ frame: [UInt8], _ take: (RecordKind?, Range<Int>) throws -> Void) throws {
        guard signature == nil else { throw FormatError.invalid(.behindSignature) }
        var reader = ByteReader(frame)
        var end = frame.count
        while !reader.isAtEnd {
            guard signature == nil else { throw FormatError.invalid(.behindSignature) }
            let start = reader.position
            let kind = RecordKind(rawValue: try reader.varint())
            let body = try reader.lengthAndRange()
            if kind == .signature {
                (signature, end) = (try DeviceSignature(Array(frame[body])), start)
            } else {
                try take(kind, body)
            }
        }
        hasher.update(frame.span.extracting(0..<end))
    }

    /// Who signed what was taken. Throws `FormatError.invalid(.unsigned)` if nobody did.
    func finish() throws(FormatError) -> Authorship {
        guard let signature else { throw .invalid(.unsigned) }
        return Authorship(hasher.finish(), signature)
    }
}
