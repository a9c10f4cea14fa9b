import CPosix
package import CueBase

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An open file, closed at the end of its life.
package struct File: ~Copyable, Sendable {
    let descriptor: Int32

    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The attributes of the open file.
    package func info() throws(SystemError) -> FileInfo {
        var buffer = StatBuffer()
        guard unsafe fstat(descriptor, &buffer) == 0 else { throw .last("fstat") }
        return FileInfo(buffer)
    }

    /// Reads until `buffer` is full or the file ends, and returns the number of bytes. Nil for `offset` reads on from
    /// the file's own position.
    package func read(into buffer: inout MutableSpan<UInt8>, at offset: Int64? = nil) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let got = unsafe buffer.withUnsafeMutableBytes { bytes in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
                return retrying {
                    if let offset {
                        unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
                    } else {
                        unsafe Self.systemRead(descriptor, rest.baseAddress, rest.count)
                    }
                }
            }
            if got < 0 { throw .last("read") }
            if got == 0 { break }
            done += got
        }
        return done
    }

    /// Duplicates a descriptor that another part of the program opened; this file owns the duplicate.
    package init(duplicating other: Int32) throws(SystemError) {
        descriptor = fcntl(other, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw .last("fcntl") }
    }

    /// Waits until something comes through a pipe or a terminal, and reads what is there; 0 at the end.
    ///
    /// It throws `Interrupted` at a signal: a plain read would sleep through Ctrl-C.
    package borrowing func readWhatComes(into buffer: inout MutableSpan<UInt8>) throws -> Int {
        var wanted = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: Interruption.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&wanted, 2, 1000) <= 0 || wanted[0].revents == 0 { try Interruption.throwIfRequested() }
        let got = unsafe buffer.withUnsafeMutableBytes { bytes in
            retrying { unsafe Self.systemRead(descriptor, bytes.baseAddress, bytes.count) }
        }
        guard got >= 0 else { throw SystemError.last("read") }
        return got
    }

    private static func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.read(file, bytes, count)
        #else
            unsafe Glibc.read(file, bytes, count)
        #endif
    }

    /// Writes all of `bytes`. Nil for `offset` writes on from the file's own position.
    package func write(_ bytes: Span<UInt8>, at offset: Int64? = nil) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes { all in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: all[done...])
                return retrying {
                    if let offset {
                        unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
                    } else {
                        unsafe Self.systemWrite(descriptor, rest.baseAddress, rest.count)
                    }
                }
            }
            if put < 0 { throw .last("write") }
            if put == 0 { throw SystemError(code: EIO, call: "write") }
            done += put
        }
    }

    private static func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.write(file, bytes, count)
        #else
            unsafe Glibc.write(file, bytes, count)
        #endif
    }

    /// Waits until the content is on disk.
    ///
    /// Never call it twice on one file: after a failure the pages are gone, and a second call would report success
    /// (PostgreSQL's fsync lesson).
    package func synchronize() throws(SystemError) {
        guard retrying({ fsync(descriptor) }) == 0 else { throw .last("fsync") }
    }

    /// Cuts or extends the file to `size` bytes.
    package func truncate(to size: Int64) throws(SystemError) {
        guard retrying({ ftruncate(descriptor, off_t(size)) }) == 0 else { throw .last("ftruncate") }
    }

    /// Sets the permission bits.
    package func setMode(_ mode: UInt16) throws(SystemError) {
        guard fchmod(descriptor, mode_t(mode)) == 0 else { throw .last("fchmod") }
    }

    /// Sets the time of modification, and leaves that of access.
    package func setModified(_ time: FileTime) throws(SystemError) {
        let omit = timespec(tv_sec: 0, tv_nsec: utimeOmit)
        let times = [omit, time.specification]
        guard unsafe futimens(descriptor, times) == 0 else { throw .last("futimens") }
    }

    /// Advises the kernel that the file is read from front to end.
    package func adviseSequential() { cue_advise_sequential(descriptor) }

    /// Lets later writes go past the page cache; false if the file system cannot do so.
    package func setDirect(_ on: Bool) -> Bool { cue_set_direct(descriptor, on ? 1 : 0) == 0 }

    /// Takes an exclusive lock that ends with the process or with this file; false if another holds a lock.
    package func tryLock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Takes a lock that others may share; false if another holds an exclusive one.
    package func tryLockShared() -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }
}

/// An extended attribute of the user's own (xattr(7)).
package struct ExtendedAttribute: Hashable, Sendable {
    /// Without the `user.` that Linux puts in front.
    package let name: [UInt8]
    /// Any bytes.
    package let value: [UInt8]

    /// An attribute of this name and value.
    package init(name: [UInt8], value: [UInt8]) { (self.name, self.value) = (name, value) }
}

extension File {
    /// The prefix that Linux has for names that belong to users. A vault keeps names without it.
    private static var userPrefix: [UInt8] {
        #if canImport(Darwin)
            []
        #else
            Array("user.".utf8)
        #endif
    }

    /// The attributes of the user, sorted by name; empty if the file system has none.
    package func extendedAttributes() throws(SystemError) -> [ExtendedAttribute] {
        var attributes: [ExtendedAttribute] = []
        for name in try attributeNames() {
            // The attribute may be gone since the names were read.
            guard let value = try attributeValue(name) else { continue }
            attributes.append(ExtendedAttribute(name: Array(name.dropFirst(Self.userPrefix.count)), value: value))
        }
        return attributes.sorted { $0.name.precedes($1.name) }
    }

    private func attributeNames() throws(SystemError) -> [[UInt8]] {
        let size = cue_flistxattr(descriptor, nil, 0)
        if size == 0 || size < 0 && (errno == ENOTSUP || errno == EPERM || errno == EACCES) { return [] }
        guard size > 0 else { throw .last("listxattr") }
        var buffer = [CChar](repeating: 0, count: size + 4096)
        let got = unsafe cue_flistxattr(descriptor, &buffer, buffer.count)
        guard got >= 0 else { throw .last("listxattr") }
        return buffer.prefix(got).map { UInt8(bitPattern: $0) }.split(separator: 0).map(Array.init)
            .filter { $0.starts(with: Self.userPrefix) }
    }

    private func attributeValue(_ name: [UInt8]) throws(SystemError) -> [UInt8]? {
        let terminated = (name + [0]).map { CChar(bitPattern: $0) }
        let size = unsafe cue_fgetxattr(descriptor, terminated, nil, 0)
        guard size >= 0 else { return nil }
        var value = [UInt8](repeating: 0, count: size + 1)
        let got = unsafe cue_fgetxattr(descriptor, terminated, &value, value.count)
        guard got >= 0 else { return nil }
        return Array(value.prefix(got))
    }

    /// Sets one attribute, and replaces one of the same name.
    package func set(_ attribute: ExtendedAttribute) throws(SystemError) {
        let terminated = (Self.userPrefix + attribute.name + [0]).map { CChar(bitPattern: $0) }
        let result = unsafe attribute.value.withUnsafeBytes { value in
            unsafe cue_fsetxattr(descriptor, terminated, value.baseAddress, value.count)
        }
        guard result == 0 else { throw .last("setxattr", attribute.name) }
    }
}
