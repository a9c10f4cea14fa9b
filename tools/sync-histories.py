#!/usr/bin/env python3
"""Random histories of two or three devices with real folders, driven through the built program.

    sync-histories.py CUE [--histories N] [--seed FIRST] [--jobs N] [--keep]

Devices share a vault, or have a copy each, of which files are carried to the others late, in any order, in part, or torn. They
edit, rename, move and delete files and bundles, make the same edits and the same names, are killed in the middle of a sync, have
clocks that are wrong by days, and answer conflicts at random. Every file begins with a stamp that tells what all of it must be; all
members of a bundle carry the same one, so that a half bundle shows.

What must hold:
  - after every step, each document on a disk is wholly one state; after every sync that ended, no temporary name is left
  - what a sync that ended had found on the disk is in some version of the vault, for ever; so is all that a sync took from a disk
  - no conflict is between equal contents
  - when everything has arrived and every question is answered, all devices have the same tree, folders with the same times and
    modes, and the vault is whole

The vault is read with cue-read.py, which shares no code with cue. Exit code 0: all held; 1: what did not is printed with its seed."""
import argparse, atexit, concurrent.futures, contextlib, hashlib, importlib.util, io, json, os, random, shutil, signal, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)
    return module
reader, trees = load("cue-read"), load("compare-trees")

