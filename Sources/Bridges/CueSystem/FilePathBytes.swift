import CueBase

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A path of this machine, as bytes: what a person typed, or where the state folder is.
package struct FilePathBytes: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes.isEmpty ? [0x2e] : bytes }
    package init(_ text: String) { self.init(Array(text.utf8)) }

    package var description: String { Display.text(bytes) }

    package var isAbsolute: Bool { bytes.first == 0x2f }

    package func appending(_ name: String) -> FilePathBytes { appending(Array(name.utf8)) }

    package func appending(_ name: [UInt8]) -> FilePathBytes {
        FilePathBytes(bytes.last == 0x2f ? bytes + name : bytes + [0x2f] + name)
    }

    package var name: [UInt8] { bytes.split(separator: 0x2f).last.map(Array.init) ?? [] }

    package var parent: FilePathBytes {
        let parts = bytes.split(separator: 0x2f)
        let joined = Array(parts.dropLast().joined(separator: [0x2f]))
        return isAbsolute ? FilePathBytes([0x2f] + joined) : FilePathBytes(joined)
    }

    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe CueSystem.withCString(bytes, body)
    }

    /// The one spelling of an existing path: absolute, without links; nil if it is not there.
    package func resolved() -> FilePathBytes? {
        guard let real = unsafe withCString({ unsafe realpath($0, nil) }) else { return nil }
        defer { unsafe free(real) }
        return unsafe FilePathBytes(Array(UnsafeRawBufferPointer(start: real, count: strlen(real))))
    }

    /// As `resolved`, for a path whose last parts may be missing.
    package func resolvedAsFarAsThere() -> FilePathBytes {
        if let here = resolved() { return here }
        let up = isAbsolute || bytes.contains(0x2f) ? parent : FilePathBytes(".")
        guard !name.isEmpty, up != self else { return self }
        return up.resolvedAsFarAsThere().appending(name)
    }

    /// Whether it is `folder` or below it; both resolved.
    package func isAtOrBelow(_ folder: FilePathBytes) -> Bool {
        if bytes == folder.bytes || folder.bytes == [0x2f] { return true }
        return bytes.count > folder.bytes.count && bytes.starts(with: folder.bytes) && bytes[folder.bytes.count] == 0x2f
    }

    package func info() throws(SystemError) -> FileInfo? {
        var buffer = StatBuffer()
        let result = unsafe withCString { unsafe stat($0, &buffer) }
        if result != 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .last("stat", bytes)
        }
        return FileInfo(buffer)
    }

    /// Makes the folder and those above it; those that are there stay as they are.
    package func makeFolders(mode: UInt16 = 0o700) throws(SystemError) {
        if try info() != nil { return }
        let up = parent
        if up != self { try up.makeFolders(mode: mode) }
        let made = unsafe withCString { unsafe mkdir($0, mode_t(mode)) }
        if made != 0 && errno != EEXIST { throw .last("mkdir", bytes) }
    }

    /// As `makeFolders`, and the names of those that were made are durable.
    package func makeFoldersDurably(mode: UInt16 = 0o700) throws(SystemError) {
        if try info() != nil { return }
        let up = parent
        if up != self { try up.makeFoldersDurably(mode: mode) }
        try makeFolders(mode: mode)
        // One that lets itself be written and not be listed cannot be opened.
        if let above = try? Folder.open(up) { try above.synchronize() }
    }
}

extension Folder {
    /// Reads a small file whole; nil if it is not there.
    package func contents(of name: [UInt8], upTo limit: Int) throws(SystemError) -> [UInt8]? {
        let file: File
        do {
            file = try self.file(name)
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
        return try file.contents(upTo: limit)
    }

    package func contents(of name: String, upTo limit: Int) throws(SystemError) -> [UInt8]? {
        try contents(of: Array(name.utf8), upTo: limit)
    }

    /// Puts a small file in the place of another in one step, durably.
    package func replace(_ name: String, with bytes: [UInt8], mode: UInt16 = 0o600) throws(SystemError) {
        let new = Array((name + ".new").utf8)
        do { try remove(new) } catch { guard error.isNotFound else { throw error } }
        let file = try create(new, mode: mode)
        try file.write(bytes.span)
        try file.synchronize()
        try rename(new, to: self, Array(name.utf8))
        try synchronize()
    }
}

extension File {
    /// The whole content of a small file; `EFBIG` when there is more than `limit`.
    package borrowing func contents(upTo limit: Int) throws(SystemError) -> [UInt8] {
        let size = Int(try info().size)
        guard size <= limit else { throw SystemError(code: EFBIG, call: "read") }
        var bytes = [UInt8](repeating: 0, count: size)
        var raw = bytes.mutableSpan
        let got = try read(into: &raw)
        return got == size ? bytes : Array(bytes.prefix(got))
    }
}
