import CueBase

/// A folder in which a person finds another disk, a stick or a network folder.
package struct MountPoint: Sendable, Hashable {
    /// Its absolute path.
    package let path: FilePathBytes
    /// Whether another machine has to answer for it, which may be off.
    package let isNetwork: Bool

    /// Memberwise.
    package init(_ path: FilePathBytes, isNetwork: Bool = false) { (self.path, self.isNetwork) = (path, isNetwork) }

    /// Those of this machine, without the system's own. Touches no mounted folder, as one may hang.
    package static func all() -> [MountPoint] {
        #if os(Linux)
            // A file of the kernel has no size: as much is read as there is.
            guard let file = try? Folder.open(FilePathBytes("/proc/self")).file(Array("mountinfo".utf8)) else {
                return []
            }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            var span = bytes.mutableSpan
            guard let count = try? file.read(into: &span) else { return [] }
            return parse(bytes[..<count])
        #else
            let volumes = FilePathBytes("/Volumes")
            return ((try? Folder.open(volumes).names()) ?? []).map { MountPoint(volumes.appending($0)) }
        #endif
    }

    /// Reads `mountinfo` as proc_pid_mountinfo(5) describes it.
    package static func parse(_ mountinfo: ArraySlice<UInt8>) -> [MountPoint] {
        mountinfo.split(separator: 0x0a).compactMap { line in
            let fields = line.split(separator: 0x20)
            guard let dash = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }), dash >= 6,
                fields.count > dash + 2
            else { return nil }
            let path = FilePathBytes(unescaped(fields[4]))
            let type = String(decoding: fields[dash + 1], as: UTF8.self)
            let isNetwork = networkTypes.contains(type) || type.hasPrefix("fuse.")
            let isDisk = fields[dash + 2].starts(with: "/dev/".utf8) && type != "squashfs"
            let (isUsers, isSystems) = (lies(path, in: usersFolders), lies(path, in: systemFolders))
            return isUsers || !isSystems && path.name != [] && (isDisk || isNetwork)
                ? MountPoint(path, isNetwork: isNetwork) : nil
        }
    }

    private static let networkTypes: Set<String> = [
        "autofs", "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "afs", "glusterfs", "davfs", "fuse",
    ]
    /// Where desktops and people mount.
    private static let usersFolders = ["/media", "/run/media", "/mnt"]
    private static let systemFolders = ["/boot", "/dev", "/etc", "/proc", "/snap", "/sys", "/usr", "/var/lib"]

    private static func lies(_ path: FilePathBytes, in folders: [String]) -> Bool {
        folders.contains { path.isAtOrBelow(FilePathBytes($0)) }
    }

    /// Spaces, tabs, line ends and backslashes stand as `\040` there.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), field)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == 0x5c, digits.count == 3, let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
