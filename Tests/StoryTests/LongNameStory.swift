import CueTestSupport
import Foundation
import Testing

@Suite("Story: names as long as names can be")
struct LongNameStory {
    // MARK: Names that a vault does not take

    /// Lets a program see a file system on which names are longer (NTFS, exFAT and SMB count letters, not bytes): what
    /// is called `LONG…` on the disk has 300 bytes more for the program. No file system of Linux itself has such names.
    private static let longNames = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>

        enum { MORE = 300 };

        static const char *short_name(const char *name, char *space) {
            size_t length = strlen(name);
            if (strncmp(name, "LONG", 4) != 0 || length <= MORE || length >= 700) return name;
            memcpy(space, name, length - MORE);
            space[length - MORE] = 0;
            return space;
        }

        // `struct linux_dirent64`: 16 bytes, 2 of the record's length, 1 of kind, then the name.
        enum { LENGTH = 16, NAME = 19 };

        static long entries(long (*real)(long, ...), long folder, char *space) {
            // So few that all of them fit into the program's 32 KiB when they are longer.
            static _Thread_local char found[2048];
            long count = real(SYS_getdents64, folder, found, sizeof found), used = 0;
            if (count <= 0) return count;
            for (long at = 0; at < count;) {
                unsigned short size, more = 0;
                memcpy(&size, found + at + LENGTH, sizeof size);
                size_t name = strlen(found + at + NAME);
                memcpy(space + used, found + at, size);
                if (strncmp(found + at + NAME, "LONG", 4) == 0) {
                    more = MORE + 4;
                    memset(space + used + NAME + name, 'g', MORE);
                    space[used + NAME + name + MORE] = 0;
                }
                at += size;
                size += more;
                memcpy(space + used + LENGTH, &size, sizeof size);
                used += size;
            }
            return used;
        }

        long syscall(long number, ...) {
            long arguments[6];
            va_list more;
            va_start(more, number);
            for (int i = 0; i < 6; i++) arguments[i] = va_arg(more, long);
            va_end(more);
            static long (*real)(long, ...);
            if (!real) real = dlsym(RTLD_NEXT, "syscall");
            if (number == SYS_getdents64) return entries(real, arguments[0], (char *)arguments[1]);
            return real(
                number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
        }

        int fstatat(int folder, const char *name, struct stat *info, int flags) {
            char space[1024];
            int (*real)(int, const char *, struct stat *, int) = dlsym(RTLD_NEXT, "fstatat");
            return real(folder, short_name(name, space), info, flags);
        }

        int openat(int folder, const char *name, int flags, ...) {
            char space[1024];
            va_list more;
            va_start(more, flags);
            mode_t mode = va_arg(more, mode_t);
            va_end(more);
            int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
            return real(folder, short_name(name, space), flags, mode);
        }
        """

    private static let canPretend: Bool = {
        #if os(Linux)
            Machine.has("cc")
        #else
            false
        #endif
    }()

    @Test(
        "What has a name over 255 bytes is skipped and named, at every place; everything else is backed up",
        .enabled(if: canPretend, "there is no C compiler here to pretend with"))
    func longerThanAVault() throws {
        let cue = try Cue.small()
        try cue.folder.write("long.c", Self.longNames)
        let made = try cue.shell("cc -shared -fPIC -o long.so long.c -ldl")
        try #require(made.code == 0, "\(made.errors)")
        for name in ["LONG page.md", "Poems/LONG page.md", "LONG folder/inside.md", "LONG Album.rtfd/TXT.rtf"] {
            try cue.write(name, "too long")
        }
        try cue.write("Diary.rtfd/LONG picture.png", "too long")
        try cue.write("Diary.rtfd/TXT.rtf", "in a bundle with such a name")
        try cue.shell("ln -s nowhere 'library/LONG link'")
        try cue.write("New.md", "new")
        let longer: [String: String?] = ["LD_PRELOAD": cue.folder.appending("long.so")]

        let backup = try cue.run("backup", cue.library, "--json", environment: longer)
        let again = try cue.run("backup", cue.library, "--json", environment: longer)
        let status = try cue.run("status", cue.library, environment: longer)
        let restored = try cue.restore(to: "out")

        #expect(backup.code == 3 && backup.json["removed"].int == 0, "\(backup.text)\(backup.errors)")
        let skipped = backup.json["skipped"].list
        let tail = String(repeating: "g", count: 300)
        let diary = skipped.first { $0["path"].string == "Diary.rtfd" }?["reason"].string ?? ""
        #expect(diary.contains("LONG picture.png" + tail), "\(diary)")
        let single = ["LONG Album.rtfd", "LONG folder", "LONG link", "LONG page.md", "Poems/LONG page.md"].map {
            $0 + tail
        }
        #expect(skipped.map { $0["path"].string }.sorted() == (["Diary.rtfd"] + single).sorted(), "\(backup.text)")
        for name in single {
            let reason = skipped.first { $0["path"].string == name }?["reason"].string
            #expect(reason == "its name is over 255 bytes", "\(name.prefix(20)): \(reason ?? "")")
        }
        #expect(again.code == 3 && again.json["skipped"].list.count == skipped.count, "\(again.text)")
        #expect(again.json["new"].int == 0 && again.json["changed"].int == 0, "\(again.text)")
        #expect(status.code == 0 && status.errors.contains("over 255 bytes"), "\(status)")
        #expect(restored.code == 0, "\(restored.text)")
        let names = try cue.shell("cd out && find . -type f | sort").text
        #expect(
            names == "./Essay.md\n./New.md\n./Novel.scriv/Files/1.rtf\n./Poems/The Clockmaker.md\n"
                + "./Stories/The Clockmaker.md\n", "\(names)")
        #expect(try cue.check("--read-data").code == 0)
    }

    // MARK: Copies of conflicts

    @Test("Both versions of a document with the longest name come back, from a device with the longest name")
    func copies() throws {
        let cue = Cue()
        let device = String(repeating: "d", count: 100)
        try cue.initialize("--name", device)
        let names = [
            String(repeating: "x", count: 252) + ".md",
            String(repeating: "x", count: 100) + "." + String(repeating: "y", count: 154),
            String(repeating: "x", count: 250) + ".rtfd/TXT.rtf",
        ]
        for name in names { try cue.write(name, "mine") }
        try cue.snapshot()
        let other = cue.folder.appending("other")
        let environment: [String: String?] = ["CUE_HOME": cue.folder.appending("other home")]
        for name in names { try cue.folder.write("other/" + name, "theirs") }
        let joined = try cue.run(
            "init", other, "--vault", cue.vault, "--name", String(repeating: "e", count: 100), environment: environment)
        let theirs = try cue.run("backup", other, "--json", environment: environment)

        let restored = try cue.restore(to: "out")

        #expect(joined.code == 0 && theirs.code == 0, "\(joined.errors)\(theirs.text)")
        #expect(theirs.json["conflicting"].strings.count == 3, "\(theirs.text)")
        #expect(restored.code == 0 && restored.json["failed"].list.isEmpty, "\(restored.text)")
        #expect(restored.json["copies"].list.count == 3, "\(restored.text)")
        let found = try cue.shell("find out -type f -exec cat {} \\; -exec echo \\; | sort | uniq -c").text
        #expect(found.split(whereSeparator: \.isWhitespace) == ["3", "mine", "3", "theirs"], "\(found)")
    }
}
