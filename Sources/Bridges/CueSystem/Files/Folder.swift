import CPosix
package import CueBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An open folder.
///
/// Each entry is reached by a single name relative to it, so no link on the way can lead elsewhere.
package final class Folder: Sendable {
    let descriptor: Int32
    /// The kernel keeps one position in the list of names, and folders are shared by threads.
    private let listing = Mutex(())

    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Opens a folder by any path and follows links, since a person named it.
    package static func open(_ path: FilePathBytes) throws(SystemError) -> Folder {
        let descriptor = unsafe path.withCString {
            unsafe cue_openat(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
        guard descriptor >= 0 else { throw .last("open", path.bytes) }
        return Folder(owning: descriptor)
    }

    /// Opens a folder inside this one; refuses a symlink of that name.
    package func folder(_ name: [UInt8]) throws(SystemError) -> Folder {
        Folder(owning: try open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    }

    /// Opens a file for reading; refuses a symlink, and does not block on a FIFO.
    package func file(_ name: [UInt8]) throws(SystemError) -> File {
        File(owning: try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    }

    /// As `file`, and leaves the access time of the file as it is, if this user owns it.
    package func fileWithoutAccessTime(_ name: [UInt8]) throws(SystemError) -> File {
        #if os(Linux)
            if let quiet = try? open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | 0o1000000) {
                return File(owning: quiet)
            }
        #endif
        return try file(name)
    }

    /// Makes a new file, open for reading and writing; `isAlreadyThere` if the name exists.
    package func create(_ name: [UInt8], mode: UInt16 = 0o600) throws(SystemError) -> File {
        File(owning: try open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode))
    }

    /// Opens a file for reading and writing, and makes it if it is missing.
    package func openOrCreate(_ name: [UInt8], mode: UInt16 = 0o600) throws(SystemError) -> File {
        File(owning: try open(name, O_RDWR | O_CREAT | O_NOFOLLOW, mode))
    }

    private func open(_ name: [UInt8], _ flags: Int32, _ mode: UInt16 = 0) throws(SystemError) -> Int32 {
        let opened = unsafe withCString(name) { name in
            retrying { unsafe cue_openat(descriptor, name, flags | O_CLOEXEC, mode_t(mode)) }
        }
        guard opened >= 0 else { throw .last("open", name) }
        return opened
    }

    /// The attributes of the folder itself.
    package func info() throws(SystemError) -> FileInfo {
        var buffer = StatBuffer()
        guard unsafe fstat(descriptor, &buffer) == 0 else { throw .last("fstat") }
        return FileInfo(buffer)
    }

    /// The attributes of the entry, links not followed; nil if there is no such name.
    package func info(of name: [UInt8]) throws(SystemError) -> FileInfo? {
        var buffer = StatBuffer()
        let result = unsafe withCString(name) { unsafe fstatat(descriptor, $0, &buffer, AT_SYMLINK_NOFOLLOW) }
        if result != 0 {
            if errno == ENOENT { return nil }
            throw .last("stat", name)
        }
        return FileInfo(buffer)
    }

    /// The time at which the entry was made; nil if the file system does not keep it, or if there is no such name.
    package func birth(of name: [UInt8]) -> FileTime? {
        var (seconds, nanoseconds) = (Int64(0), UInt32(0))
        let result = unsafe withCString(name) { unsafe cue_birth(descriptor, $0, &seconds, &nanoseconds) }
        return result == 0 ? FileTime(seconds: seconds, nanoseconds: nanoseconds) : nil
    }

    /// The names in the folder, unsorted, without `.` and `..`.
    package func names() throws(SystemError) -> [[UInt8]] {
        try listing.withLock { _ throws(SystemError) in try list() }
    }

    private func list() throws(SystemError) -> [[UInt8]] {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .last("lseek") }
        var names: [[UInt8]] = []
        let code = unsafe withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 8) { buffer in
            while true {
                let count = retrying { unsafe cue_entries(descriptor, buffer.baseAddress, buffer.count) }
                if count <= 0 { return count < 0 ? errno : 0 }
                unsafe Self.take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), &names)
            }
        }
        guard code == 0 else { throw SystemError(code: code, call: "getdents") }
        return names
    }

    /// Parses the records of `cue_entries`: length of the record in two bytes, then the name and a zero.
    private static func take(_ records: UnsafeRawBufferPointer, _ names: inout [[UInt8]]) {
        var at = 0
        while at < records.count {
            let size = unsafe Int(records.loadUnaligned(fromByteOffset: at + cue_entry_size_offset, as: UInt16.self))
            let rest = unsafe UnsafeRawBufferPointer(rebasing: records[at + cue_entry_name_offset..<at + size])
            let name = unsafe rest.prefix { $0 != 0 }
            let isDot = unsafe name.first == 0x2e && (name.count == 1 || name.count == 2 && name.last == 0x2e)
            if !isDot { names.append(unsafe Array(name)) }
            at += size
        }
    }

    /// The target of a symlink, at most `Limits.path` bytes.
    package func target(of link: [UInt8]) throws(SystemError) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Limits.path + 1)
        let length = unsafe withCString(link) { unsafe readlinkat(descriptor, $0, &buffer, buffer.count) }
        guard length >= 0 else { throw .last("readlink", link) }
        return buffer.prefix(length).map { UInt8(bitPattern: $0) }
    }

    /// Makes a folder; `isAlreadyThere` if the name exists.
    package func makeFolder(_ name: [UInt8], mode: UInt16 = 0o700) throws(SystemError) {
        let result = unsafe withCString(name) { unsafe mkdirat(descriptor, $0, mode_t(mode)) }
        guard result == 0 else { throw .last("mkdir", name) }
    }

    /// Opens a folder, and makes it if it is missing. If `made`, the caller must make the new entry durable.
    package func folderOrNew(_ name: [UInt8], mode: UInt16 = 0o700) throws(SystemError) -> (folder: Folder, made: Bool)
    {
        do {
            return (try folder(name), false)
        } catch {
            guard error.isNotFound else { throw error }
        }
        do {
            try makeFolder(name, mode: mode)
        } catch {
            guard error.isAlreadyThere else { throw error }
        }
        return (try folder(name), true)
    }

    /// Makes a symlink; `isAlreadyThere` if the name exists.
    package func makeLink(_ name: [UInt8], to target: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { name in
            unsafe withCString(target) { unsafe symlinkat($0, descriptor, name) }
        }
        guard result == 0 else { throw .last("symlink", name) }
    }

    /// Removes a file or a link.
    package func remove(_ name: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { unsafe unlinkat(descriptor, $0, 0) }
        guard result == 0 else { throw .last("unlink", name) }
    }

    /// Removes an empty folder.
    package func removeFolder(_ name: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { unsafe unlinkat(descriptor, $0, AT_REMOVEDIR) }
        guard result == 0 else { throw .last("rmdir", name) }
    }

    /// Removes the entry with all its content, if there is one. Removes links and never follows them.
    package func removeAll(_ name: [UInt8]) throws(SystemError) {
        guard let info = try info(of: name) else { return }
        guard info.kind == .folder else { return try remove(name) }
        let inner = try folder(name)
        // Without the right to write in it, the folder would keep its content.
        try? inner.setMode(0o700)
        for child in try inner.names() { try inner.removeAll(child) }
        try removeFolder(name)
    }

    /// Renames an entry, and replaces a file of the new name.
    package func rename(_ name: [UInt8], to folder: Folder, _ newName: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { name in
            unsafe withCString(newName) { unsafe renameat(descriptor, name, folder.descriptor, $0) }
        }
        guard result == 0 else { throw .last("rename", name) }
    }

    /// Renames to a name that is free; `isAlreadyThere` if it is not.
    package func renameNew(_ name: [UInt8], to folder: Folder, _ newName: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { name in
            unsafe withCString(newName) { unsafe cue_rename_new(descriptor, name, folder.descriptor, $0) }
        }
        guard result == 0 else { throw .last("rename", newName) }
    }

    /// Exchanges two names in one step, so that both are whole at every moment.
    package func exchange(_ name: [UInt8], with other: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { name in
            unsafe withCString(other) { unsafe cue_rename_exchange(descriptor, name, descriptor, $0) }
        }
        if result == 0 { return }
        let error = SystemError.last("rename", other)
        guard error.isInvalid else { throw error }
        // exFAT, SMB and NFS cannot exchange two names. Three steps do it, and each leaves both documents there.
        let aside = name + Array(".aside".utf8)
        try rename(other, to: self, aside)
        do { try renameNew(name, to: self, other) } catch {
            // Another program may have made a newer file at `other` in between. That is not replaced either, and both
            // stay.
            try renameNew(aside, to: self, other)
            throw error
        }
        try rename(aside, to: self, name)
    }

    /// Makes the names in the folder durable.
    ///
    /// File systems without fsync for folders (SMB, exFAT by FUSE) answer EINVAL: there is nothing to wait for.
    package func synchronize() throws(SystemError) {
        guard retrying({ fsync(descriptor) }) != 0 else { return }
        guard errno == EINVAL || errno == ENOTSUP || errno == EBADF else { throw .last("fsync") }
    }

    /// Makes everything durable that any program wrote to the folder's file system.
    ///
    /// The kernel reports an error once, to a descriptor that was open when it happened (Linux 5.8). So the caller
    /// opens the folder before it writes.
    package func synchronizeFileSystem() throws(SystemError) {
        guard retrying({ cue_synchronize_file_system(descriptor) }) == 0 else { throw .last("syncfs") }
    }

    /// True if `synchronizeFileSystem` is known to reach the disk here.
    package var synchronizesWhole: Bool { cue_synchronizes_whole(descriptor) == 1 }

    /// Sets the permission bits of the folder.
    package func setMode(_ mode: UInt16) throws(SystemError) {
        guard fchmod(descriptor, mode_t(mode)) == 0 else { throw .last("fchmod") }
    }

    /// Sets the time of modification of the folder, and leaves that of access.
    package func setModified(_ time: FileTime) throws(SystemError) {
        let omit = timespec(tv_sec: 0, tv_nsec: utimeOmit)
        guard unsafe futimens(descriptor, [omit, time.specification]) == 0 else { throw .last("futimens") }
    }

    /// Sets the time of modification of a symlink itself.
    package func setModified(_ time: FileTime, ofLink name: [UInt8]) throws(SystemError) {
        let omit = timespec(tv_sec: 0, tv_nsec: utimeOmit)
        let result = unsafe withCString(name) {
            unsafe utimensat(descriptor, $0, [omit, time.specification], AT_SYMLINK_NOFOLLOW)
        }
        guard result == 0 else { throw .last("utimensat", name) }
    }

    /// The user's extended attributes of the folder, sorted by name.
    package func extendedAttributes() throws(SystemError) -> [ExtendedAttribute] {
        try duplicate().extendedAttributes()
    }

    /// Sets one extended attribute of the folder.
    package func set(_ attribute: ExtendedAttribute) throws(SystemError) { try duplicate().set(attribute) }

    private func duplicate() throws(SystemError) -> File {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .last("dup") }
        return File(owning: copy)
    }
}

/// Lends a name to C, with a zero byte behind it.
func withCString<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
        for (i, byte) in bytes.enumerated() { unsafe buffer[i] = CChar(bitPattern: byte) }
        unsafe buffer[bytes.count] = 0
        guard let base = buffer.baseAddress else { preconditionFailure("a buffer of at least one byte") }
        return unsafe body(UnsafePointer(base))
    }
}
