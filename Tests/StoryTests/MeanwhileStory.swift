import CueTestSupport
import Foundation
import Testing

@Suite("Story: somebody writes in the moment in which a document is replaced")
struct MeanwhileStory {
    /// Runs `CUE_1` before the first exchange of two names, `CUE_2` before the second; makes exchange number
    /// `CUE_BROKEN` fail; and behind an exchange lets `CUE_BLIND` looks at what is under a temporary name fail. With
    /// `CUE_STEPS` names cannot be exchanged, and that is run behind the first of the steps.
    private static let meanwhile = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/stat.h>

        static int exchanges, looks, steps;

        static void run(const char *script) {
            char line[4096];
            snprintf(line, sizeof line, "unset LD_PRELOAD; %s", script ? script : ":");
            if (system(line) != 0) abort();
        }

        int renameat(int from, const char *name, int to, const char *other) {
            int (*real)(int, const char *, int, const char *) = dlsym(RTLD_NEXT, "renameat");
            int result = real(from, name, to, other);
            if (strstr(other, ".cue-restore") && steps++ == 0) run(getenv("CUE_STEPS"));
            return result;
        }

        int renameat2(int from, const char *name, int to, const char *other, unsigned flags) {
            int (*real)(int, const char *, int, const char *, unsigned) = dlsym(RTLD_NEXT, "renameat2");
            if (getenv("CUE_STEPS")) { errno = EINVAL; return -1; }
            if (flags != 2) return real(from, name, to, other, flags);
            char which[8];
            snprintf(which, sizeof which, "CUE_%d", ++exchanges);
            const char *broken = getenv("CUE_BROKEN");
            run(getenv(which));
            if (broken && atoi(broken) == exchanges) { errno = EIO; return -1; }
            return real(from, name, to, other, flags);
        }

        int fstatat(int folder, const char *name, struct stat *info, int flags) {
            int (*real)(int, const char *, struct stat *, int) = dlsym(RTLD_NEXT, "fstatat");
            const char *blind = getenv("CUE_BLIND");
            if (blind && exchanges == 1 && strncmp(name, ".cue-restore", 12) == 0 && looks++ < atoi(blind)) {
                errno = EIO;
                return -1;
            }
            return real(folder, name, info, flags);
        }
        """

    private static let canMeddle: Bool = {
        #if os(Linux)
            Machine.has("cc")
        #else
            false
        #endif
    }()

    /// Documents of each kind: what is replaced, and where its text is.
    private static let documents = [("Essay.md", "Essay.md"), ("Album.rtfd", "Album.rtfd/TXT.rtf")]

    /// Restores the first of two states of a document while `environment` says what happens; gives what was said of it.
    private static func restore(_ cue: Cue, _ name: String, _ environment: [String: String]) throws -> String {
        try cue.folder.write("meanwhile.c", meanwhile)
        let made = try cue.shell("cc -shared -fPIC -o meanwhile.so meanwhile.c -ldl")
        try #require(made.code == 0, "\(made.errors)")
        try cue.initialize()
        try cue.write("Essay.md", "first")
        try cue.write("Album.rtfd/TXT.rtf", "first")
        try cue.shell("sleep 0.05")
        let first = try cue.snapshot()
        try cue.write("Essay.md", "the second")
        try cue.write("Album.rtfd/TXT.rtf", "the second")
        try cue.shell("sleep 0.05")
        try cue.snapshot()
        var meddled: [String: String?] = ["LD_PRELOAD": cue.folder.appending("meanwhile.so")]
        for (key, value) in environment { meddled[key] = "cd '\(cue.library)'; \(value)" }
        for key in ["CUE_BROKEN", "CUE_BLIND"] { meddled[key] = environment[key] }
        let result = try cue.run(
            "restore", name, "--library", cue.library, "--at", first, "--json", environment: meddled)
        let failed = result.json["failed"].list.filter { $0["path"].string == name }
        #expect(result.code == 3 && failed.count == 1, "\(result.text)\(result.errors)")
        return failed.first?["reason"].string ?? ""
    }

    /// The names under which something was kept, all of which the reason tells.
    private static func kept(_ cue: Cue, _ reason: String) throws -> [String] {
        let names = try cue.shell("cd library; find . -maxdepth 1 -name '.cue-restore*' | sort").text
            .split(separator: "\n").map { String($0.dropFirst(2)) }
        for name in names { #expect(reason.contains(name), "\(name) is not in: \(reason)") }
        return names
    }

    @Test(
        "What cannot be looked at after it was replaced counts as changed, and stands in its place again",
        .enabled(if: canMeddle, "there is no C compiler here to meddle with"), arguments: documents)
    func blind(name: String, text: String) throws {
        let cue = Cue()

        let reason = try Self.restore(cue, name, ["CUE_BLIND": "1"])

        #expect(try cue.folder.read("library/" + text) == "the second")
        #expect(try Self.kept(cue, reason).isEmpty)
    }

    @Test(
        "What was changed and cannot be put back is kept beside its place, and the name is told",
        .enabled(if: canMeddle, "there is no C compiler here to meddle with"), arguments: documents)
    func stuck(name: String, text: String) throws {
        let cue = Cue()

        let reason = try Self.restore(cue, name, ["CUE_1": "printf newer > \(text)", "CUE_BROKEN": "2"])

        let kept = try Self.kept(cue, reason)
        #expect(kept.count == 1, "\(reason)")
        let place = (kept.first ?? "") + text.dropFirst(name.count)
        #expect(try cue.folder.read("library/" + place) == "newer")
        #expect(try cue.folder.read("library/" + text) == "first")
    }

    @Test(
        "What was changed stands in its place again although somebody removed the one that had replaced it",
        .enabled(if: canMeddle, "there is no C compiler here to meddle with"), arguments: documents)
    func removed(name: String, text: String) throws {
        let cue = Cue()

        let reason = try Self.restore(
            cue, name, ["CUE_1": "printf newer > \(text)", "CUE_2": "rm -r \(name)"])

        #expect(try cue.folder.read("library/" + text) == "newer")
        #expect(try Self.kept(cue, reason).isEmpty)
    }

    @Test(
        "What somebody saves between the steps of an exchange is not replaced, and what was there before is kept beside it",
        .enabled(if: canMeddle, "there is no C compiler here to meddle with"), arguments: documents)
    func savedBetweenSteps(name: String, text: String) throws {
        let cue = Cue()

        let reason = try Self.restore(
            cue, name, ["CUE_STEPS": "mkdir -p \"$(dirname \(text))\"; printf newest > \(text)"])

        let kept = try Self.kept(cue, reason)
        #expect(kept.count == 1, "\(reason)")
        let place = (kept.first ?? "") + text.dropFirst(name.count)
        #expect(try cue.folder.read("library/" + text) == "newest")
        #expect(try cue.folder.read("library/" + place) == "the second")
    }

    @Test(
        "What somebody saves while the other one stands in the place is kept too",
        .enabled(if: canMeddle, "there is no C compiler here to meddle with"), arguments: documents)
    func savedTwice(name: String, text: String) throws {
        let cue = Cue()

        let reason = try Self.restore(
            cue, name, ["CUE_1": "printf newer > \(text)", "CUE_2": "printf 'newest of all' > \(text)"])

        let kept = try Self.kept(cue, reason)
        #expect(kept.count == 1, "\(reason)")
        let place = (kept.first ?? "") + text.dropFirst(name.count)
        #expect(try cue.folder.read("library/" + text) == "newer")
        #expect(try cue.folder.read("library/" + place) == "newest of all")
    }
}
