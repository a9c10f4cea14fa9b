package import CueSodium

/// HKDF with HMAC-SHA-512 (RFC 5869).
package enum HKDF {
    /// `HKDF-Extract(salt, input)`, 64 bytes. Only the published vectors need it: cue's own keys are random.
    package static func extract(salt: [UInt8], input: [UInt8]) -> SecretBytes {
        HMACSHA512.code([input], key: salt.span)
    }

    /// `HKDF-Expand(PRK, info, count)`; traps if `count` is above 255 · 64 bytes.
    package static func expand(_ key: SecretBytes, info: [UInt8], count: Int) -> SecretBytes {
        SecretBytes(count: count) { expand(key, info: info, into: &$0) }
    }

    /// The same into ordinary memory, which the caller wipes: guarded pages take eight system calls.
    static func expand(_ key: SecretBytes, info: [UInt8], into out: inout MutableSpan<UInt8>) {
        precondition((0...255 * HMACSHA512.length).contains(out.count), "RFC 5869 §2.3")
        var block = [UInt8](repeating: 0, count: HMACSHA512.length)
        var (previous, offset, counter): ([UInt8], Int, UInt8) = ([], 0, 1)
        while offset < out.count {
            var target = block.mutableSpan
            key.withBytes { HMACSHA512.code([previous, info, [counter]], key: $0, into: &target) }
            for i in 0..<min(HMACSHA512.length, out.count - offset) { out[offset + i] = block[i] }
            wipe(&previous)
            previous = block.span.array
            offset += HMACSHA512.length
            counter &+= 1
        }
        wipe(&previous)
        wipe(&block)
    }
}

extension Span<UInt8> {
    /// A copy of the elements; the caller wipes it if they are secret.
    package var array: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }
}
