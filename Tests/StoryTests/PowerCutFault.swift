import CueTestSupport
import Foundation
import Testing

/// A library on a disk of its own whose power can be cut: an ext4 image that is shut down without a flush.
/// `tools/power-cut.py` does the same at random moments, on more file systems.
@Suite("Fault: a power cut after something was put into the library")
struct PowerCutFault {
    enum Command: String, CaseIterable, Sendable { case sync, watch, restore, resolve, undo }

    private static let shutdown = """
        import fcntl, os, struct
        fcntl.ioctl(os.open("disk", os.O_RDONLY), 0x8004587D, struct.pack("I", 2))
        """

    /// `cut` is the power cut, and the power that comes back.
    private static let kit = """
        set -e
        a() { "$CUE" "$@" > out-a 2>&1 || { code=$?; [ $code = 3 ] || [ $code = 4 ] || { cat out-a; exit 1; }; }; }
        b() { CUE_HOME="$PWD/$HOME_B" LD_PRELOAD="$MUTE" "$CUE" "$@" > out-b 2>&1 || { code=$?; [ $code = 3 ] || [ $code = 4 ] || { cat out-b; exit 1; }; }; }
        same() { diff -r -x .cue "$1" "$2"; }
        cut() { python3 -c "$SHUTDOWN"; kill -9 $(jobs -p) 2>/dev/null || true; wait; for n in $(seq 100); do umount disk && break; sleep 0.05; done; mount -o loop disk.img disk; }
        """

    static let canCut: Bool = {
        guard Machine.isRoot, Machine.has("python3"), Machine.has("mkfs.ext4") else { return false }
        let cue = Cue()
        defer { _ = try? cue.shell("umount disk") }
        let script = disk + "echo x > disk/x; \(kit)\ncut; test -d disk/B || test ! -s disk/x"
        return (try? cue.shell(script, environment: ["SHUTDOWN": shutdown]).code) == 0
    }()

    private static let disk =
        "truncate -s 64M disk.img; mkfs.ext4 -qF disk.img; mkdir disk; mount -o loop disk.img disk; mkdir disk/B; sync -f disk\n"

    private static let begin = """
        mkdir -p library/Novel.scriv/Files library/Part
        echo one > library/Chapter.md; seq 2000 > library/Part/Long.md; echo gone > library/Gone.md; echo old > library/Old.md
        mkdir library/Away.scriv; for n in 1 2 3; do echo "one $n" > library/Novel.scriv/Files/$n.rtf; echo $n > library/Away.scriv/$n.rtf; done
        a init library --vault vault --kdf-memory 64; a sync library
        b init disk/B --vault vault --name b; b sync disk/B; same library disk/B
        before=$(CUE_HOME="$PWD/$HOME_B" "$CUE" backup disk/B --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["snapshot"])')
        change() {
          echo two > library/Chapter.md; for n in 1 2 3; do echo "two $n" > library/Novel.scriv/Files/$n.rtf; done
          mkdir -p library/New/Deep; echo new > library/New/Deep/New.md; mkdir library/New/New.scriv; echo new > library/New/New.scriv/new.rtf
          mv library/Old.md library/New/Renamed.md; rm library/Gone.md; rm -r library/Away.scriv
          a sync library --allow-deletions
        }
        """

    /// What is done, and what A must have afterwards: `truth-a`.
    private static func script(_ command: Command) -> String {
        switch command {
        case .sync: "change; sync -f disk; b sync disk/B --allow-deletions; same library disk/B; cp -a library truth-a"
        case .watch:
            """
            sync -f disk; CUE_HOME="$PWD/$HOME_B" LD_PRELOAD="$MUTE" "$CUE" watch disk/B --debounce 0.3 --poll 1 > out-w 2>&1 &
            change; for n in $(seq 600); do same library disk/B > /dev/null && break; sleep 0.05; done; same library disk/B; cp -a library truth-a
            """
        case .restore:
            """
            change; b sync disk/B --allow-deletions; sync -f disk
            b restore Chapter.md Novel.scriv Part/Long.md Gone.md --at $before --library disk/B; cp -a disk/B truth-a
            test "$(cat truth-a/Chapter.md truth-a/Gone.md truth-a/Novel.scriv/Files/1.rtf)" = "one
            gone
            one 1"
            """
        case .resolve, .undo:
            """
            for place in library disk/B; do echo "$place" > $place/Chapter.md; echo "$place" > $place/Novel.scriv/Files/1.rtf; done
            a sync library; b sync disk/B; a sync library
            for name in Chapter.md Novel.scriv; do \(command == .resolve ? "sync -f disk; " : "")b resolve $name --keep other --library disk/B; done
            same library disk/B; cp -a library truth-a
            """
                + (command == .undo
                    ? "\nsync -f disk; for name in Chapter.md Novel.scriv; do b resolve --undo $name --library disk/B; done; grep -q disk disk/B/Chapter.md"
                    : "")
        }
    }

    private static let after = """

        cp -a disk/B truth-b; cut; b sync disk/B --allow-deletions; a sync library --allow-deletions; b sync disk/B --allow-deletions
        same truth-b disk/B; same truth-a library; ! find disk/B -name '.cue-restore-*' | grep .
        """

    private static func run(_ command: Command, _ cue: Cue, home: String, mute: String) throws -> Running.Result {
        defer { _ = try? cue.shell("umount disk") }
        return try cue.shell(
            disk + kit + "\n" + begin + "\n" + script(command) + after,
            environment: [
                "SHUTDOWN": shutdown, "HOME_B": home, "MUTE": mute, "CUT_WORLD": cue.folder.path, "CUT_MUTE": "1",
            ],
            deadline: 120)
    }

    @Test(
        "What was called done is there when the power comes back, and both devices keep every document",
        .enabled(if: canCut, "needs root, and a disk in an image that can be shut down"),
        arguments: Command.allCases, ["disk/home", "home of b"])
    func cut(command: Command, home: String) throws {
        let result = try Self.run(command, Cue(), home: home, mute: "")

        #expect(result.code == 0, "\(result.text)\(result.errors)")
    }

    @Test("Without the calls that make it durable, the same cut hurts", .enabled(if: canCut && Machine.has("cc")))
    func control() throws {
        let cue = Cue()
        let built = try cue.shell("cc -shared -fPIC -o mute.so \"$1\" -ldl", Project.root + "/tools/power-cut.c")
        #expect(built.code == 0, "\(built.errors)")

        let result = try Self.run(.sync, cue, home: "home of b", mute: cue.folder.appending("mute.so"))

        #expect(result.code != 0 && result.text.contains("disk/B"), "\(result.text)\(result.errors)")
    }
}
