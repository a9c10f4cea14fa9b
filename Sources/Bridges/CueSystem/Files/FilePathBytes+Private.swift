#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension FilePathBytes {
    /// Makes an empty file that this user alone may read and write, or takes one that is there from others. Errors show
    /// when the file is used.
    package func makePrivate() {
        // A file that is there is not opened: to close it again would end all locks that this process has on it, those
        // of SQLite too, which another process would then take for nobody's.
        if (try? Folder.open(parent).create(name)) == nil { _ = unsafe withCString { unsafe chmod($0, 0o600) } }
    }
}
