import CZip

/// The reasons why a member of a zip archive is not read.
package enum ZipError: Error, Sendable, Equatable {
    /// The bytes are not a zip archive.
    case notAnArchive
    /// The member is encrypted.
    case encrypted
    /// The content is larger than the caller allows, or packed more tightly than any writing is.
    case tooLarge
    /// A member does not have the promised length or checksum.
    case damaged
}

/// Opens single members of a zip archive in memory.
package enum Zip {
    /// Returns the content of the named members; nil for one that does not exist.
    ///
    /// All together have at most `limit` bytes, whatever the archive claims.
    package static func members(
        _ names: [String], of archive: Span<UInt8>, upTo limit: Int
    ) throws(ZipError) -> [[UInt8]?] {
        try unsafe archive.withUnsafeBytes { (bytes) throws(ZipError) in
            let archive = try unsafe OpenArchive(bytes)
            var (members, rest): ([[UInt8]?], Int) = ([], limit)
            for name in names {
                members.append(try archive.member(name, upTo: rest))
                rest -= members.last??.count ?? 0
            }
            return members
        }
    }
}

/// An archive as libzip sees it; `bytes` must outlive it.
@safe private struct OpenArchive: ~Copyable {
    private let archive: OpaquePointer
    private let count: Int

    /// Prose and its mark-up pack to a tenth or a thirtieth. With a bomb of equal bytes, deflate reaches a ratio of
    /// 1,032.
    private static let ratio: UInt64 = 250
    private static let smallEnough: UInt64 = 1 << 20

    init(_ bytes: UnsafeRawBufferPointer) throws(ZipError) {
        guard
            let source = unsafe zip_source_buffer_create(bytes.baseAddress, zip_uint64_t(bytes.count), 0, nil)
        else { throw .damaged }
        guard let archive = unsafe zip_open_from_source(source, ZIP_RDONLY, nil) else {
            unsafe zip_source_free(source)
            throw .notAnArchive
        }
        unsafe self.archive = archive
        count = bytes.count
    }

    deinit { unsafe zip_discard(archive) }

    borrowing func member(_ name: String, upTo limit: Int) throws(ZipError) -> [UInt8]? {
        let index = unsafe zip_name_locate(archive, name, 0)
        guard index >= 0 else { return nil }
        var info = unsafe zip_stat_t()
        guard unsafe zip_stat_index(archive, zip_uint64_t(index), 0, &info) == 0 else { throw .damaged }
        guard unsafe info.encryption_method == ZIP_EM_NONE else { throw .encrypted }
        let (size, packed) = unsafe (info.size, min(info.comp_size, UInt64(count)))
        guard size <= limit, size <= Self.smallEnough || size / Self.ratio <= packed else { throw .tooLarge }
        guard let file = unsafe zip_fopen_index(archive, zip_uint64_t(index), 0) else { throw .damaged }
        defer { unsafe zip_fclose(file) }
        return try unsafe Self.content(of: file, size: Int(size))
    }

    /// Reads to the end, so that libzip compares the checksum.
    private static func content(of file: OpaquePointer, size: Int) throws(ZipError) -> [UInt8] {
        var isWhole = false
        // One byte more than promised, so that a longer content shows.
        let content = unsafe [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, done in
            while done <= size {
                let got = unsafe zip_fread(
                    file, buffer.baseAddress.map { unsafe $0 + done }, zip_uint64_t(size + 1 - done))
                guard got > 0 else {
                    isWhole = got == 0 && done == size
                    return
                }
                done += Int(got)
            }
        }
        guard isWhole else { throw .damaged }
        return content
    }
}
