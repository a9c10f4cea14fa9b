#!/usr/bin/env python3
"""Cuts the power of a library's disk during and after the commands that write to it, and compares all documents.

    power-cut.py [--model] [--cue PROGRAM] [--cuts N] [--fs ext4,xfs] [--state same,other,second]
                 [--command sync,watch,...] [--seed N] [--after S] [--control] [--keep]

Needs root: device B's library lies on a file system in an image, which is shut down without a flush (the ioctl that
xfs_io's `shutdown` uses), as by a power cut, at a random moment of the command or up to S seconds after its end. Then
the disk is mounted again, both devices sync, and every document on both must be whole and right: a command that had
ended with 0 must have kept its word, and one that had not must have left each document as it was before or after.

--model      needs no root: the disk is a folder, and chance decides what the cut leaves of it (see below)
--fs         file systems of B's disk; for the model journal and folders
--state      where B's memory is: on the same disk, on another that is not cut (whatever it was told stays), or on a
             second one that is cut at the same moment
--command    sync, many (a sync of 300 documents that come and 300 that go), watch, restore, overwrite (a restore over
             work that no version holds), back (restore --undo), folder (a restore to a plain folder), resolve, undo
--control    leaves out all calls that make B's library durable (a library put before the C library's): must fail
Exit code 0: no document was hurt, 1: some were (with --control: none were). The figures are printed as a table.

The model. tools/power-cut.c, put before the C library, records what the command does to the disk, call by call and in
order, and stops the program at a random call, or it ends. Everything that an fsync, fdatasync or syncfs covers is on
the disk. Each later change is there or not:
- journal: names, sizes, modes and times are lost from some change on, in their order, as on ext4 and xfs. An fsync
  covers all changes up to the last one of its file or folder.
- folders: the names in each folder are lost from a change of its own on, and only the folder's own fsync covers them.
  A rename from folder to folder is one change of both, and a folder is removed after the names in it. No mode or time
  is lost: a file that has its name and not yet its mode, which no journal leaves, is in the way of the next restore.
- in both, each file has its own moment after which what was written to it is lost, and sometimes each sector of 512
  bytes: a file may be empty, short, have holes, or be partly the old one.
The disk is then put in that state with the same inodes: what was removed is kept aside with its inode. All change times
are new, so cue reads every file again and its content decides. So a file that is cut short is not told as damaged by
its size (`StatKey.isDamaged`): the model is stricter there than a disk. And a bundle that was just replaced is not known
by its times as one that is in the vault, so it may stay beside the new one, "(kept by sync)": the model counts those, and
on a disk they hurt. Left out: extended attributes, memory that a
program maps and writes to (SQLite's -shm goes), file systems that lose a rename by halves, disks that lie. Times and
threads are those of the machine, so a seed repeats the choices and not always the moments. A call that cue makes and
power-cut.c does not know stops the tool: the record must lead to the disk as it is.
"""
import argparse, fcntl, hashlib, json, os, random, re, shutil, signal, stat, struct, subprocess, sys, tempfile, time

SHUTDOWN, WITHOUT_FLUSH = 0x8004587D, 2
EXCHANGE = 2   # RENAME_EXCHANGE
COMMANDS = ["sync", "many", "watch", "restore", "overwrite", "back", "folder", "resolve", "undo"]


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

    def settle(self): os.sync()

    def cut(self):
        f = os.open(self.place, os.O_RDONLY)
        fcntl.ioctl(f, SHUTDOWN, struct.pack("I", WITHOUT_FLUSH))
        os.close(f)

    def come_back(self):
        self.close()
        self.mount()

    def close(self):
        for _ in range(100):
            if subprocess.run(["umount", self.place], capture_output=True).returncode == 0: return
            time.sleep(0.05)
        raise SystemExit(f"{self.place} cannot be unmounted")


class Node:
    """A file, a folder or a link as it was when everything was durable, and what was done to it since."""

    def __init__(self, mode, data=b"", names=(), modified=None):
        self.mode, self.data, self.names, self.modified = mode, data, dict(names), modified
        self.now = bytearray(data) if stat.S_ISREG(mode) else b""
        self.writes = []            # (number of the change, offset or None for a new size, bytes or size, time)
        self.attributes = []        # (number, mode, time)
        # The numbers of the last change, of the last that an fdatasync waits for too, and of the last that is durable.
        self.changed = self.grown = self.durable = -1


