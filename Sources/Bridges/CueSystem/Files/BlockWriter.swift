/// Writes a file from front to end in aligned pieces of 1 MiB, past the page cache once it is large.
///
/// One piece is filled while a thread writes the one before. Pages that are written once and not read again would only
/// push the writer's documents out of memory, and cost a copy.
@safe package final class BlockWriter {
    fileprivate static let alignment = 4096
    private static let capacity = 1 << 20
    /// Below this size, a copy into the page cache costs less than waiting for the disk.
    private static let large: Int64 = 4 << 20

    private let sink: Sink
    private let isLarge: Bool
    // Allocated here, freed in deinit. This thread fills one while the sink writes the other.
    private var filling: UnsafeMutableRawBufferPointer?
    private var other: UnsafeMutableRawBufferPointer?
    private var filled = 0
    private var thread: Thread?

    /// `size` is the expected number of bytes, if known; it decides only whether the page cache is used.
    package init(_ file: consuming File, size: Int64 = .max) {
        sink = Sink(file)
        isLarge = size >= Self.large
    }

    private static func allocate() -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: alignment)
    }

    deinit {
        stop()
        unsafe filling?.deallocate()
        unsafe other?.deallocate()
    }

    /// Appends `bytes`. An error may belong to bytes of an earlier call, as a thread writes them.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        guard isLarge else {
            return try unsafe bytes.withUnsafeBytes { bytes throws(SystemError) in try unsafe sink.put(bytes) }
        }
        var done = 0
        while done < bytes.count {
            let filling = unsafe filling ?? Self.allocate()
            unsafe self.filling = filling
            let count = min(bytes.count - done, Self.capacity - filled)
            let piece = bytes.extracting(done..<done + count)
            unsafe piece.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: filling[self.filled..<self.filled + count])
                    .copyMemory(from: source)
            }
            filled += count
            done += count
            if filled == Self.capacity { try handOver() }
        }
    }

    private func handOver() throws(SystemError) {
        if thread == nil {
            let made = Thread { [sink] in sink.run() }
            guard made.isRunning else { return try flush() }
            sink.begin()
            thread = made
        }
        try sink.waitUntilWritten()
        let full = unsafe filling
        unsafe filling = other
        unsafe other = full
        filled = 0
        unsafe sink.take(full.map { UnsafeRawBufferPointer($0) })
    }

    private func stop() {
        guard let thread else { return }
        unsafe sink.take(nil)
        thread.join()
        self.thread = nil
    }

    /// Writes what is left. Afterwards the file is ready for `withFile`: times, modes, waiting for the disk.
    package func flush() throws(SystemError) {
        if thread != nil {
            try sink.waitUntilWritten()
            stop()
        }
        guard filled > 0, let filling = unsafe filling else { return }
        defer { filled = 0 }
        try unsafe sink.put(UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: filling[..<filled])))
    }

    /// Lends the file. Between `flush` and the next `write`, nothing else touches it.
    package func withFile<Result, Failure: Error>(
        _ body: (borrowing File) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(sink.file)
    }

    /// Writes what is left, and waits until everything is on disk.
    package func finish() throws(SystemError) {
        try flush()
        try sink.file.synchronize()
    }
}

/// The file and the thread that writes to it. Two semaphores hand pieces over, and at most one is under way.
@safe private final class Sink: @unchecked Sendable {
    let file: File
    private let isThere = Semaphore()
    private let isWritten = Semaphore()
    // From `isThere` to `isWritten`, the properties below belong to the sink's thread, and otherwise to the writer's.
    private var piece: UnsafeRawBufferPointer?
    private var error: SystemError?
    private var offset: Int64 = 0
    private var isDirect = false

    init(_ file: consuming File) { self.file = file }

    /// Makes the sink ready for its first piece.
    func begin() {
        isDirect = file.setDirect(true)
        isWritten.signal()
    }

    func waitUntilWritten() throws(SystemError) {
        isWritten.wait()
        defer { isWritten.signal() }
        if let error { throw error }
    }

    func take(_ bytes: UnsafeRawBufferPointer?) {
        isWritten.wait()
        unsafe piece = bytes
        isThere.signal()
    }

    func run() {
        while true {
            isThere.wait()
            guard let bytes = unsafe piece else { return }
            do throws(SystemError) { try unsafe put(bytes) } catch { self.error = error }
            isWritten.signal()
        }
    }

    func put(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        if isDirect && bytes.count % BlockWriter.alignment != 0 {
            _ = file.setDirect(false)
            isDirect = false
        }
        let span = unsafe bytes.bindMemory(to: UInt8.self).span
        do {
            try file.write(span, at: offset)
        } catch {
            // Some file systems accept the flag and refuse the write (EINVAL). Then write through the page cache.
            guard isDirect, error.isInvalid else { throw error }
            _ = file.setDirect(false)
            isDirect = false
            try file.write(span, at: offset)
        }
        offset += Int64(bytes.count)
    }
}
