#!/usr/bin/env python3
"""Cuts the power of a library's disk during and after the commands that write to it, and compares all documents.

    power-cut.py [--cue PROGRAM] [--cuts N] [--fs ext4,xfs] [--state same,other,second] [--command sync,watch,...]
                 [--seed N] [--after S] [--control] [--keep]

Needs root: device B's library lies on a file system in an image, which is shut down without a flush (the ioctl that
xfs_io's `shutdown` uses), as by a power cut, at a random moment of the command or up to S seconds after its end. Then
the disk is mounted again, both devices sync, and every document on both must be whole and right: a command that had
ended with 0 must have kept its word, and one that had not must have left each document as it was before or after.

--fs         file systems of B's disk
--state      where B's memory is: on the same disk, on another that is not cut (whatever it was told stays), or on a
             second one that is cut at the same moment
--command    sync, many (a sync of 300 documents that come and 300 that go), watch, restore, folder (a restore to a
             plain folder), resolve, undo
--control    leaves out all calls that make B's library durable (a library put before the C library's): must fail
Exit code 0: no document was hurt, 1: some were (with --control: none were). The figures are printed as a table.
"""
import argparse, fcntl, hashlib, json, os, random, shutil, signal, struct, subprocess, sys, tempfile, time

SHUTDOWN, WITHOUT_FLUSH = 0x8004587D, 2
COMMANDS = ["sync", "many", "watch", "restore", "folder", "resolve", "undo"]
MUTE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int mute(int fd) {
    char link[64], path[4096];
    const char *disk = getenv("CUT_DISK");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0 || !disk) return 0;
    path[n] = 0;
    // The library, and what a restore makes; not what cue remembers.
    size_t length = strlen(disk);
    return strncmp(path, disk, length) == 0 && (strncmp(path + length, "/B", 2) == 0 || strncmp(path + length, "/out", 4) == 0);
}
#define CALL(name) int name(int fd) { int (*real)(int) = dlsym(RTLD_NEXT, #name); return mute(fd) ? 0 : real(fd); }
CALL(fsync) CALL(fdatasync) CALL(syncfs)
"""


def digest(path):
    """Of a document's content: a file, or a bundle with all it holds. Empty files have one too."""
    whole = hashlib.sha256()
    if os.path.isdir(path):
        for parent, folders, files in os.walk(path):
            folders.sort()
            for name in sorted(files):
                inner = os.path.join(parent, name)
                whole.update(os.path.relpath(inner, path).encode() + b"\0" + hashlib.sha256(open(inner, "rb").read()).digest())
    else:
        whole.update(open(path, "rb").read())
    return whole.hexdigest()[:16]


def documents(root):
    """Every document below a folder by its path, and the drafts that were left."""
    found, drafts = {}, []
    for parent, folders, files in os.walk(root):
        for name in list(folders):
            path = os.path.join(parent, name)
            if name.startswith(".cue-restore-"): drafts.append(path)
            elif name.endswith(".scriv"): found[os.path.relpath(path, root)] = digest(path)
        folders[:] = [f for f in folders if f != ".cue" and not f.startswith(".cue-restore-") and not f.endswith(".scriv")]
        for name in files:
            path = os.path.join(parent, name)
            if name.startswith(".cue-restore-"): drafts.append(path)
            else: found[os.path.relpath(path, root)] = digest(path)
    return found, drafts


class Disk:
    """A file system in an image, whose power can be cut."""

    def __init__(self, folder, name, kind):
        self.image, self.place = os.path.join(folder, name + ".img"), os.path.join(folder, name)
        with open(self.image, "wb") as f: f.truncate((320 if kind == "xfs" else 128) << 20)
        subprocess.run(["mkfs." + kind, "-q", self.image], check=True, stdout=subprocess.DEVNULL)
        os.mkdir(self.place)
        self.mount()

    def mount(self): subprocess.run(["mount", "-o", "loop", self.image, self.place], check=True)

    def cut(self):
        f = os.open(self.place, os.O_RDONLY)
        fcntl.ioctl(f, SHUTDOWN, struct.pack("I", WITHOUT_FLUSH))
        os.close(f)

    def unmount(self):
        for _ in range(100):
            if subprocess.run(["umount", self.place], capture_output=True).returncode == 0: return
            time.sleep(0.05)
        raise SystemExit(f"{self.place} cannot be unmounted")