class Model:
    """A folder that stands for a disk: see above. Its log is read when the power is cut."""
    SECTOR = 512

    def __init__(self, folder, name, kind, chance):
        self.place, self.log, self.hold = (os.path.join(folder, n) for n in (name, "log", "hold"))
        self.is_journal, self.random = kind == "journal", chance
        os.mkdir(self.place)

    def settle(self):
        shutil.rmtree(self.hold, ignore_errors=True)
        os.mkdir(self.hold)
        open(self.log, "wb").close()
        self.nodes = {}
        self.root = self.scan(self.place)

    def scan(self, path):
        info = os.lstat(path)
        if info.st_ino in self.nodes: return info.st_ino
        if stat.S_ISDIR(info.st_mode): node = Node(info.st_mode, names={n: self.scan(os.path.join(path, n)) for n in os.listdir(path)})
        elif stat.S_ISLNK(info.st_mode): node = Node(info.st_mode)
        else: node = Node(info.st_mode, open(path, "rb").read())
        node.modified = info.st_mtime_ns
        self.nodes[info.st_ino] = node
        return info.st_ino

    def cut(self):
        """Stops the program between two calls."""
        self.file = open(self.log, "r+b")
        fcntl.lockf(self.file, fcntl.LOCK_EX)

    def close(self): pass

    def entries(self):
        log, at = open(self.log, "rb").read(), 0
        while at < len(log):
            kind, a, b, c, time, first, second = struct.unpack_from("=c7x6Q", log, at)
            at += 56 + first + second
            yield kind.decode(), a, b, c, time, log[at - first - second:at - second], log[at - second:at]

    def ticks(self): return 2 * sum(1 for _ in self.entries())

    def read_log(self):
        """Notes each change, and up to which change each file and folder is durable. `names` are those at the cut."""
        nodes = self.nodes
        self.names = {i: dict(n.names) for i, n in nodes.items() if stat.S_ISDIR(n.mode)}
        self.changes, self.journalled, self.last = [], -1, -1
        for number, (kind, a, b, c, time, first, second) in enumerate(self.entries()):
            self.last = number
            if kind == "-" or a not in nodes and b not in nodes: continue   # another disk, or none
            if kind in "cl":
                if kind == "c":
                    nodes[b] = Node(c, modified=time)
                    if stat.S_ISDIR(c): self.names[b] = {}
                self.rename(number, [(a, os.fsdecode(first), b)])
            elif kind == "u": self.rename(number, [(a, os.fsdecode(first), None)], gone=self.names[a][os.fsdecode(first)])
            elif kind == "r":
                old, new = os.fsdecode(first), os.fsdecode(second)
                moved, other = self.names[a][old], self.names[b].get(new)
                if moved == other: continue
                if c == EXCHANGE: self.rename(number, [(a, old, other), (b, new, moved)])
                else: self.rename(number, [(a, old, None), (b, new, moved)], gone=other)
            elif kind == "a":
                nodes[a].attributes.append((number, b, c))
                nodes[a].changed = number
            elif kind in "wt":
                node = nodes[a]
                node.writes.append((number, b if kind == "w" else None, first if kind == "w" else b, time))
                size = len(node.now)
                put(node.now, *node.writes[-1][1:3])
                if len(node.now) != size: node.changed = node.grown = number
            elif kind == "f":
                self.journalled = number
                for node in nodes.values(): node.durable = number
            else:
                node = nodes[a]
                node.durable = number
                self.journalled = max(self.journalled, node.changed if kind == "s" else node.grown)

    def rename(self, number, names, gone=None):
        """One change of names. It hangs on the folders of both, and on one that goes: that was empty."""
        folders = {folder for folder, _, _ in names} | ({gone} & self.names.keys())
        self.changes.append((number, folders, names))
        for inode in folders | {new for _, _, new in names} | {gone}:
            if inode is not None: self.nodes[inode].changed = self.nodes[inode].grown = number
        give(self.names, names)

    def check(self):
        """Stops if the log does not lead to the folder as it is: a call is not recorded, and the model would show nothing."""
        def look(inode, path):
            info = os.lstat(path)
            node = self.nodes[inode]
            right = info.st_ino == inode
            if stat.S_ISDIR(node.mode):
                right = right and sorted(os.listdir(path)) == sorted(self.names[inode])
                if right:
                    for name, inner in self.names[inode].items(): look(inner, os.path.join(path, name))
            elif stat.S_ISREG(node.mode) and not path.endswith("-shm"): right = right and open(path, "rb").read() == node.now
            if not right: raise RuntimeError(f"{path} is not what the recorded calls make of it")
        look(self.root, self.place)

    def come_back(self):
        """Takes the folder apart and builds from the same inodes what the cut left."""
        self.file.close()
        self.read_log()
        self.check()
        for parent, folders, files in os.walk(self.place, topdown=False):
            for name in files + folders:
                path = os.path.join(parent, name)
                kept = os.path.join(self.hold, str(os.lstat(path).st_ino))
                if os.path.lexists(kept): os.unlink(path)
                else: os.rename(path, kept)
        self.choose()
        self.build(self.root, self.place, self.survivors())

    def choose(self):
        """For each file and folder the number of the last change that is left: of its names, and of its content."""
        kinds = ["none", "all", "some"]
        def moment(durable, much):
            much = self.random.choice(kinds) if much == "each" else much
            return {"none": durable, "all": self.last, "some": self.random.randint(durable, self.last)}[much]
        names, contents = self.random.choice(kinds if self.is_journal else kinds + ["each"]), self.random.choice(kinds + ["each"])
        journal = moment(self.journalled, names)
        self.moments = {i: journal if self.is_journal else moment(n.durable, names) for i, n in self.nodes.items()}
        self.contents = {i: moment(n.durable, contents) for i, n in self.nodes.items()}
        if self.is_journal: return
        durable = {i: n.durable for i, n in self.nodes.items()}
        for number, folders, _ in reversed(self.changes):
            if any(number <= durable[f] for f in folders): durable |= {f: max(durable[f], number) for f in folders}
        self.moments = {i: max(moment, durable[i]) for i, moment in self.moments.items()}
        for number, folders, _ in self.changes:
            if any(number > self.moments[f] for f in folders): self.moments |= {f: min(self.moments[f], number - 1) for f in folders}

    def survivors(self):
        names = {i: dict(n.names) for i, n in self.nodes.items()}
        for number, folders, changes in self.changes:
            if all(number <= self.moments[f] for f in folders): give(names, changes)
        return names

    def build(self, inode, path, names):
        for name, inner in names[inode].items():
            node, place, kept = self.nodes[inner], os.path.join(path, name), os.path.join(self.hold, str(inner))
            if name.endswith("-shm"): continue   # memory that SQLite shares; the log has not what is written to it
            if stat.S_ISDIR(node.mode):
                os.chmod(kept, 0o700)
                os.rename(kept, place)
                self.build(inner, place, names)
            else: os.link(kept, place, follow_symlinks=False)
            if node.writes:
                os.chmod(place, 0o600)
                with open(place, "wb") as f: f.write(self.content(inner))
            last = max(self.moments[inner], node.durable) if self.is_journal else self.last
            mode, modified = node.mode, node.modified
            for number, *what, time in sorted(node.writes + node.attributes):
                if number <= last: mode, modified = what[0] if len(what) == 1 else mode, time
            if not stat.S_ISLNK(mode): os.chmod(place, stat.S_IMODE(mode))
            os.utime(place, ns=(modified, modified), follow_symlinks=False)

    def content(self, inode):
        node, moment = self.nodes[inode], self.contents[inode]
        data, sectors, is_torn = bytearray(node.data), {}, self.random.random() < 0.2
        for number, offset, value, _ in node.writes:
            if offset is None:
                if number <= max(self.moments[inode], node.durable): put(data, None, value)
                continue
            at = 0
            while at < len(value):
                sector, inner = divmod(offset + at, self.SECTOR)
                piece = value[at:at + self.SECTOR - inner]
                if is_torn and sector not in sectors: sectors[sector] = self.random.choice([node.durable, moment])
                if number <= sectors.get(sector, moment): put(data, offset + at, piece)
                at += len(piece)
        return data


