import CPosix

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The kernel's reports of changes in folders (inotify(7)).
///
/// They are hints only: some are lost, and some file systems give none.
package final class FolderEvents: Sendable {
    /// One report. Folders are named by the number that `watch` gave.
    package enum Event: Sendable {
        /// A name in a watched folder changed.
        case changed(folder: Int32, name: [UInt8], isFolder: Bool)
        /// A folder inside a watched folder was renamed or moved away.
        case movedAway(folder: Int32, name: [UInt8])
        /// A watched folder itself was removed or unmounted, or is no longer watched.
        case folderGone(Int32)
        /// A watched folder itself was renamed; it is still watched.
        case folderMoved(Int32)
        /// The kernel dropped reports: look at everything.
        case overflow
    }

    let descriptor: Int32

    /// Nil if the system has no such reports.
    package init?() {
        descriptor = cue_watch_open()
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Begins to watch a folder, without the folders below it, and returns its number in events.
    ///
    /// A folder that is watched already keeps its number. Throws if the kernel's limit of watches is reached.
    package func watch(_ folder: Folder) throws(SystemError) -> Int32 {
        let number = cue_watch_add(descriptor, folder.descriptor)
        guard number >= 0 else { throw .last("inotify_add_watch") }
        return number
    }

    /// Stops watching; a number that is not watched is ignored.
    package func unwatch(_ number: Int32) { _ = cue_watch_remove(descriptor, number) }

    /// The reports since the last call; does not wait.
    package func read() -> [Event] {
        var events: [Event] = []
        unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            while true {
                let count = retrying { unsafe posixRead(descriptor, buffer.baseAddress, buffer.count) }
                guard count > 0 else { return }
                unsafe Self.take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), &events)
            }
        }
        return events
    }

    /// Parses the records of inotify(7): number, mask, cookie and length of the name, four bytes each; then the name,
    /// padded with zeros.
    private static func take(_ records: UnsafeRawBufferPointer, _ events: inout [Event]) {
        var at = 0
        while at + 16 <= records.count {
            let number = unsafe records.loadUnaligned(fromByteOffset: at, as: Int32.self)
            let mask = unsafe records.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
            let length = unsafe Int(records.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
            let name = unsafe Array(
                UnsafeRawBufferPointer(rebasing: records[at + 16..<at + 16 + length]).prefix { $0 != 0 })
            at += 16 + length
            if mask & 0x4000 != 0 {
                events.append(.overflow)
            } else if mask & (0x400 | 0x2000 | 0x8000) != 0 {
                // Removed, unmounted, or no longer watched.
                events.append(.folderGone(number))
            } else if mask & 0x800 != 0 {
                events.append(.folderMoved(number))
            } else if mask & 0x4000_0040 == 0x4000_0040 {
                events.append(.movedAway(folder: number, name: name))
            } else {
                events.append(.changed(folder: number, name: name, isFolder: mask & 0x4000_0000 != 0))
            }
        }
    }

    // MARK: Waiting

    /// The causes that ended a wait.
    package struct Wake: OptionSet, Sendable {
        /// The bits of `cue_wait`.
        package let rawValue: Int32
        /// Any set of causes.
        package init(rawValue: Int32) { self.rawValue = rawValue }
        /// The kernel has reports of changes.
        package static let events = Wake(rawValue: 1)
        /// A signal came, or `Interruption.request` was called.
        package static let interruption = Wake(rawValue: 2)
        /// A disk was mounted or unmounted.
        package static let mounts = Wake(rawValue: 4)
    }
}

/// Sleeps until a report, a signal, a mount or the end of a time.
package final class Waiter: Sendable {
    private let mounts: Int32

    /// Opens the list of mounts, if the system has one.
    package init() {
        mounts = unsafe withCString(Array("/proc/self/mountinfo".utf8)) {
            unsafe cue_openat(AT_FDCWD, $0, O_RDONLY | O_CLOEXEC, 0)
        }
    }

    deinit { if mounts >= 0 { close(mounts) } }

    /// Waits for at most `seconds`, up to a day. Returns the causes, or an empty set when the time is over. Nil for
    /// `events` waits without reports of changes.
    package func wait(for events: FolderEvents?, seconds: Double) -> FolderEvents.Wake {
        let milliseconds = Int32(max(0, min(seconds * 1000, 86_400_000)).rounded(.up))
        return FolderEvents.Wake(
            rawValue: cue_wait(events?.descriptor ?? -1, Interruption.wakeDescriptor, mounts, milliseconds))
    }
}

private func posixRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}
