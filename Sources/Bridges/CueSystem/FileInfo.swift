package import CueBase

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What stands at a path.
package enum FileKind: Sendable, Equatable {
    case file, folder, symlink
    /// A FIFO, a socket or a device: named by what it is.
    case other(String)
}

/// What `fstatat` says of a file.
package struct FileInfo: Sendable, Equatable {
    package let kind: FileKind
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    package let mode: UInt16
    package let modified: FileTime
    package let changed: FileTime
    package let links: UInt64
    package let owner: UInt32

    init(_ buffer: StatBuffer) {
        kind = Self.kind(of: buffer.st_mode)
        device = UInt64(truncatingIfNeeded: buffer.st_dev)
        inode = UInt64(buffer.st_ino)
        size = Int64(buffer.st_size)
        mode = UInt16(buffer.st_mode & 0o7777)
        modified = FileTime(buffer.modified)
        changed = FileTime(buffer.changed)
        links = UInt64(buffer.st_nlink)
        owner = UInt32(buffer.st_uid)
    }

    private static func kind(of mode: mode_t) -> FileKind {
        switch mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .symlink
        case S_IFIFO: .other("a FIFO")
        case S_IFSOCK: .other("a socket")
        case S_IFBLK, S_IFCHR: .other("a device")
        default: .other("of an unknown kind")
        }
    }
}

extension FileTime {
    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    }

    var specification: timespec { timespec(tv_sec: numericCast(seconds), tv_nsec: numericCast(nanoseconds)) }
}
