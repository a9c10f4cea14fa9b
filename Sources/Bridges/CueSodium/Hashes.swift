import CSodium
package import CueBase

/// BLAKE2b-256 (RFC 7693) by libsodium's `crypto_generichash`.
package enum BLAKE2b {
    /// The keyed hash that names a chunk (docs/format.md §5); `key` has 32 bytes.
    package static func chunkID(of bytes: Span<UInt8>, key: SecretBytes) -> ChunkID {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { out in
            unsafe bytes.withUnsafeBytes { input in
                unsafe key.withPointer { key in
                    guard let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                    unsafe crypto_generichash(
                        target, 32, input.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(input.count), key, 32
                    )
                }
            }
        }
        return ChunkID(a: words.0.bigEndian, b: words.1.bigEndian, c: words.2.bigEndian, d: words.3.bigEndian)
    }

    /// The unkeyed hash of 32 bytes, for checks of typed codes and for ids of keys.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 32)
        unsafe crypto_generichash(&out, 32, bytes, UInt64(bytes.count), nil, 0)
        return out
    }
}

extension BLAKE2b {
    /// The unkeyed hash of bytes that come in pieces. One thread at a time uses it.
    @safe package final class Stream {
        /// libsodium wants 64 bytes aligned for its state, which Swift gives no struct.
        private let state = UnsafeMutableRawPointer.allocate(
            byteCount: crypto_generichash_statebytes(), alignment: 64)

        /// Begins with these bytes.
        package init(_ bytes: [UInt8]) {
            _ = unsafe crypto_generichash_init(OpaquePointer(state), nil, 0, 32)
            update(bytes.span)
        }

        deinit { unsafe state.deallocate() }

        /// Goes on with these bytes.
        package func update(_ bytes: Span<UInt8>) {
            unsafe bytes.withUnsafeBytes { bytes in
                _ = unsafe crypto_generichash_update(
                    OpaquePointer(state), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
            }
        }

        /// The hash of all bytes. Nothing may follow.
        package func finish() -> ID32 {
            var out = [UInt8](repeating: 0, count: 32)
            _ = unsafe crypto_generichash_final(OpaquePointer(state), &out, 32)
            var reader = ByteReader(out)
            guard let hash = try? reader.id32() else { preconditionFailure("an array of 32 bytes has 32") }
            return hash
        }
    }
}

/// HMAC-SHA-512 (RFC 2104) by libsodium.
package enum HMACSHA512 {
    /// The bytes of a code.
    package static let length = 64

    /// The code of the concatenated parts. A key may have any length; the working state is wiped.
    package static func code(_ parts: [[UInt8]], key: Span<UInt8>) -> SecretBytes {
        SecretBytes(count: length) { code(parts, key: key, into: &$0) }
    }

    /// The same into 64 bytes, which the caller wipes.
    package static func code(_ parts: [[UInt8]], key: Span<UInt8>, into out: inout MutableSpan<UInt8>) {
        precondition(out.count == length, "a code has 64 bytes")
        var state = crypto_auth_hmacsha512_state()
        unsafe key.withUnsafeBytes { key in
            // An empty key has no address, but C requires one.
            var nothing: UInt8 = 0
            unsafe withUnsafePointer(to: &nothing) { nothing in
                let start = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing
                _ = unsafe crypto_auth_hmacsha512_init(&state, start, key.count)
            }
        }
        for part in parts { unsafe crypto_auth_hmacsha512_update(&state, part, UInt64(part.count)) }
        unsafe out.withUnsafeMutableBytes { out in
            guard let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            unsafe crypto_auth_hmacsha512_final(&state, target)
        }
        unsafe withUnsafeMutableBytes(of: &state) { bytes in
            if let base = bytes.baseAddress { unsafe sodium_memzero(base, bytes.count) }
        }
    }
}

/// Argon2id version 1.3 (RFC 9106), one lane, by libsodium.
package enum Argon2id {
    /// Derives 32 bytes from `secret`. `salt` has 16 bytes, `memory` is in bytes. No signal ends it early. Throws
    /// `.keyDerivationFailed` if the memory is not available.
    package static func derive(
        _ secret: SecretBytes, salt: [UInt8], passes: UInt32, memory: UInt64
    ) throws(SodiumError) -> SecretBytes {
        precondition(salt.count == 16, "libsodium wants a salt of 16 bytes")
        return try SecretBytes(count: 32) { out throws(SodiumError) in
            let result = unsafe out.withUnsafeMutableBytes { out in
                unsafe secret.withPointer { secretPointer in
                    guard let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
                        return Int32(-1)
                    }
                    return unsafe crypto_pwhash(
                        target, 32, UnsafeRawPointer(secretPointer).assumingMemoryBound(to: CChar.self),
                        UInt64(secret.count), salt, UInt64(passes), Int(memory), crypto_pwhash_alg_argon2id13())
                }
            }
            // With parameters in range, missing memory is the only cause left.
            guard result == 0 else { throw .keyDerivationFailed }
        }
    }
}
