#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A read-only file in memory: only the touched pages are loaded.
@safe package final class MappedFile: Sendable {
    // Never written and unmapped only in deinit, so any thread may read.
    private nonisolated(unsafe) let base: UnsafeRawPointer
    package let count: Int

    package init(_ file: borrowing File) throws(SystemError) {
        let size = Int(try file.info().size)
        guard size > 0, let mapped = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file.descriptor, 0),
            unsafe mapped != MAP_FAILED
        else { throw .last("mmap") }
        unsafe base = UnsafeRawPointer(mapped)
        count = size
    }

    deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: base), count) }

    /// Lends the bytes.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let buffer = unsafe UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count)
        return try unsafe body(buffer.span)
    }
}
