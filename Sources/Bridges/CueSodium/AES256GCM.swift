import CSodium
package import CueBase

/// AES-256-GCM (NIST SP 800-38D) by libsodium with a precomputed key; only on a CPU with `Sodium.hasAES`.
package final class SodiumAES256GCM: Sendable {
    /// The bytes of the tag behind the sealed ones.
    package static let tagLength = 16

    /// The key schedule, in guarded memory. Its size is a multiple of its alignment, so `sodium_malloc` aligns it.
    private let schedule: SecretBytes

    /// Takes a key of 32 bytes; traps for another length, and on a CPU without AES.
    package init(key: Span<UInt8>) {
        precondition(key.count == 32 && Sodium.hasAES, "a key of 32 bytes, and a CPU with AES")
        schedule = SecretBytes(count: MemoryLayout<crypto_aead_aes256gcm_state>.size) { target in
            unsafe target.withUnsafeMutableBytes { state in
                unsafe key.withUnsafeBytes { key in
                    guard let state = state.baseAddress, let key = key.baseAddress else { return }
                    unsafe crypto_aead_aes256gcm_beforenm(
                        state.bindMemory(to: crypto_aead_aes256gcm_state.self, capacity: 1),
                        key.assumingMemoryBound(to: UInt8.self))
                }
            }
        }
    }

    private func withState<Result>(_ body: (UnsafePointer<crypto_aead_aes256gcm_state>) -> Result) -> Result {
        unsafe schedule.withPointer { bytes in
            unsafe body(UnsafeRawPointer(bytes).assumingMemoryBound(to: crypto_aead_aes256gcm_state.self))
        }
    }

    /// Writes `plaintext.count + 16` bytes to the front of `output`. A nonce must be used once only.
    package func seal(_ plaintext: Span<UInt8>, nonce: Nonce96, into output: inout MutableSpan<UInt8>) {
        precondition(output.count >= plaintext.count + Self.tagLength)
        unsafe output.withUnsafeMutableBytes { out in
            unsafe plaintext.withUnsafeBytes { input in
                guard let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                let source = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                _ = unsafe nonce.withBytes { nonce in
                    unsafe withState { state in
                        unsafe crypto_aead_aes256gcm_encrypt_afternm(
                            target, nil, source, UInt64(input.count), nil, 0, nil, nonce, state)
                    }
                }
            }
        }
    }

    /// Writes `sealed.count - 16` bytes to the front of `output`.
    ///
    /// Returns false if the tag is wrong; `output` then holds nothing of use.
    package func open(_ sealed: Span<UInt8>, nonce: Nonce96, into output: inout MutableSpan<UInt8>) -> Bool {
        precondition(output.count + Self.tagLength >= sealed.count)
        return unsafe output.withUnsafeMutableBytes { out in
            unsafe sealed.withUnsafeBytes { input in
                guard let source = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
                let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe nonce.withBytes { nonce in
                    unsafe withState { state in
                        unsafe crypto_aead_aes256gcm_decrypt_afternm(
                            target, nil, nil, source, UInt64(input.count), nil, 0, nonce, state) == 0
                    }
                }
            }
        }
    }
}
