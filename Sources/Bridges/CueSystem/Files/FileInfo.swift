package import CueBase

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The kind of a directory entry.
package enum FileKind: Sendable, Equatable {
    case file, folder, symlink
    /// A FIFO, a socket or a device.
    case other(SpecialFile)
}

/// What else a name in a folder can stand for. No vault stores it.
package enum SpecialFile: String, Hashable, Sendable, Codable {
    case fifo, socket, device
    /// A kind that this version does not know.
    case unknown
}

/// The attributes that `fstatat` reports.
package struct FileInfo: Sendable, Equatable {
    /// From the bits of `st_mode`.
    package let kind: FileKind
    /// The id of the file system while it is mounted.
    package let device: UInt64
    /// The number of the file in its file system.
    package let inode: UInt64
    /// In bytes.
    package let size: Int64
    /// The permission bits, 0 to 0o7777.
    package let mode: UInt16
    /// The time of the last change to the content.
    package let modified: FileTime
    /// The time of the last change to content or attributes.
    package let changed: FileTime
    /// The number of names of the file.
    package let links: UInt64
    /// The user id of the owner.
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
        case S_IFIFO: .other(.fifo)
        case S_IFSOCK: .other(.socket)
        case S_IFBLK, S_IFCHR: .other(.device)
        default: .other(.unknown)
        }
    }
}

extension FileTime {
    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
    }

    var specification: timespec { timespec(tv_sec: numericCast(seconds), tv_nsec: numericCast(nanoseconds)) }
}
