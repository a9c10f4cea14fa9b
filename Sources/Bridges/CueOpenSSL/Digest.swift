import COpenSSL
import CueBase

/// Hashes by OpenSSL, which uses the instructions of the CPU for them.
package enum Digest {
    /// SHA-256 (FIPS 180-4), 32 bytes.
    package static func sha256(_ bytes: Span<UInt8>) -> [UInt8] { unsafe digest(bytes, EVP_sha256(), 32) }

    /// MD5 (RFC 1321), 16 bytes: a checksum against bad lines, and no protection against anybody.
    package static func md5(_ bytes: Span<UInt8>) -> [UInt8] { unsafe digest(bytes, EVP_md5(), 16) }

    private static func digest(_ bytes: Span<UInt8>, _ kind: OpaquePointer?, _ count: Int) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        let isDone = unsafe bytes.withUnsafeBytes { input in
            unsafe EVP_Digest(input.baseAddress, input.count, &digest, nil, kind, nil) == 1
        }
        precondition(isDone, "OpenSSL has no memory for a hash")
        return digest
    }
}

extension [UInt8] {
    /// Base 64 (RFC 4648 §4), as headers with checksums have it.
    package var base64: String {
        // OpenSSL ends the text with a zero byte.
        var text = [UInt8](repeating: 0, count: (count + 2) / 3 * 4 + 1)
        let length = unsafe EVP_EncodeBlock(&text, self, Int32(count))
        return String(decoding: text.prefix(Int(length)), as: UTF8.self)
    }

    /// Two lower-case digits for each byte.
    package var hexadecimal: String { map { String(UInt64($0).hexadecimal.suffix(2)) }.joined() }
}