SECRET = "correct horse battery staple"
FOLDERS = ["", "Drafts", "Letters", "Drafts/Old"]
FILES = ["Note.md", "note.md", "Letter.rtf", "Page.rtfd", "Thing", "Last.txt"]
BUNDLES = ["Novel.rtfd", "Book.scriv", "Page.rtfd", "novel.rtfd"]
MEMBERS = ["TXT.rtf", "one.png", "Files/Data/1/content.rtf", "Files/Data/2/content.rtf", "Settings/list.xml"]
CHURN = "QuickLook/Preview.html"
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *t) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, t);
    char *days = getenv("CUE_TEST_DAYS");
    if (id == CLOCK_REALTIME && days) t->tv_sec += 86400 * atol(days);
    return result;
}
"""

class Broken(Exception): pass

def content(stamp, name, large=False):
    """What a file with this stamp holds."""
    size = int(hashlib.sha256(stamp.encode()).hexdigest()[:4], 16)
    filler = hashlib.shake_256((stamp + name).encode()).hexdigest(size % 1500 if size % 40 else 90000)
    return f"{stamp} {name}\n{filler}\n".encode()

def stamp_of(data): return data.split(b" ", 1)[0].decode(errors="replace")

def members_of(stamp): return MEMBERS[:2 + int(hashlib.sha256(stamp.encode()).hexdigest()[:4], 16) % 4]

def whole(files, kind):
    """The stamp of a document that is wholly one state; files: {member name: bytes}. Raises Broken if it is not."""
    if kind == "file":
        stamp = stamp_of(files[""])
        if files[""] != content(stamp, "file"): raise Broken(f"a file is not what its stamp {stamp} says")
        return "file " + stamp
    files = {name: data for name, data in files.items() if name != CHURN}
    stamps = {stamp_of(data) for data in files.values()}
    if len(stamps) != 1: raise Broken(f"a bundle is of {len(stamps)} states: {sorted(stamps)}")
    stamp = stamps.pop()
    if {n: content(stamp, n) for n in members_of(stamp)} != files: raise Broken(f"a bundle is not what its stamp {stamp} says: {sorted(files)}")
    return "bundle " + stamp

def is_bundle(name): return name.lower().endswith((".rtfd", ".scriv"))

class Device:
    def __init__(self, history, number, vault):
        self.history, self.number, self.name = history, number, f"device {number}"
        self.folder, self.vault = os.path.join(history.root, f"library {number}"), vault
        self.home, self.days, self.stopped = os.path.join(history.root, f"home {number}"), 0, False
        os.makedirs(self.folder)

    def command(self, *arguments):
        environment = {**os.environ, "CUE_HOME": self.home, "CUE_PASSPHRASE": SECRET, "NO_COLOR": "1", "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no"}
        if self.history.options.clock and self.days:
            environment.update(LD_PRELOAD=self.history.options.clock, CUE_TEST_DAYS=str(self.days))
        return subprocess.Popen([self.history.options.cue, *arguments], env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments):
        process = self.command(*arguments)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err.decode(errors="replace")

    # -- The folder
    def documents(self):
        """{path: stamp} of all that is on the disk; raises Broken at a half one."""
        found = {}
        def walk(path):
            for entry in sorted(os.scandir(os.path.join(self.folder, path)), key=lambda e: e.name):
                inner = os.path.join(path, entry.name)
                if inner == ".cue" or entry.name.startswith(".cue-restore-"): continue
                try:
                    if entry.is_file(): found[inner] = whole({"": read(entry.path)}, "file")
                    elif is_bundle(entry.name): found[inner] = whole(files_below(entry.path), "bundle")
                    else: walk(inner)
                except Broken as error: raise Broken(f"{self.name}: {inner}: {error}")
        walk("")
        return found

    def leftovers(self):
        return [name for _, folders, files in os.walk(self.folder) for name in folders + files if name.startswith(".cue-restore-")]

    def place(self, path): return os.path.join(self.folder, path)

    def remove(self, path):
        with contextlib.suppress(FileNotFoundError):
            whole_path = self.place(path)
            shutil.rmtree(whole_path) if os.path.isdir(whole_path) else os.unlink(whole_path)

    def write(self, path, stamp, kind, mtime=None):
        """In place, or beside and renamed, as programs do."""
        place = self.place(path)
        parent = os.path.dirname(place)
        while not os.path.isdir(parent):
            if os.path.lexists(parent): return False
            parent = os.path.dirname(parent)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.isdir(place) != (kind == "bundle") and os.path.lexists(place): self.remove(path)
        if kind == "file":
            aside = place + ".tmp" if self.history.random.random() < .5 else place
            with open(aside, "wb") as file: file.write(content(stamp, "file"))
            if mtime is not None: os.utime(aside, (mtime, mtime))
            os.rename(aside, place)
        else:
            if os.path.isdir(place) and self.history.random.random() < .5: shutil.rmtree(place)
            for name in MEMBERS:
                member = os.path.join(place, name)
                if name in members_of(stamp):
                    os.makedirs(os.path.dirname(member), exist_ok=True)
                    with open(member, "wb") as file: file.write(content(stamp, name))
                elif os.path.exists(member): os.unlink(member)
        return True

def read(path):
    with open(path, "rb") as file: return file.read()

def files_below(folder):
    return {os.path.relpath(os.path.join(parent, name), folder): read(os.path.join(parent, name))
            for parent, _, names in os.walk(folder) for name in names}

class History:
    def __init__(self, seed, options):
        self.seed, self.options, self.random = seed, options, random.Random(seed)
        self.root = tempfile.mkdtemp(prefix=f"cue-history-{seed}-")
        self.stamps, self.must, self.conflicts, self.log = 0, {}, [], []
        self.counts = dict(steps=0, syncs=0, kills=0, conflicts=0, answers=0, damaged=0, refused=0, versions=0, waiting=0, times=0, folders=0)
        self.duration = .15

    def note(self, text): self.log.append(text)

    def start(self):
        r = self.random
        self.copies = r.random() < .5
        count = r.choice([2, 2, 3])
        first = os.path.join(self.root, "vault 1")
        self.devices = []
        for number in range(1, count + 1):
            vault = os.path.join(self.root, f"vault {number}") if self.copies else first
            device = Device(self, number, vault)
            if self.copies and number > 1: shutil.copytree(first, vault)
            code, out, err = device.run("init", device.folder, "--vault", vault, "--name", device.name, "--kdf-memory", "64", "--json")
            if code: raise Broken(f"init of {device.name} ended with {code}: {err} {out.decode(errors='replace')[:600]}")
            if r.random() < .3: device.days = r.choice([-400, -3, 2, 30, 4000])
            self.devices.append(device)
        self.note(f"{count} devices, " + ("copies" if self.copies else "one vault") + f", clocks {[d.days for d in self.devices]}")

    # -- What people do
    def fresh(self, device):
        self.stamps += 1
        return f"s{self.seed}-{device.number}-{self.stamps:05}"

    def mtime(self): return self.random.choice([None, None, None, 0, 1_000_000_000, 4_000_000_000, time.time() + 90_000])

    def edit(self, device):
        r, have = self.random, device.documents()
        paths = sorted(have)
        kind = r.choice(["file", "bundle"])
        where = os.path.join(r.choice(FOLDERS), r.choice(FILES if kind == "file" else BUNDLES))
        what = r.randrange(16)
        if not paths or what < 3:
            stamp = self.fresh(device)
            if device.write(where, stamp, kind, self.mtime()): self.note(f"  {device.name} writes {where} as {stamp}")
            return
        path = r.choice(paths)
        kind = have[path].split()[0]
        if what < 8:
            stamp, keep = self.fresh(device), None
            if kind == "file" and r.random() < .2: keep = os.stat(device.place(path)).st_mtime
            device.write(path, stamp, kind, keep if keep is not None else self.mtime())
            self.note(f"  {device.name} changes {path} to {stamp}")
        elif what < 11:
            target = os.path.join(r.choice(FOLDERS), r.choice([os.path.basename(path), os.path.basename(where)]))
            if is_bundle(target) != is_bundle(path) or os.path.lexists(device.place(target)): return
            if any(os.path.isfile(device.place("/".join(target.split("/")[:n]))) for n in range(1, target.count("/") + 1)): return
            os.makedirs(os.path.dirname(device.place(target)), exist_ok=True)
            os.rename(device.place(path), device.place(target))
            self.note(f"  {device.name} renames {path} to {target}")
        elif what == 11:
            device.remove(path); self.note(f"  {device.name} deletes {path}")
        elif what == 12:
            stamp = self.fresh(device)
            device.remove(path); device.write(path, stamp, kind)
            self.note(f"  {device.name} deletes {path} and makes it anew as {stamp}")
        elif what == 13:
            other = r.choice(self.devices).documents()
            if not other: return
            path = r.choice(sorted(other))
            kind, stamp = other[path].split()
            if device.write(path, stamp, kind): self.note(f"  {device.name} writes {path} as {stamp}, like another")
        elif what == 14:
            source, target = r.choice(["Drafts", "Letters"]), r.choice(["Letters", "Old drafts", "Thing", "Drafts"])
            if os.path.isdir(device.place(source)) and not os.path.lexists(device.place(target)):
                os.rename(device.place(source), device.place(target)); self.note(f"  {device.name} renames the folder {source} to {target}")
        elif what == 15:
            bundles = [p for p in paths if have[p].startswith("bundle") and p.endswith(".scriv")]
            if bundles:
                place = os.path.join(device.place(r.choice(bundles)), CHURN)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "w") as file: file.write(f"window {r.random()}")
                self.note(f"  {device.name} only looks at a bundle")
            elif r.random() < .3: os.makedirs(device.place(r.choice(FOLDERS[1:])), exist_ok=True) if not os.path.lexists(device.place("Drafts")) else None

    # -- Between the copies of the vault
    def carry(self, everything=False):
        if not self.copies: return
        r = self.random
        part = 1 if everything else r.choice([.3, .6, 1])
        pairs = [(a, b) for a in self.devices for b in self.devices if a is not b]
        r.shuffle(pairs)
        for source, target in pairs:
            names = [os.path.relpath(os.path.join(parent, name), source.vault)
                     for parent, _, files in os.walk(source.vault) for name in files]
            names = [n for n in names if not n.startswith("tmp")]
            r.shuffle(names)
            for name in names:
                a, b = os.path.join(source.vault, name), os.path.join(target.vault, name)
                size = os.path.getsize(a)
                if os.path.exists(b) and os.path.getsize(b) >= size or r.random() > part: continue
                os.makedirs(os.path.dirname(b), exist_ok=True)
                if not everything and r.random() < .02:
                    with open(b, "wb") as file: file.write(read(a)[:size // 2])
                    self.note(f"  {name} arrives torn at {target.name}")
                else: shutil.copy(a, b)

    # -- Sync
    def sync(self, device, keep=None, kill=False):
        r, before = self.random, device.documents()
        arguments = ["sync", device.folder, "--json", "--allow-deletions", "--merge"] + (["--keep", keep] if keep else [])
        self.counts["syncs"] += 1
        if r.random() < .1 and self.options.clock: device.days = r.choice([0, -400, 2, 30])
        process, started = device.command(*arguments), time.monotonic()
        if kill:
            time.sleep(r.random() * self.duration * 1.3)
            process.send_signal(signal.SIGKILL)
        try: out, err = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Broken(f"{device.name}: a sync hangs")
        code = process.returncode
        if not kill: self.duration = .8 * self.duration + .2 * (time.monotonic() - started)
        self.note(f"  {device.name} syncs{f' --keep {keep}' if keep else ''}: {code} {err.strip()[:300]}")
        after = device.documents()
        for stamp in set(before.values()) - set(after.values()): self.must.setdefault(stamp, f"was taken from the disk of {device.name}")
        if code == -signal.SIGKILL:
            self.counts["kills"] += 1
            return None
        left = device.leftovers()
        if left: raise Broken(f"{device.name}: left behind after a sync that ended with {code}: {left}")
        if code not in (0, 3, 4, 6) and not (keep and code in (1, 2)):
            raise Broken(f"{device.name}: a sync ended with {code}: {err} {out.decode(errors='replace')[:600]}")
        if code == 6 and not self.copies: raise Broken(f"{device.name}: damage in a vault that nobody damaged: {err}")
        if code in (0, 3, 4):
            for stamp in before.values(): self.must.setdefault(stamp, f"was stored by {device.name}")
            summary = json.loads(out)
            self.counts["conflicts"] += len(summary["conflicts"])
            self.counts["answers"] += len(summary["resolved"])
            self.counts["waiting"] += len(summary["waiting"])
            for conflict in summary["conflicts"]: self.conflicts.append((device.name, conflict))
            self.note("    " + ", ".join(f"{k}: {v}" for k, v in summary.items() if v and k not in ("seconds", "snapshot")))
            return code, summary
        self.counts["damaged" if code == 6 else "refused"] += 1
        return code, None

    def step(self):
        r, device = self.random, self.random.choice(self.devices)
        self.counts["steps"] += 1
        for _ in range(r.choice([0, 1, 1, 2, 5])): self.edit(device)
        if r.random() < .5: self.carry()
        if r.random() < .7:
            self.sync(device, r.choice([None, None, None, "this", "other", "both"]), kill=r.random() < .3)

    def settle(self):
        r, quiet = self.random, 0
        for device in self.devices: device.days = 0
        for number in range(14):
            self.note(f"settling {number}")
            moved = False
            if number < 2: self.carry(everything=True)
            for device in self.devices:
                # At first all answer at once, behind each other's backs.
                if number >= 2: self.carry(everything=True)
                before = device.documents()
                result = self.sync(device, r.choice(["this", "other", "both"]) if number < 5 else "both")
                code, summary = result
                if code != 0 or summary["resolved"] or summary["stored"] or summary["received"] or summary["renamed"] or summary["removed"] or summary["removed_from_vault"] or before != device.documents(): moved = True
            if not moved: return
        raise Broken(f"it does not come to rest: {summary and {k: v for k, v in summary.items() if v}}")

    def compare(self):
        one = self.devices[0]
        for other in self.devices[1:]:
            a, b = os.fsencode(one.folder), os.fsencode(other.folder)
            ea, eb = trees.entries(a), trees.entries(b)
            for path in sorted(ea.keys() | eb.keys()):
                if path not in ea or path not in eb:
                    place = os.path.join(a if path in ea else b, path)
                    if not (os.path.isdir(place) and not any(names for _, _, names in os.walk(place))):
                        raise Broken(f"{path!r} is only on one of {one.name} and {other.name}")
                    # A folder that was not empty when it was deleted elsewhere stays.
                    self.counts["folders"] += 1
                    continue
                folder = os.path.isdir(os.path.join(a, path))
                found = list(trees.differences(os.path.join(a, path), os.path.join(b, path), ea[path], eb[path], folder and not is_bundle(path.decode())))
                if folder and not is_bundle(path.decode()) and found:
                    raise Broken(f"the folder {path!r} differs between {one.name} and {other.name}: {found}")
                # Two documents that were found to hold the same stay as they are, each with its own time.
                self.counts["times"] += any(f.startswith("time was") for f in found)
                found = [f for f in found if not f.startswith("time was")]
                if found: raise Broken(f"{path!r} differs between {one.name} and {other.name}: {found}")

    def read_vault(self):
        """{version id: stamp, or nothing for a deletion or folder} of every version that there is, read without cue."""
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            reader.codes.clear(); reader.codes.add(0)
            vault = reader.Vault(self.devices[0].vault, SECRET.encode())
            found = {}
            for id, version in vault.versions.items():
                stamp = None
                if not version.flags & reader.TOMBSTONE and version.kind in (reader.FILE, reader.BUNDLE):
                    files = {path.decode(): b"".join(vault.chunk(c) for c in m.chunks)
                             for path, m in vault.members(version).items() if m.kind == reader.FILE}
                    try: stamp = whole(files, "file" if version.kind == reader.FILE else "bundle")
                    except Broken as error: raise Broken(f"the version {id.hex()} of {version.path!r} is not whole: {error}")
                found[id.hex()] = stamp
            if errors.getvalue(): raise Broken(f"the vault is not whole: {errors.getvalue()}")
        return found

    def verify(self):
        versions = self.read_vault()
        self.counts["versions"] = len(versions)
        have = set(versions.values())
        for stamp, why in self.must.items():
            if stamp not in have: raise Broken(f"{stamp} {why}, and is in no version")
        for name, conflict in self.conflicts:
            sides = [versions[identity(v["version"])] if not v["deleted"] else "deleted" for v in conflict["versions"]]
            if len(set(sides)) < len(sides): raise Broken(f"{name} was asked about equals: {conflict} {sides}")

    def run(self):
        try:
            self.start()
            for _ in range(self.random.randrange(8, 22)): self.step()
            self.settle()
            self.compare()
            self.verify()
        except Broken as error:
            return f"seed {self.seed}: {error}"
        except Exception as error:
            import traceback
            return f"seed {self.seed}: {traceback.format_exc()}"
        return None

def identity(version):
    commit, number = version.split("-")
    return commit + f"{int(number):08x}"

def clock_library():
    """A library that moves the clock of a program; None where it cannot be built."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler or sys.platform != "linux": return None
    folder = tempfile.mkdtemp(prefix="cue-clock-")
    atexit.register(shutil.rmtree, folder, True)
    path = os.path.join(folder, "clock.so")
    built = subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", path, "-ldl"], input=CLOCK.encode(), capture_output=True)
    return path if built.returncode == 0 else None

def one(job):
    history = History(*job)
    problem = history.run()
    if problem and history.options.keep: history.note(history.root)
    else: shutil.rmtree(history.root, ignore_errors=True)
    return history.counts, problem, "\n".join(history.log)

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cue"); p.add_argument("--histories", type=int, default=5); p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=4); p.add_argument("--keep", action="store_true", help="leave the folders of what broke")
    o = p.parse_args()
    o.cue, o.clock = os.path.abspath(o.cue), clock_library()
    total, broken, started = {}, 0, time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(o.jobs) as pool:
        for counts, problem, log in pool.map(one, ((seed, o) for seed in range(o.seed, o.seed + o.histories))):
            for name, count in counts.items(): total[name] = total.get(name, 0) + count
            if problem:
                broken += 1
                print(problem, flush=True)
                if broken <= 10: print(log, flush=True)
    print(f"{o.histories} histories, {broken} broken, {time.monotonic() - started:.0f} s, clocks {'moved' if o.clock else 'not moved'}: "
          + ", ".join(f"{count} {name}" for name, count in total.items()))
    sys.exit(1 if broken else 0)

if __name__ == "__main__": main()
