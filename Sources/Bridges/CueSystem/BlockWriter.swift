/// Writes a file from front to end in aligned pieces, past the page cache once it is large.
///
/// Pages that are written once and not read again would only push the writer's documents out of memory, and cost a copy.
@safe package final class BlockWriter {
    private static let alignment = 4096
    private static let capacity = 1 << 20

    private let file: File
    // Allocated in init, freed in deinit, used by one thread at a time.
    private let buffer: UnsafeMutableRawBufferPointer
    private var filled = 0
    private var offset: Int64 = 0
    private var isDirect = false

    package init(_ file: consuming File) {
        self.file = file
        unsafe buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.capacity, alignment: Self.alignment)
    }

    deinit { unsafe buffer.deallocate() }

    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = min(bytes.count - done, Self.capacity - filled)
            let piece = bytes.extracting(done..<done + count)
            unsafe piece.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count]).copyMemory(from: source)
            }
            filled += count
            done += count
            if filled == Self.capacity { try flush() }
        }
    }

    private func flush() throws(SystemError) {
        if offset == 0 { isDirect = file.setDirect(true) }
        try put(filled)
    }

    private func put(_ count: Int) throws(SystemError) {
        let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        do {
            try unsafe file.write(bytes.bindMemory(to: UInt8.self).span, at: offset)
        } catch {
            // Some file systems take the flag and refuse the write (EINVAL): then through the page cache.
            guard isDirect, error.isInvalid else { throw error }
            _ = file.setDirect(false)
            isDirect = false
            try unsafe file.write(bytes.bindMemory(to: UInt8.self).span, at: offset)
        }
        offset += Int64(count)
        filled = 0
    }

    /// Writes what is left, and waits until all of it is on disk.
    package func finish() throws(SystemError) {
        if filled > 0 {
            if isDirect && filled % Self.alignment != 0 {
                _ = file.setDirect(false)
                isDirect = false
            }
            try put(filled)
        }
        try file.synchronize()
    }
}
