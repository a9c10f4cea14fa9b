#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension FilePathBytes {
    /// Makes an empty file that this user alone may read and write, or takes one that is there from others. Errors show
    /// when the file is used.
    package func makePrivate() {
        // An existing file must not be opened here. POSIX ends all locks of a process on a file when the process closes
        // any descriptor of it, so SQLite would lose its locks without knowing.
        if (try? Folder.open(parent).create(name)) == nil { _ = unsafe withCString { unsafe chmod($0, 0o600) } }
    }
}