class World:
    """Two devices with one vault. A's disk is safe; B's is cut."""

    def __init__(self, options, kind, state, seed):
        self.o, self.random = options, random.Random(seed)
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="cue-power-cut-", dir=options.tmp))
        self.disks = [Disk(self.folder, "disk", kind)]
        if state == "second": self.disks.append(Disk(self.folder, "memory", kind))
        self.b = os.path.join(self.disks[0].place, "B")
        home = {"same": self.disks[0].place, "other": self.folder, "second": self.disks[-1].place}[state]
        self.a, self.vault = (os.path.join(self.folder, n) for n in ("A", "vault"))
        for path in (self.a, self.b): os.mkdir(path)
        base = dict(os.environ, CUE_PASSPHRASE="x", NO_COLOR="1", SWIFT_BACKTRACE="enable=no")
        self.env_a = dict(base, CUE_HOME=os.path.join(self.folder, "home-a"))
        self.env_b = dict(base, CUE_HOME=os.path.join(home, "home-b"))
        self.count, self.written = 0, {}
        for number in range(12): self.edit(self.a, f"Part {number % 3}/Chapter {number}.md")
        for number in range(3): self.edit(self.a, f"Part {number}/Novel {number}.scriv")
        self.must(self.env_a, "init", self.a, "--vault", self.vault, "--name", "a", "--kdf-memory", "64")
        self.must(self.env_a, "sync", self.a)
        self.must(self.env_b, "init", self.b, "--vault", self.vault, "--name", "b")
        self.must(self.env_b, "sync", self.b)
        self.settle()

    process = None

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for disk in self.disks: disk.unmount()
        if not self.o.keep: shutil.rmtree(self.folder)

    def settle(self): os.sync()

    def run(self, env, *arguments): return subprocess.run([self.o.cue, *arguments], env=env, capture_output=True, text=True)

    def must(self, env, *arguments, codes=(0,)):
        done = self.run(env, *arguments)
        if done.returncode not in codes:
            raise RuntimeError(f"cue {' '.join(arguments)}: exit {done.returncode}: {done.stderr}{done.stdout}")
        return done

    def start(self, *arguments):
        """A command of B, whose disk is cut; in the control without what makes its library durable."""
        env = dict(self.env_b)
        if self.o.control: env |= {"LD_PRELOAD": self.o.mute, "CUT_DISK": self.disks[0].place}
        return subprocess.Popen([self.o.cue, *arguments], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    # Writers

    def edit(self, root, path):
        self.count += 1
        text = f"{path} {self.count}\n" * self.random.choice([1, 40, 400])
        whole = os.path.join(root, path)
        for inner in ["", "Files/one.rtf", "Files/Data/two.rtf"] if path.endswith(".scriv") else [None]:
            file = whole if inner is None else os.path.join(whole, inner or "Novel.scrivx")
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "w") as f: f.write(f"{inner} {text}")

    def change(self, root):
        """What a writer does between two syncs: new, changed, renamed and deleted documents."""
        names = sorted(documents(root)[0])
        for path in self.random.sample(names, 4): self.edit(root, path)
        self.count += 1
        self.edit(root, f"Part {self.random.randrange(4)}/New {self.count}.md")
        if self.random.random() < 0.5: self.edit(root, f"New part {self.count}/Novel {self.count}.scriv")
        rest = [n for n in sorted(documents(root)[0]) if os.path.exists(os.path.join(root, n))]
        old, gone = self.random.sample(rest, 2)
        ending = os.path.splitext(old)[1]
        os.rename(os.path.join(root, old), os.path.join(root, f"Part 0/Renamed {self.count}{ending}"))
        place = os.path.join(root, gone)
        if len(rest) > 14: shutil.rmtree(place) if os.path.isdir(place) else os.remove(place)

    # One cut

    def cut(self, command, is_after):
        """Runs the command and cuts its power. Gives what is hurt, and whether the command had ended with 0."""
        before, after, arguments = getattr(self, "prepare_" + command)()
        self.settle()
        began = time.monotonic()
        moment = self.random.uniform(0, self.o.after) if is_after else None
        self.process = process = self.start(*arguments)
        if command == "watch":
            # A brings its work while the watcher runs; it is told that it has all by its own folder.
            limit = time.monotonic() + (20 if is_after else self.random.uniform(0, 4))
            while time.monotonic() < limit and not self.has_all(after[self.b]): time.sleep(0.01)
            code = None
            if is_after: time.sleep(moment)
        elif is_after:
            code = process.wait(timeout=120)
            self.durations[command] = time.monotonic() - began
            if code not in (0, 3, 4): raise RuntimeError(f"cue {' '.join(arguments)} ended with {code}")
            time.sleep(moment)
        else:
            time.sleep(self.random.uniform(0, self.duration(command)))
            code = process.poll()
        for disk in self.disks: disk.cut()
        if process.poll() is None: process.kill()
        process.wait()
        for disk in self.disks: disk.unmount()
        for disk in self.disks: disk.mount()
        # A conflict that was resolved, or is open again, is a promise once the command has ended; else either may be.
        kept = is_after and code is not None
        return self.compare(command, before, after, kept), kept

    def has_all(self, wanted):
        try: return documents(self.b)[0] == wanted
        except FileNotFoundError: return False   # it is being placed

    durations = {}

    def duration(self, command): return self.durations.get(command, 0.5)

    def compare(self, command, before, after, is_kept):
        hurt = []
        if command == "folder":
            found, _ = documents(os.path.join(self.disks[0].place, "out"))
            wanted = before[self.a]
            hurt += [f"out: {p} is not whole" for p, d in found.items() if wanted.get(p) != d]
            if is_kept: hurt += [f"out: {p} is missing" for p in wanted if p not in found]
            self.must(self.env_b, "restore", "--vault", self.vault, "--to", os.path.join(self.disks[0].place, "out"))
            found, drafts = documents(os.path.join(self.disks[0].place, "out"))
            if found != wanted: hurt.append("out: the next restore does not complete it")
            hurt += [f"draft left: {d}" for d in drafts]
            shutil.rmtree(os.path.join(self.disks[0].place, "out"))
            return hurt
        for env, root in ((self.env_b, self.b), (self.env_a, self.a), (self.env_b, self.b)):
            self.must(env, "sync", root, "--allow-deletions", codes=(0, 3, 4))
        for root in (self.a, self.b):
            found, drafts = documents(root)
            hurt += [f"draft left: {d}" for d in drafts]
            states = [after[root]] if is_kept or command in ("sync", "many", "watch") else [before[root], after[root], after[self.a], after[self.b]]
            for path in sorted(set(found).union(*states)):
                if found.get(path) not in [s.get(path) for s in states]:
                    what = "is missing" if path not in found else "should be gone" if not any(path in s for s in states) else "is not what it was"
                    empty = path in found and os.path.isfile(os.path.join(root, path)) and os.path.getsize(os.path.join(root, path)) == 0
                    hurt.append(f"{os.path.basename(root)}: {path} {what}{' (empty)' if empty else ''}")
        return hurt

    def state(self): return {self.a: documents(self.a)[0], self.b: documents(self.b)[0]}

    def prepare_sync(self):
        before = self.state()
        self.change(self.a)
        self.must(self.env_a, "sync", self.a, "--allow-deletions")
        after = documents(self.a)[0]
        return before, {self.a: after, self.b: after}, ["sync", self.b, "--allow-deletions"]

    def prepare_many(self):
        """So many that the disk is asked once for all of them."""
        before = self.state()
        for name in os.listdir(self.a):
            if name.startswith("Many "): shutil.rmtree(os.path.join(self.a, name))
        self.count += 1
        new = f"Many {self.count}"
        for number in range(300): self.edit(self.a, f"{new}/Part {number % 7}/Page {number}.md")
        for number in range(5): self.edit(self.a, f"{new}/Novel {number}.scriv")
        self.change(self.a)
        self.must(self.env_a, "sync", self.a, "--allow-deletions")
        after = documents(self.a)[0]
        return before, {self.a: after, self.b: after}, ["sync", self.b, "--allow-deletions"]

    def prepare_watch(self):
        before, after, _ = self.prepare_sync()
        return before, after, ["watch", self.b, "--debounce", "0.3", "--poll", "1"]

    def prepare_restore(self):
        """B takes four documents back to what they were two syncs ago."""
        self.must(self.env_b, "sync", self.b, codes=(0, 3, 4))
        names = self.random.sample([n for n, d in sorted(documents(self.a)[0].items())], 4)
        old = documents(self.b)[0]
        snapshot = json.loads(self.must(self.env_b, "backup", self.b, "--json").stdout)["snapshot"]
        for path in names: self.edit(self.a, path)
        for root, env in ((self.a, self.env_a), (self.b, self.env_b)): self.must(env, "sync", root)
        before = self.state()
        after = dict(before[self.b]) | {n: old[n] for n in names}
        return before, {self.a: after, self.b: after}, ["restore", *names, "--at", snapshot, "--library", self.b]

    def prepare_folder(self):
        before = self.state()
        return before, before, ["restore", "--vault", self.vault, "--to", os.path.join(self.disks[0].place, "out")]

    def conflict(self):
        self.must(self.env_b, "sync", self.b, codes=(0, 3, 4))
        name = self.random.choice(sorted(documents(self.a)[0]))
        for root in (self.a, self.b): self.edit(root, name)
        for root, env in ((self.a, self.env_a), (self.b, self.env_b)): self.must(env, "sync", root, codes=(0, 4))
        return name

    def prepare_resolve(self):
        name = self.conflict()
        before = self.state()
        after = before[self.b] | {name: before[self.a][name]}
        return before, {self.a: after, self.b: after}, ["resolve", name, "--keep", "other", "--library", self.b]

    def prepare_undo(self):
        """B answers a conflict for the other side, and takes the answer back: its own text comes again, on its disk alone."""
        name = self.conflict()
        before = self.state()
        self.must(self.env_b, "resolve", name, "--keep", "other", "--library", self.b)
        answered = self.state()
        after = {self.a: answered[self.a], self.b: answered[self.b] | {name: before[self.b][name]}}
        return answered, after, ["resolve", "--undo", name, "--library", self.b]

    def end(self, command):
        """Answers what the command left open, so that the next round begins with both alike."""
        if command in ("resolve", "undo"):
            self.must(self.env_a, "sync", self.a, "--keep", "this", codes=(0, 3, 4))
            for env, root in ((self.env_b, self.b), (self.env_a, self.a)): self.must(env, "sync", root, codes=(0, 3, 4))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cue", default="cue")
    parser.add_argument("--cuts", type=int, default=36)
    parser.add_argument("--fs", default="ext4,xfs")
    parser.add_argument("--state", default="same,other,second")
    parser.add_argument("--command", default=",".join(COMMANDS))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--after", type=float, default=4.0)
    parser.add_argument("--tmp")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0: raise SystemExit("power-cut.py: mounting a disk of its own needs root")
    options.cue = shutil.which(options.cue) or os.path.abspath(options.cue)
    kit = tempfile.mkdtemp(prefix="cue-mute-")
    if options.control:
        with open(os.path.join(kit, "mute.c"), "w") as f: f.write(MUTE)
        options.mute = os.path.join(kit, "mute.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", options.mute, os.path.join(kit, "mute.c"), "-ldl"], check=True)
    series = [(fs, state) for fs in options.fs.split(",") for state in options.state.split(",")]
    shares = [options.cuts // len(series) + (n < options.cuts % len(series)) for n in range(len(series))]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))   # what is mounted is taken down, and what is known is told
    figures = {}
    try:
        for (fs, state), share in zip(series, shares): run(options, fs, state, share, figures)
    finally:
        shutil.rmtree(kit)
        report(options, figures)
    return int((sum(row[3] for row in figures.values()) == 0) == options.control)


def run(options, fs, state, share, figures):
    """So many cuts of one kind of disk."""
    commands, world = options.command.split(","), None
    try:
        for turn in range(share):
            command, is_after = commands[turn % len(commands)], (turn // len(commands)) % 2 == 0
            number = sum(row[0] for row in figures.values()) + 1
            seed = options.seed + number
            if world is None: world = World(options, fs, state, seed)
            world.random.seed(seed)
            wrong, kept = world.cut(command, is_after)
            row = figures.setdefault((fs, state, command), [0, 0, 0, 0])
            figures[fs, state, command] = [row[0] + 1, row[1] + kept, row[2] + bool(wrong), row[3] + len(wrong)]
            for line in wrong: print(f"  cut {number} ({fs}, state {state}, {command}, {'after' if is_after else 'during'}, seed {seed}): {line}", flush=True)
            if sys.stderr.isatty(): print(f"\r{number} cuts", end="", file=sys.stderr)
            if wrong:   # what is hurt would be counted again
                world.close()
                world = None
            else: world.end(command)
    finally:
        if world: world.close()


def report(options, figures):
    print(f"{'disk':5} {'state':7} {'command':8} {'cuts':>5} {'after its end':>14} {'rounds hurt':>12} {'documents hurt':>15}")
    for (fs, state, command), row in sorted(figures.items()):
        print(f"{fs:5} {state:7} {command:8} {row[0]:5} {row[1]:14} {row[2]:12} {row[3]:15}")
    cuts, hurt = (sum(row[n] for row in figures.values()) for n in (0, 3))
    print(f"{cuts} cuts, {hurt} documents hurt; seed {options.seed}{'; the control, which must fail' if options.control else ''}")


if __name__ == "__main__": sys.exit(main())
