import CueTestSupport
import Foundation
import Testing

@Suite("Fault: a library's disk that does not keep what is written")
struct FailingDiskFault {
    /// Makes call number `FAIL_AT` of those that make files below `other` durable fail, as a disk does that loses what
    /// it was given.
    private static let failing = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        static int calls;
        static int fails(int fd) {
            char link[64], path[4096];
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            ssize_t n = readlink(link, path, sizeof path - 1);
            if (n < 0) return 0;
            path[n] = 0;
            return strstr(path, "/other") && __sync_add_and_fetch(&calls, 1) == atoi(getenv("FAIL_AT"));
        }
        #define CALL(name) int name(int fd) { \\
            int (*real)(int) = dlsym(RTLD_NEXT, #name); \\
            if (fails(fd)) { errno = EIO; return -1; } \\
            return real(fd); }
        CALL(fsync) CALL(syncfs)
        """

    private static func fixture() throws -> (Cue, SecondDevice) {
        let cue = Cue()
        try cue.folder.write("failing.c", failing)
        #expect(try cue.shell("cc -shared -fPIC -o failing.so failing.c -ldl").code == 0)
        try cue.initialize()
        try cue.write("Chapter.md", "one")
        try cue.write("Novel.scriv/1.rtf", "one")
        #expect(try cue.run("sync", cue.library).code == 0)
        let other = try SecondDevice(cue)
        #expect(try other.sync().code == 0)
        return (cue, other)
    }

    private static func sync(_ other: SecondDevice, failingAt call: Int) throws -> Running.Result {
        let environment = other.environment.merging([
            "LD_PRELOAD": other.cue.folder.appending("failing.so"), "FAIL_AT": String(call),
        ]) { $1 }
        return try other.cue.start(["sync", other.library, "--json"], environment: environment).result()
    }

    @Test(
        "An error of the disk is no success: nothing of it is remembered, and the next sync brings everything",
        .enabled(if: Machine.has("cc")), arguments: [3, 100], [1, 2, 3])
    func fails(documents: Int, call: Int) throws {
        let (cue, other) = try Self.fixture()
        for number in 1...documents { try cue.write("New/\(number).md", "new \(number)") }
        try cue.write("Chapter.md", "two")
        try cue.write("Novel.scriv/1.rtf", "two")
        #expect(try cue.run("sync", cue.library).code == 0)

        let failed = try Self.sync(other, failingAt: call)
        let next = try other.sync()
        let first = try cue.run("sync", cue.library, "--json")

        if documents > 64 {
            #expect(failed.code == 1, "\(failed.text)\(failed.errors)")
            #expect(failed.json["error"]["message"].string.contains("did not reach its disk"), "\(failed.text)")
        } else {
            // One file that fails keeps only itself back.
            #expect(
                failed.code == 1 || failed.code == 3 && failed.text.contains("input/output error"), "\(failed.text)")
        }
        #expect(next.code == 0, "\(next.text)\(next.errors)")
        #expect(first.code == 0 && first.json["received"].strings == [], "\(first.text)")
        #expect(try cue.differences("library", "other", "--content-only") == "")
        #expect(try cue.shell("find other -name '.cue-restore-*'").text == "")
    }
}
