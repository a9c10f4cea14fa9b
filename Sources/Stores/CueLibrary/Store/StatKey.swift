package import CueBase
import CueSodium
package import CueSystem
import CueVault

/// The fields of `fstatat` that show whether a file was touched, without opening it.
package struct StatKey: Hashable, Sendable {
    /// On the file's own file system.
    package let inode: UInt64
    /// In bytes.
    package let size: Int64
    /// Permission bits.
    package let mode: UInt16
    /// When its content was last written; programs can set it.
    package let modified: FileTime
    /// When its content, name or attributes last changed; only the kernel sets it.
    package let changed: FileTime

    /// The fields of `info`.
    package init(_ info: FileInfo) {
        (inode, size, mode, modified, changed) = (info.inode, info.size, info.mode, info.modified, info.changed)
    }

    /// Stands for a file that was never looked at; no file has this key.
    package static let none = StatKey(
        inode: 0, size: 0, mode: 0, modified: FileTime(seconds: 0, nanoseconds: 0),
        changed: FileTime(seconds: 0, nanoseconds: 1))

    /// Equal, apart from `changed`: a rename moves that on.
    package func isSameContent(as other: StatKey) -> Bool {
        inode == other.inode && size == other.size && mode == other.mode && modified == other.modified
    }

    /// Whether a file that now has the key `now` was damaged by a power cut or a failing disk: its size changed, but no
    /// program has written to it since this key was taken. Every change by a program moves `changed` on.
    ///
    /// False for a doubted key, and if `changed` may be a copy of `modified`: FAT and exFAT have no change time, and no
    /// time finer than 10 ms.
    package func isDamaged(_ now: StatKey) -> Bool {
        let hasOwnChanged = changed != modified || changed.nanoseconds % 10_000_000 != 0
        return inode == now.inode && modified == now.modified && mode == now.mode && size != now.size
            && now.changed <= changed && hasOwnChanged
    }

    /// A key by which every later scan takes a file that looks as now for damaged. For a file that was found to be,
    /// though its size is right. The key itself where that cannot be told (`isDamaged`).
    package var asDamaged: StatKey {
        let other = StatKey(inode: inode, size: size &+ 1, mode: mode, modified: modified, changed: changed)
        return other.isDamaged(self) ? other : self
    }

    /// Whether no program has written to the file since this key was taken: it is the same, or damaged.
    package func isUntouched(_ now: StatKey) -> Bool { self == now || isDamaged(now) }

    /// The same key with another size and modification time: those that the file was given.
    package func placed(size: Int64, modified: FileTime) -> StatKey {
        StatKey(inode: inode, size: size, mode: mode, modified: modified, changed: changed)
    }

    /// A key that no file has, so that the next scan looks again.
    package var doubted: StatKey {
        StatKey(inode: inode, size: size, mode: mode, modified: modified, changed: FileTime(seconds: 0, nanoseconds: 1))
    }

    /// Memberwise.
    package init(inode: UInt64, size: Int64, mode: UInt16, modified: FileTime, changed: FileTime) {
        (self.inode, self.size, self.mode, self.modified, self.changed) = (inode, size, mode, modified, changed)
    }

    /// The milliseconds from `time` until the key is not too fresh any more, where a short wait is enough. nil if it is
    /// not too fresh, if its file system ticks in seconds, and if `changed` is in the future: then the clocks differ.
    package func millisecondsToRest(at time: FileTime) -> Int? {
        guard isTooFresh(at: time), changed.nanoseconds != 0, time >= changed else { return nil }
        let age =
            (time.seconds - changed.seconds) * 1_000_000_000 + Int64(time.nanoseconds) - Int64(changed.nanoseconds)
        return Int((Self.tick - age) / 1_000_000) + 1
    }

    /// Twice the step in which the kernel's clock for files ticks, in nanoseconds.
    private static let tick: Int64 = 20_000_000

    /// Whether the file could change again, at `time`, without a change of its times: clocks of file systems tick in
    /// steps.
    package func isTooFresh(at time: FileTime) -> Bool {
        // Whole seconds come from a file system without finer times (2 s on exFAT); else the kernel ticks every 10 ms.
        let margin: Int64 = changed.nanoseconds == 0 ? 2_000_000_000 : Self.tick
        let seconds = time.seconds.saturatingSubtracting(changed.seconds)
        // Further apart than any margin, and safe from overflow: a file may have any time.
        guard (-3..<3).contains(seconds) else { return seconds < 0 }
        return seconds * 1_000_000_000 + Int64(time.nanoseconds) - Int64(changed.nanoseconds) < margin
    }
}
