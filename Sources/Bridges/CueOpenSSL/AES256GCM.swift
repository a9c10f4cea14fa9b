import COpenSSL
package import CueBase
import Synchronization

/// AES-256-GCM (NIST SP 800-38D) by OpenSSL, for CPUs that libsodium's does not support.
///
/// It gives the same bytes as libsodium's.
package final class OpenSSLAES256GCM: Sendable {
    /// The bytes of the tag behind the sealed ones.
    package static let tagLength = 16

    /// A context holds the expanded key, so only the nonce changes from piece to piece. One thread at a time uses it.
    @safe private struct Contexts: ~Copyable, @unchecked Sendable {
        let seal: OpaquePointer
        let open: OpaquePointer

        init(key: Span<UInt8>) {
            // Without OpenSSL's configuration file: it must not decide how a vault is sealed, and takes a while to
            // read.
            OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
            guard let seal = unsafe EVP_CIPHER_CTX_new(), let open = unsafe EVP_CIPHER_CTX_new() else {
                preconditionFailure("OpenSSL has no memory for a key")
            }
            unsafe (self.seal, self.open) = (seal, open)
            let isReady = unsafe key.withUnsafeBytes { key in
                let key = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe EVP_EncryptInit_ex(seal, EVP_aes_256_gcm(), nil, key, nil) == 1
                    && EVP_DecryptInit_ex(open, EVP_aes_256_gcm(), nil, key, nil) == 1
            }
            precondition(isReady, "this OpenSSL has no AES-256-GCM")
        }

        deinit {
            // Both wipe the key.
            unsafe EVP_CIPHER_CTX_free(seal)
            unsafe EVP_CIPHER_CTX_free(open)
        }
    }

    private let contexts: Mutex<Contexts>

    /// Takes a key of 32 bytes; traps for another length, and if OpenSSL has no memory or no AES-256-GCM.
    package init(key: Span<UInt8>) {
        precondition(key.count == 32, "a key of 32 bytes")
        contexts = Mutex(Contexts(key: key))
    }

    /// Writes `plaintext.count + 16` bytes to the front of `output`. A nonce must be used once only.
    package func seal(_ plaintext: Span<UInt8>, nonce: Nonce96, into output: inout MutableSpan<UInt8>) {
        precondition(output.count >= plaintext.count + Self.tagLength)
        let isDone = unsafe output.withUnsafeMutableBytes { out in
            unsafe plaintext.withUnsafeBytes { input in
                contexts.withLock { unsafe Self.encrypt($0.seal, input, nonce, out) }
            }
        }
        // No input makes it fail, only missing memory; then nothing may leave unsealed.
        precondition(isDone, "OpenSSL could not encrypt")
    }

    private static func encrypt(
        _ context: OpaquePointer, _ input: UnsafeRawBufferPointer, _ nonce: Nonce96,
        _ out: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        let source = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var length: Int32 = 0
        return unsafe nonce.withBytes { unsafe EVP_EncryptInit_ex(context, nil, nil, nil, $0) } == 1
            && (input.isEmpty || EVP_EncryptUpdate(context, target, &length, source, Int32(input.count)) == 1)
            && EVP_EncryptFinal_ex(context, target + input.count, &length) == 1
            && cue_evp_get_tag(context, target + input.count) == 1
    }

    /// Writes `sealed.count - 16` bytes to the front of `output`.
    ///
    /// Returns false if the tag is wrong; `output` then holds nothing of use.
    package func open(_ sealed: Span<UInt8>, nonce: Nonce96, into output: inout MutableSpan<UInt8>) -> Bool {
        precondition(sealed.count >= Self.tagLength && output.count + Self.tagLength >= sealed.count)
        return unsafe output.withUnsafeMutableBytes { out in
            unsafe sealed.withUnsafeBytes { input in
                contexts.withLock { unsafe Self.decrypt($0.open, input, nonce, out) }
            }
        }
    }

    private static func decrypt(
        _ context: OpaquePointer, _ input: UnsafeRawBufferPointer, _ nonce: Nonce96,
        _ out: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let count = input.count - Self.tagLength
        guard let source = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        // OpenSSL only reads the tag here; its signature takes a mutable pointer all the same.
        let tag = unsafe UnsafeMutableRawPointer(mutating: source + count)
        var (length, rest): (Int32, UInt8) = (0, 0)
        let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let isOpen =
            unsafe nonce.withBytes { unsafe EVP_DecryptInit_ex(context, nil, nil, nil, $0) } == 1
            && (count == 0 || EVP_DecryptUpdate(context, target, &length, source, Int32(count)) == 1)
            && cue_evp_set_tag(context, tag) == 1 && EVP_DecryptFinal_ex(context, &rest, &length) == 1
        // OpenSSL decrypts before it compares the tag, unlike libsodium. Wipe plaintext that is not authentic.
        if !isOpen && count > 0 { unsafe OPENSSL_cleanse(target, count) }
        return isOpen
    }
}
