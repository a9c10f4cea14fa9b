import CueSystem
import Testing

@Suite("Mounted disks")
struct MountPointTests {
    @Test("Disks, sticks and network folders are listed, with spaces in their names; the system's own mounts are not")
    func mountinfo() {
        let text = """
            22 27 0:21 / /proc rw,relatime - proc proc rw
            27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
            40 27 8:2 / /boot rw - ext4 /dev/sda2 rw
            41 27 8:17 / /media/ada/My\\040stick rw,nosuid shared:5 - vfat /dev/sdb1 rw
            42 27 0:50 / /home/ada/nas rw - nfs4 nas:/export rw
            43 27 0:51 / /mnt/tmp rw - tmpfs none rw
            44 27 0:52 / /tmp rw - tmpfs tmpfs rw
            45 27 7:1 / /snap/core/1 ro - squashfs /dev/loop1 ro
            46 27 0:53 / /home/ada/cloud rw - fuse.rclone remote: rw
            a line that is none
            """
        let mounts = MountPoint.parse(Array(text.utf8)[...])

        #expect(
            mounts == [
                MountPoint(FilePathBytes("/media/ada/My stick")),
                MountPoint(FilePathBytes("/home/ada/nas"), isNetwork: true),
                MountPoint(FilePathBytes("/mnt/tmp")), MountPoint(FilePathBytes("/home/ada/cloud"), isNetwork: true),
            ])
    }

    @Test("Work that hangs is given up in time, and what ends gives its result")
    func hanging() throws {
        let hung = try Interruptible.run(within: 0.05) {
            Wait.milliseconds(20_000)
            return 1
        }
        #expect(hung == nil)
        #expect(try Interruptible.run(within: 60) { 2 } == 2)
    }
}
