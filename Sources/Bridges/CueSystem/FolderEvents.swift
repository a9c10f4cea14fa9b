import CPosix

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Hears from the kernel that something changed in a folder (inotify(7)). Hints only: some are lost, and some file systems give none.
package final class FolderEvents: Sendable {
    package enum Event: Sendable {
        /// Something happened to a name in a watched folder.
        case changed(folder: Int32, name: [UInt8], isFolder: Bool)
        /// A folder in a watched folder has another name now, or another place.
        case movedAway(folder: Int32, name: [UInt8])
        /// A watched folder itself was removed or unmounted.
        case folderGone(Int32)
        /// A watched folder itself was renamed; it is still watched.
        case folderMoved(Int32)
        /// More happened than the kernel could keep: everything must be looked at.
        case overflow
    }

    let descriptor: Int32

    /// nil where the system has nothing of the kind.
    package init?() {
        descriptor = cue_watch_open()
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Begins to watch a folder, not what is below it; gives the number by which events name it. The same for a folder watched already.
    package func watch(_ folder: Folder) throws(SystemError) -> Int32 {
        let number = cue_watch_add(descriptor, folder.descriptor)
        guard number >= 0 else { throw .last("inotify_add_watch") }
        return number
    }

    package func unwatch(_ number: Int32) { _ = cue_watch_remove(descriptor, number) }

    /// What happened since the last time; does not wait.
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

    /// Records of inotify(7): number, mask, cookie and length of the name, four bytes each; then the name, filled up with zeros.
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
                // Removed, unmounted, no longer watched.
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

    package struct Wake: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }
        package static let events = Wake(rawValue: 1)
        package static let interruption = Wake(rawValue: 2)
        /// A disk was mounted or unmounted.
        package static let mounts = Wake(rawValue: 4)
    }
}

/// Sleeps until something happens.
package final class Waiter: Sendable {
    private let mounts: Int32

    package init() {
        mounts = unsafe withCString(Array("/proc/self/mountinfo".utf8)) {
            unsafe cue_openat(AT_FDCWD, $0, O_RDONLY | O_CLOEXEC, 0)
        }
    }

    deinit { if mounts >= 0 { close(mounts) } }

    /// Empty when the time is over. A signal that `Interruption` takes wakes it at once.
    package func wait(for events: FolderEvents?, seconds: Double) -> FolderEvents.Wake {
        let milliseconds = Int32(max(0, min(seconds * 1000, 86_400_000)).rounded(.up))
        return FolderEvents.Wake(
            rawValue: cue_wait(events?.descriptor ?? -1, Interruption.wakeDescriptor, mounts, milliseconds))
    }
}

private func posixRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}
