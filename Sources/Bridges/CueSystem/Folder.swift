import CPosix
package import CueBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An open folder. Everything in it is reached by one name relative to it, so no link on the way can lead elsewhere.
package final class Folder: Sendable {
    let descriptor: Int32
    /// The kernel keeps one place in the list of names, and folders are shared.
    private let listing = Mutex(())

    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Opens a folder by any path, following links: a person named it.
    package static func open(_ path: FilePathBytes) throws(SystemError) -> Folder {
        let descriptor = unsafe path.withCString {
            unsafe cue_openat(AT_FDCWD, $0, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
        guard descriptor >= 0 else { throw .last("open", path.bytes) }
        return Folder(owning: descriptor)
    }

    /// Opens a folder inside this one; a symlink of that name is refused.
    package func folder(_ name: [UInt8]) throws(SystemError) -> Folder {
        Folder(owning: try open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
    }

    /// Opens a file for reading; a symlink is refused, and a FIFO does not block.
    package func file(_ name: [UInt8]) throws(SystemError) -> File {
        File(owning: try open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    }

    /// Opens a file for reading without marking it as read, where the owner allows that.
    package func fileWithoutAccessTime(_ name: [UInt8]) throws(SystemError) -> File {
        #if os(Linux)
            if let quiet = try? open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | 0o1000000) {
                return File(owning: quiet)
            }
        #endif
        return try file(name)
    }

    /// Makes a file that was not there.
    package func create(_ name: [UInt8], mode: UInt16 = 0o600) throws(SystemError) -> File {
        File(owning: try open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode))
    }

    /// Opens a file for reading and writing, making it where it is missing.
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

    package func info() throws(SystemError) -> FileInfo {
        var buffer = StatBuffer()
        guard unsafe fstat(descriptor, &buffer) == 0 else { throw .last("fstat") }
        return FileInfo(buffer)
    }

    /// What stands at a name, links not followed; nil if nothing does.
    package func info(of name: [UInt8]) throws(SystemError) -> FileInfo? {
        var buffer = StatBuffer()
        let result = unsafe withCString(name) { unsafe fstatat(descriptor, $0, &buffer, AT_SYMLINK_NOFOLLOW) }
        if result != 0 {
            if errno == ENOENT { return nil }
            throw .last("stat", name)
        }
        return FileInfo(buffer)
    }

    /// When what stands at a name was made; nil where the file system does not keep that, or nothing stands there.
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

    /// Records as `cue_entries` gives them: length of the record in two bytes, then the name and a zero.
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

    package func target(of link: [UInt8]) throws(SystemError) -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Limits.path + 1)
        let length = unsafe withCString(link) { unsafe readlinkat(descriptor, $0, &buffer, buffer.count) }
        guard length >= 0 else { throw .last("readlink", link) }
        return buffer.prefix(length).map { UInt8(bitPattern: $0) }
    }

    package func makeFolder(_ name: [UInt8], mode: UInt16 = 0o700) throws(SystemError) {
        let result = unsafe withCString(name) { unsafe mkdirat(descriptor, $0, mode_t(mode)) }
        guard result == 0 else { throw .last("mkdir", name) }
    }

    /// Opens a folder, making it where it is missing; `made` tells the caller to make the new entry durable.
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

    package func makeLink(_ name: [UInt8], to target: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { name in
            unsafe withCString(target) { unsafe symlinkat($0, descriptor, name) }
        }
        guard result == 0 else { throw .last("symlink", name) }
    }

    package func remove(_ name: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { unsafe unlinkat(descriptor, $0, 0) }
        guard result == 0 else { throw .last("unlink", name) }
    }

    package func removeFolder(_ name: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { unsafe unlinkat(descriptor, $0, AT_REMOVEDIR) }
        guard result == 0 else { throw .last("rmdir", name) }
    }

    /// Removes whatever stands at the name with all it holds; links are removed, never followed.
    package func removeAll(_ name: [UInt8]) throws(SystemError) {
        guard let info = try info(of: name) else { return }
        guard info.kind == .folder else { return try remove(name) }
        let inner = try folder(name)
        // A folder without the right to write in it would keep what it holds.
        try? inner.setMode(0o700)
        for child in try inner.names() { try inner.removeAll(child) }
        try removeFolder(name)
    }

    package func rename(_ name: [UInt8], to folder: Folder, _ newName: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { name in
            unsafe withCString(newName) { unsafe renameat(descriptor, name, folder.descriptor, $0) }
        }
        guard result == 0 else { throw .last("rename", name) }
    }

    /// Renames to a name at which nothing stands; `isAlreadyThere` if something does.
    package func renameNew(_ name: [UInt8], to folder: Folder, _ newName: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { name in
            unsafe withCString(newName) { unsafe cue_rename_new(descriptor, name, folder.descriptor, $0) }
        }
        guard result == 0 else { throw .last("rename", newName) }
    }

    /// Changes two names in one step, so that at every moment both are whole.
    package func exchange(_ name: [UInt8], with other: [UInt8]) throws(SystemError) {
        let result = unsafe withCString(name) { name in
            unsafe withCString(other) { unsafe cue_rename_exchange(descriptor, name, descriptor, $0) }
        }
        if result == 0 { return }
        let error = SystemError.last("rename", other)
        guard error.isInvalid else { throw error }
        // exFAT, SMB and NFS cannot change two names at once: three steps, of which each leaves both documents there.
        let aside = name + Array(".aside".utf8)
        try rename(other, to: self, aside)
        do { try renameNew(name, to: self, other) } catch {
            // Somebody may have made a newer one there in between: that is not replaced either, and both stay.
            try renameNew(aside, to: self, other)
            throw error
        }
        try rename(aside, to: self, name)
    }

    /// Makes names durable. File systems without folder fsync (SMB, exFAT by FUSE) answer EINVAL: nothing to wait for.
    package func synchronize() throws(SystemError) {
        guard retrying({ fsync(descriptor) }) != 0 else { return }
        guard errno == EINVAL || errno == ENOTSUP || errno == EBADF else { throw .last("fsync") }
    }

    /// Makes everything that was written to the folder's file system durable, by this program or any other. An error is told once, to
    /// a descriptor that was open when it happened (Linux 5.8): the caller keeps the folder open from before it writes.
    package func synchronizeFileSystem() throws(SystemError) {
        guard retrying({ cue_synchronize_file_system(descriptor) }) == 0 else { throw .last("syncfs") }
    }

    /// Whether `synchronizeFileSystem` is known to reach the disk here.
    package var synchronizesWhole: Bool { cue_synchronizes_whole(descriptor) == 1 }

    package func setMode(_ mode: UInt16) throws(SystemError) {
        guard fchmod(descriptor, mode_t(mode)) == 0 else { throw .last("fchmod") }
    }

    package func setModified(_ time: FileTime) throws(SystemError) {
        let omit = timespec(tv_sec: 0, tv_nsec: utimeOmit)
        guard unsafe futimens(descriptor, [omit, time.specification]) == 0 else { throw .last("futimens") }
    }

    package func setModified(_ time: FileTime, ofLink name: [UInt8]) throws(SystemError) {
        let omit = timespec(tv_sec: 0, tv_nsec: utimeOmit)
        let result = unsafe withCString(name) {
            unsafe utimensat(descriptor, $0, [omit, time.specification], AT_SYMLINK_NOFOLLOW)
        }
        guard result == 0 else { throw .last("utimensat", name) }
    }

    package func extendedAttributes() throws(SystemError) -> [ExtendedAttribute] {
        try duplicate().extendedAttributes()
    }

    package func set(_ attribute: ExtendedAttribute) throws(SystemError) { try duplicate().set(attribute) }

    private func duplicate() throws(SystemError) -> File {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .last("dup") }
        return File(owning: copy)
    }
}

/// Hands a name to C with the zero byte that it wants.
func withCString<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
        for (i, byte) in bytes.enumerated() { unsafe buffer[i] = CChar(bitPattern: byte) }
        unsafe buffer[bytes.count] = 0
        guard let base = buffer.baseAddress else { preconditionFailure("a buffer of at least one byte") }
        return unsafe body(UnsafePointer(base))
    }
}
