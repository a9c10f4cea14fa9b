import CueBase

/// The disks on which folders lie.
package enum Disk {
    /// Whether one broken disk would take both folders. False if that cannot be told.
    package static func holdsBoth(_ a: FilePathBytes, _ b: FilePathBytes) -> Bool {
        guard let one = try? a.info(), let other = try? b.info() else { return false }
        if one.device == other.device { return true }
        guard let disk = whole(one.device) else { return false }
        return disk == whole(other.device)
    }

    /// The disk of a file system that lies in a partition; nil if it lies in none that Linux lists.
    private static func whole(_ device: UInt64) -> FilePathBytes? {
        // gnu_dev_major and gnu_dev_minor of <sys/sysmacros.h>, which Swift cannot read.
        let major = (device >> 8) & 0xfff | (device >> 32) & 0xffff_f000
        let minor = device & 0xff | (device >> 12) & 0xffff_ff00
        let listed = FilePathBytes("/sys/dev/block/\(major):\(minor)").resolved()
        guard let listed, (try? listed.appending("partition").info()) ?? nil != nil else { return listed }
        return listed.parent
    }
}
