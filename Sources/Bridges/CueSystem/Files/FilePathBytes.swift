import CueBase

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A path of this machine in bytes, absolute or relative to the current folder: typed by a person, or that of the state
/// folder.
package struct FilePathBytes: Hashable, Sendable, CustomStringConvertible {
    /// Never empty.
    package let bytes: [UInt8]

    /// No bytes are the current folder, `.`.
    package init(_ bytes: [UInt8]) { self.bytes = bytes.isEmpty ? [0x2e] : bytes }
    /// The same for the UTF-8 of a text.
    package init(_ text: String) { self.init(Array(text.utf8)) }

    /// The path as `Display` shows it.
    package var description: String { Display.text(bytes) }

    /// True if it begins with `/`.
    package var isAbsolute: Bool { bytes.first == 0x2f }

    /// The path of `name` in this folder.
    package func appending(_ name: String) -> FilePathBytes { appending(Array(name.utf8)) }

    /// The path of `name` in this folder.
    package func appending(_ name: [UInt8]) -> FilePathBytes {
        FilePathBytes(bytes.last == 0x2f ? bytes + name : bytes + [0x2f] + name)
    }

    /// The last component; empty for `/`.
    package var name: [UInt8] { bytes.split(separator: 0x2f).last.map(Array.init) ?? [] }

    /// The path without its last component; `/` for itself, and `.` for a single name.
    package var parent: FilePathBytes {
        let parts = bytes.split(separator: 0x2f)
        let joined = Array(parts.dropLast().joined(separator: [0x2f]))
        return isAbsolute ? FilePathBytes([0x2f] + joined) : FilePathBytes(joined)
    }

    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        unsafe CueSystem.withCString(bytes, body)
    }

    /// The one spelling of an existing path: absolute, without links. Nil if it does not exist.
    package func resolved() -> FilePathBytes? {
        guard let real = unsafe withCString({ unsafe realpath($0, nil) }) else { return nil }
        defer { unsafe free(real) }
        return unsafe FilePathBytes(Array(UnsafeRawBufferPointer(start: real, count: strlen(real))))
    }

    /// As `resolved`, for a path whose last components may be missing.
    package func resolvedAsFarAsThere() -> FilePathBytes {
        if let here = resolved() { return here }
        let up = isAbsolute || bytes.contains(0x2f) ? parent : FilePathBytes(".")
        guard !name.isEmpty, up != self else { return self }
        return up.resolvedAsFarAsThere().appending(name)
    }

    /// True if the path is `folder` or below it; both must be resolved.
    package func isAtOrBelow(_ folder: FilePathBytes) -> Bool {
        if bytes == folder.bytes || folder.bytes == [0x2f] { return true }
        return bytes.count > folder.bytes.count && bytes.starts(with: folder.bytes) && bytes[folder.bytes.count] == 0x2f
    }

    /// The attributes of the target, links followed; nil if nothing is there.
    package func info() throws(SystemError) -> FileInfo? {
        var buffer = StatBuffer()
        let result = unsafe withCString { unsafe stat($0, &buffer) }
        if result != 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .last("stat", bytes)
        }
        return FileInfo(buffer)
    }

    /// Makes the folder and those above it; existing ones stay as they are.
    package func makeFolders(mode: UInt16 = 0o700) throws(SystemError) {
        if try info() != nil { return }
        let up = parent
        if up != self { try up.makeFolders(mode: mode) }
        let made = unsafe withCString { unsafe mkdir($0, mode_t(mode)) }
        if made != 0 && errno != EEXIST { throw .last("mkdir", bytes) }
    }
}
