package import CueSodium

/// HKDF with HMAC-SHA-512 (RFC 5869).
package enum HKDF {
    /// `HKDF-Extract(salt, input)`, 64 bytes. Only the published vectors need it: cue's own keys are random.
    package static func extract(salt: [UInt8], input: [UInt8]) -> SecretBytes {
        HMACSHA512.code([input], key: salt.span)
    }

    /// `HKDF-Expand(PRK, info, count)`; traps if `count` is above 255 · 64 bytes.
    package static func expand(_ key: SecretBytes, info: [UInt8], count: Int) -> SecretBytes {
        precondition((0...255 * HMACSHA512.length).contains(count), "RFC 5869 §2.3")
        return SecretBytes(count: count) { out in
            var previous: [UInt8] = []
            var offset = 0
            var counter: UInt8 = 1
            while offset < count {
                let block = key.withBytes { key in HMACSHA512.code([previous, info, [counter]], key: key) }
                block.withBytes { bytes in
                    for i in 0..<min(HMACSHA512.length, count - offset) {
                        out[offset + i] = bytes[i]
                    }
                    wipe(&previous)
                    previous = bytes.array
                }
                offset += HMACSHA512.length
                counter &+= 1
            }
            wipe(&previous)
        }
    }
}

extension Span<UInt8> {
    /// A copy of the elements; the caller wipes it if they are secret.
    package var array: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }
}
