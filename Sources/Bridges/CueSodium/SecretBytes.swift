import CSodium

/// Memory for keys: guarded pages, locked in memory, left out of core dumps, and wiped at the end.
@safe package final class SecretBytes: Sendable {
    // Written only while `init(count:filling:)` runs, read-only afterwards: the pages are protected.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// The number of bytes.
    package let count: Int

    /// Makes a secret of `count` bytes, which `fill` writes. Traps if there is no memory for it; throws only what
    /// `fill` throws.
    package init<Failure: Error>(
        count: Int, filling fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        guard (try? Sodium.start()) != nil, let memory = unsafe sodium_malloc(max(count, 1)) else {
            // Without memory for a 32-byte key, nothing sensible is possible.
            preconditionFailure("libsodium gives no memory for a key")
        }
        unsafe base = memory
        self.count = count
        let bytes = unsafe UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count)
        var span = unsafe bytes.mutableSpan
        try fill(&span)
        unsafe sodium_mprotect_readonly(memory)
    }

    /// Copies `bytes`; the caller wipes the original.
    package convenience init(copying bytes: Span<UInt8>) {
        self.init(count: bytes.count) { target in
            for i in 0..<bytes.count {
                target[i] = bytes[i]
            }
        }
    }

    /// Makes a secret of `count` random bytes.
    package static func random(_ count: Int) -> SecretBytes {
        SecretBytes(count: count) { target in
            unsafe target.withUnsafeMutableBytes { bytes in
                if let base = bytes.baseAddress { unsafe randombytes_buf(base, bytes.count) }
            }
        }
    }

    // sodium_free wipes the pages before it returns them.
    deinit { unsafe sodium_free(base) }

    /// Lends the bytes to `body`; a copy of them is not wiped.
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        return try unsafe body(buffer.span)
    }

    func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        unsafe body(UnsafePointer(base.assumingMemoryBound(to: UInt8.self)))
    }
}

extension SecretBytes: Equatable {
    /// Compares in constant time.
    package static func == (a: SecretBytes, b: SecretBytes) -> Bool {
        a.withBytes { left in b.withBytes { right in Sodium.equal(left, right) } }
    }
}

/// Overwrites bytes that held a secret with zeros. Unlike an assignment, this is not optimised away.
package func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { buffer in
        if let base = buffer.baseAddress { unsafe sodium_memzero(base, buffer.count) }
    }
}
