import CZstd

/// The failures of libzstd.
public enum ZstdError: Error, Sendable, Equatable {
    /// There is no memory for a context.
    case noMemory
    /// The bytes are not one frame, or not one of the promised length.
    case invalidFrame
    /// Compression failed; the text is libzstd's.
    case failed(String)
}

/// Compresses blocks one after another with one context (RFC 8878 frames).
@safe package final class ZstdCompressor {
    private let context: OpaquePointer
    private let level: Int32

    /// `level` is libzstd's compression level. Throws `.noMemory`.
    package init(level: Int32) throws(ZstdError) {
        guard let context = unsafe ZSTD_createCCtx() else { throw .noMemory }
        unsafe self.context = context
        self.level = level
    }

    deinit { unsafe ZSTD_freeCCtx(context) }

    /// The largest size of a frame of `count` bytes.
    package static func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

    /// Writes one frame to the front of `output` and returns its length. Throws `.failed`, for example if `output` is
    /// too small.
    package func compress(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) throws(ZstdError) -> Int {
        let length = unsafe output.withUnsafeMutableBytes { out in
            unsafe input.withUnsafeBytes { input in
                unsafe ZSTD_compressCCtx(context, out.baseAddress, out.count, input.baseAddress, input.count, level)
            }
        }
        guard ZSTD_isError(length) == 0 else { throw .failed(unsafe String(cString: ZSTD_getErrorName(length))) }
        return length
    }

    /// Writes one frame that opens only with the same `prefix`. Bytes that the prefix has too take almost no room in the
    /// frame. An empty prefix is none. Throws as `compress(_:into:)`.
    package func compress(
        _ input: Span<UInt8>, after prefix: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(ZstdError) -> Int {
        let length = unsafe output.withUnsafeMutableBytes { out in
            unsafe prefix.withUnsafeBytes { prefix in
                unsafe input.withUnsafeBytes { input in
                    for result in [
                        unsafe ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters),
                        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level),
                        unsafe ZSTD_CCtx_refPrefix(context, prefix.baseAddress, prefix.count),
                    ] where ZSTD_isError(result) != 0 { return result }
                    return unsafe ZSTD_compress2(context, out.baseAddress, out.count, input.baseAddress, input.count)
                }
            }
        }
        guard ZSTD_isError(length) == 0 else { throw .failed(unsafe String(cString: ZSTD_getErrorName(length))) }
        return length
    }
}

/// Opens frames whose length is known and bounded beforehand, so that a bomb has no effect.
@safe package final class ZstdDecompressor {
    private let context: OpaquePointer

    /// Throws `.noMemory`.
    package init() throws(ZstdError) {
        guard let context = unsafe ZSTD_createDCtx() else { throw .noMemory }
        unsafe self.context = context
    }

    deinit { unsafe ZSTD_freeDCtx(context) }

    /// Fills exactly `output`. Throws `.invalidFrame` if the frame gives less or more, or is not alone.
    ///
    /// `prefix`: what the compressor was given as such.
    package func decompress(
        _ input: Span<UInt8>, after prefix: Span<UInt8> = Span(), into output: inout MutableSpan<UInt8>
    ) throws(ZstdError) {
        let length = unsafe prefix.withUnsafeBytes { prefix in
            // libzstd uses a prefix for one frame. Setting an empty one drops that of a frame that failed.
            let result = unsafe ZSTD_DCtx_refPrefix(context, prefix.baseAddress, prefix.count)
            return ZSTD_isError(result) == 0 ? decompress(input, &output) : -1
        }
        guard ZSTD_isError(length) == 0, length == output.count else { throw .invalidFrame }
    }

    private func decompress(_ input: Span<UInt8>, _ output: inout MutableSpan<UInt8>) -> Int {
        unsafe output.withUnsafeMutableBytes { out in
            unsafe input.withUnsafeBytes { input in
                // libzstd would also open several frames, and skip skippable ones; docs/format.md §5 allows one frame.
                guard unsafe ZSTD_findFrameCompressedSize(input.baseAddress, input.count) == input.count else {
                    return -1
                }
                return unsafe ZSTD_decompressDCtx(context, out.baseAddress, out.count, input.baseAddress, input.count)
            }
        }
    }
}
