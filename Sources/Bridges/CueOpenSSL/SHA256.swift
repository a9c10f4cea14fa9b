import COpenSSL

/// SHA-256 (FIPS 180-4) by OpenSSL, which uses the instructions of the CPU for it.
package enum SHA256 {
    /// The 32 bytes of the hash.
    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let isDone = unsafe bytes.withUnsafeBytes { input in
            unsafe EVP_Digest(input.baseAddress, input.count, &digest, nil, EVP_sha256(), nil) == 1
        }
        precondition(isDone, "OpenSSL has no memory for a hash")
        return digest
    }
}
