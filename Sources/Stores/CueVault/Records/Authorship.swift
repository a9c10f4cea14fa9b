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

/// Follows the records of an object up to the signature, which is the last.
struct AuthorshipReader {
    private let hasher: BLAKE2b.Stream
    private var signature: DeviceSignature?

    /// For the object of this context.
    init(_ context: SealContext) { hasher = BLAKE2b.Stream(context.bytes) }

    /// Takes the records of a frame, or those before the signature in it.
    mutating func take(_ records: ArraySlice<UInt8>) throws(FormatError) {
        guard signature == nil else { throw .invalid(.behindSignature) }
        hasher.update(records.span)
    }

    /// Takes the body of the signature.
    mutating func take(signature body: [UInt8]) throws(FormatError) { signature = try DeviceSignature(body) }

    /// Who signed what was taken. Throws `FormatError.invalid(.unsigned)` if nobody did.
    func finish() throws(FormatError) -> Authorship {
        guard let signature else { throw .invalid(.unsigned) }
        return Authorship(hasher.finish(), signature)
    }
}
