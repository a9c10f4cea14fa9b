import COpenSSL

/// OpenSSL's AES-256-GCM, for CPUs on which libsodium's is not available. The same bytes.
@safe package final class OpenSSLAES256GCM: Sendable {
    package static let tagLength = 16

    // EVP contexts are not shared: each call makes its own from this key, which is wiped at the end.
    private nonisolated(unsafe) let key: UnsafeMutablePointer<UInt8>

    package init(key source: Span<UInt8>) {
        precondition(source.count == 32, "a key of 32 bytes")
        unsafe key = UnsafeMutablePointer<UInt8>.allocate(capacity: 32)
        for i in 0..<32 { unsafe key[i] = source[i] }
    }

    deinit {
        unsafe OPENSSL_cleanse(key, 32)
        unsafe key.deallocate()
    }

    /// Writes `plaintext.count + 16` bytes to the front of `output`.
    package func seal(_ plaintext: Span<UInt8>, nonce: [UInt8], into output: inout MutableSpan<UInt8>) {
        precondition(output.count >= plaintext.count + Self.tagLength && nonce.count == 12)
        let done = unsafe output.withUnsafeMutableBytes { out in
            unsafe plaintext.withUnsafeBytes { input in
                unsafe encrypt(input, nonce, out)
            }
        }
        // No input makes it fail; only memory does, and then nothing may leave unsealed.
        precondition(done, "OpenSSL could not encrypt")
    }

    private func encrypt(_ input: UnsafeRawBufferPointer, _ nonce: [UInt8], _ out: UnsafeMutableRawBufferPointer)
        -> Bool
    {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        guard let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        let source = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var length: Int32 = 0
        return unsafe EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
            && (input.isEmpty || EVP_EncryptUpdate(context, target, &length, source, Int32(input.count)) == 1)
            && EVP_EncryptFinal_ex(context, target + input.count, &length) == 1
            && cue_evp_get_tag(context, target + input.count) == 1
    }

    /// Writes `sealed.count - 16` bytes to the front of `output`; false if the tag is wrong, and then `output` says nothing.
    package func open(_ sealed: Span<UInt8>, nonce: [UInt8], into output: inout MutableSpan<UInt8>) -> Bool {
        precondition(sealed.count >= Self.tagLength && nonce.count == 12)
        precondition(output.count + Self.tagLength >= sealed.count)
        return unsafe output.withUnsafeMutableBytes { out in
            unsafe sealed.withUnsafeBytes { input in
                unsafe decrypt(input, nonce, out)
            }
        }
    }

    private func decrypt(_ input: UnsafeRawBufferPointer, _ nonce: [UInt8], _ out: UnsafeMutableRawBufferPointer)
        -> Bool
    {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return false }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let count = input.count - Self.tagLength
        guard let source = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        var tag = unsafe Array(UnsafeRawBufferPointer(rebasing: input[count...]))
        var rest = [UInt8](repeating: 0, count: 16)
        var length: Int32 = 0
        let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return unsafe EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
            && (count == 0 || EVP_DecryptUpdate(context, target, &length, source, Int32(count)) == 1)
            && cue_evp_set_tag(context, &tag) == 1
            && EVP_DecryptFinal_ex(context, &rest, &length) == 1
    }
}
