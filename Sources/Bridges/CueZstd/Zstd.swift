import CZstd

/// What libzstd can refuse.
public enum ZstdError: Error, Sendable, Equatable {
    case noMemory
    /// The bytes are no frame, or not of the promised length.
    case invalidFrame
    case failed(String)
}

/// Compresses blocks, one after the other, with one context (RFC 8878 frames).
@safe package final class ZstdCompressor {
    private let context: OpaquePointer
    private let level: Int32

    package init(level: Int32) throws(ZstdError) {
        guard let context = unsafe ZSTD_createCCtx() else { throw .noMemory }
        unsafe self.context = context
        self.level = level
    }

    deinit { unsafe ZSTD_freeCCtx(context) }

    /// The room that the worst case of `count` bytes takes.
    package static func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

    /// Writes one frame to the front of `output`, and returns its length.
    package func compress(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) throws(ZstdError) -> Int {
        let length = unsafe output.withUnsafeMutableBytes { out in
            unsafe input.withUnsafeBytes { input in
                unsafe ZSTD_compressCCtx(context, out.baseAddress, out.count, input.baseAddress, input.count, level)
            }
        }
        guard ZSTD_isError(length) == 0 else { throw .failed(unsafe String(cString: ZSTD_getErrorName(length))) }
        return length
    }
}

/// Opens frames whose length is known and bounded beforehand, so that no bomb can go off.
@safe package final class ZstdDecompressor {
    private let context: OpaquePointer

    package init() throws(ZstdError) {
        guard let context = unsafe ZSTD_createDCtx() else { throw .noMemory }
        unsafe self.context = context
    }

    deinit { unsafe ZSTD_freeDCtx(context) }

    /// Fills exactly `output`; a frame that gives less or more, or that is not alone, is refused.
    package func decompress(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) throws(ZstdError) {
        let length = unsafe output.withUnsafeMutableBytes { out in
            unsafe input.withUnsafeBytes { input in
                // libzstd would also open several frames, and pass over skippable ones (docs/format.md §5 allows one).
                guard unsafe ZSTD_findFrameCompressedSize(input.baseAddress, input.count) == input.count else {
                    return -1
                }
                return unsafe ZSTD_decompressDCtx(context, out.baseAddress, out.count, input.baseAddress, input.count)
            }
        }
        guard ZSTD_isError(length) == 0, length == output.count else { throw .invalidFrame }
    }
}