def give(names, changes):
    """Gives names in folders to other files, or to none."""
    for folder, name, inode in changes:
        if inode is None: del names[folder][name]
        else: names[folder][name] = inode


def put(data, offset, value):
    """Writes into a file's bytes, or gives it a size."""
    if offset is None:
        del data[value:]
        data.extend(bytes(value - len(data)))
    else:
        data.extend(bytes(max(0, offset - len(data))))
        data[offset:offset + len(value)] = value


class World:
    """Two devices with one vault. A's disk is safe; B's is cut."""

    def __init__(self, options, kind, state, seed):
        self.o, self.random = options, random.Random(seed)
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="cue-power-cut-", dir=options.tmp))
        names = ["disk", "memory"] if state == "second" else ["disk"]
        self.disks = [Model(self.folder, n, kind, self.random) if options.model else Disk(self.folder, n, kind) for n in names]
        self.b = os.path.join(self.disks[0].place, "B")
        home = {"same": self.disks[0].place, "other": self.folder, "second": self.disks[-1].place}[state]
        self.a, self.vault = (os.path.join(self.folder, n) for n in ("A", "vault"))
        for path in (self.a, self.b): os.mkdir(path)
        base = dict(os.environ, CUE_PASSPHRASE="x", NO_COLOR="1", SWIFT_BACKTRACE="enable=no")
        self.env_a = dict(base, CUE_HOME=os.path.join(self.folder, "home-a"))
        self.env_b = dict(base, CUE_HOME=os.path.join(home, "home-b"))
        self.count, self.written, self.beside = 0, {}, []
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
        for disk in self.disks: disk.close()
        if not self.o.keep: shutil.rmtree(self.folder)

    def settle(self):
        for disk in self.disks: disk.settle()

    def run(self, env, *arguments): return subprocess.run([self.o.cue, *arguments], env=env, capture_output=True, text=True)

    def must(self, env, *arguments, codes=(0,)):
        done = self.run(env, *arguments)
        if done.returncode not in codes:
            raise RuntimeError(f"cue {' '.join(arguments)}: exit {done.returncode}: {done.stderr}{done.stdout}")
        return done

    def start(self, *arguments, at=0):
        """A command of B, whose disk is cut; in the control without what makes its library durable. The model stops it at a call."""
        env = dict(self.env_b)
        if self.o.library: env |= {"LD_PRELOAD": self.o.library, "CUT_WORLD": self.folder}
        if self.o.control: env["CUT_MUTE"] = "1"
        if self.o.model: env |= {"CUT_LOG": self.disks[0].log, "CUT_AT": str(at)}
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
        moment = self.random.uniform(0, self.o.after) if is_after and not self.o.model else 0
        at = self.random.randint(1, self.duration(command)) if self.o.model and not is_after else 0
        self.process = process = self.start(*arguments, at=at)
        if command == "watch":
            # A brings its work while the watcher runs; it is told that it has all by its own folder.
            limit = time.monotonic() + (20 if is_after or self.o.model else self.random.uniform(0, 4))
            while time.monotonic() < limit and process.poll() is None and not self.has_all(after[self.b]): time.sleep(0.01)
            code = None
            time.sleep(moment)
        elif is_after or self.o.model:
            code = process.wait(timeout=120)
            if code not in (0, 3, 4) and is_after: raise RuntimeError(f"cue {' '.join(arguments)} ended with {code}")
            time.sleep(moment)
        else:
            time.sleep(self.random.uniform(0, self.duration(command)))
            code = process.poll()
        took = time.monotonic() - began - moment
        for disk in self.disks: disk.cut()
        if process.poll() is None: process.kill()
        process.wait()
        if is_after: self.durations[command] = self.disks[0].ticks() if self.o.model else took
        for disk in self.disks: disk.come_back()
        # A conflict that was resolved, or is open again, is a promise once the command has ended; else either may be.
        kept = is_after and code is not None
        return self.compare(command, before, after, kept), kept

    def has_all(self, wanted):
        try: return documents(self.b)[0] == wanted
        except FileNotFoundError: return False   # it is being placed

    durations = {}

    def duration(self, command):
        """How long it took, in seconds; in the model, in halves of its calls."""
        return self.durations.get(command, 200 if self.o.model else 0.5)

    def compare(self, command, before, after, is_kept):
        hurt = []
        if command == "folder":
            found, _ = documents(os.path.join(self.disks[0].place, "out"))
            wanted = before[self.a]
            hurt += [f"out: {p} is not whole" for p, d in found.items() if wanted.get(p) != d]
            if is_kept: hurt += [f"out: {p} is missing" for p in wanted if p not in found]
            again = self.run(self.env_b, "restore", "--vault", self.vault, "--to", os.path.join(self.disks[0].place, "out"))
            found, drafts = documents(os.path.join(self.disks[0].place, "out"))
            if again.returncode or found != wanted: hurt.append(": ".join(["out: the next restore does not complete it"] + again.stderr.splitlines()[:1]))
            hurt += [f"draft left: {d}" for d in drafts]
            shutil.rmtree(os.path.join(self.disks[0].place, "out"), ignore_errors=True)
            return hurt
        for env, root in ((self.env_b, self.b), (self.env_a, self.a), (self.env_b, self.b)):
            self.must(env, "sync", root, "--allow-deletions", codes=(0, 3, 4))
        for root in (self.a, self.b):
            found, drafts = documents(root)
            hurt += [f"draft left: {d}" for d in drafts]
            states = [after[root]] if is_kept or command in ("sync", "many", "watch") else [before[root], after[root], after[self.a], after[self.b]]
            for path in sorted(set(found).union(*states)):
                if self.o.model and self.is_beside(path, found, before[root]):
                    self.beside.append(f"{os.path.basename(root)}: {path} stays beside")
                    continue
                if found.get(path) not in [s.get(path) for s in states]:
                    what = "is missing" if path not in found else "should be gone" if not any(path in s for s in states) else "is not what it was"
                    empty = path in found and os.path.isfile(os.path.join(root, path)) and os.path.getsize(os.path.join(root, path)) == 0
                    hurt.append(f"{os.path.basename(root)}: {path} {what}{' (empty)' if empty else ''}")
        return hurt

    @staticmethod
    def is_beside(path, found, before):
        """Whether a path is a bundle that was replaced, as it was, under the name that cue gives what it cannot prove."""
        home = re.sub(r" \(kept by (sync|restore)( \d+)?\)(?=\.scriv$)", "", path)
        return home != path and path not in before and home in before and found.get(path) == before[home]

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

    def prepare_overwrite(self):
        """B takes documents back to what they were, over work that it has not stored."""
        _, after, arguments = self.prepare_restore()
        for path in arguments[1:5]: self.edit(self.b, path)
        edited = documents(self.b)[0]
        return {self.a: edited, self.b: edited}, after, [*arguments, "--overwrite"]

    def prepare_back(self):
        """B takes documents back, over work that it has not stored, and then takes the restore back."""
        before, restored, arguments = self.prepare_overwrite()
        self.settle()
        self.must(self.env_b, *arguments)
        return {self.a: restored[self.b], self.b: restored[self.b]}, before, ["restore", "--undo", "--library", self.b]

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
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--fs")
    parser.add_argument("--state", default="same,other,second")
    parser.add_argument("--command", default=",".join(COMMANDS))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--after", type=float, default=4.0)
    parser.add_argument("--tmp")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.fs = options.fs or ("journal,folders" if options.model else "ext4,xfs")
    if not options.model and os.geteuid() != 0: raise SystemExit("power-cut.py: mounting a disk of its own needs root; --model needs none")
    options.cue = shutil.which(options.cue) or os.path.abspath(options.cue)
    kit, options.library = tempfile.mkdtemp(prefix="cue-cut-"), None
    if options.control or options.model:
        options.library = os.path.join(kit, "power-cut.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "power-cut.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", options.library, source, "-ldl"], check=True)
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
            for line in wrong + world.beside: print(f"  cut {number} ({fs}, state {state}, {command}, {'after' if is_after else 'during'}, seed {seed}): {line}", flush=True)
            world.beside.clear()
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
