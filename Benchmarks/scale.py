#!/usr/bin/env python3
"""How cue grows: with files, with commits, with the size of one file, with chunks.

    scale.py --cue PATH [--files 1000,10000,100000] [--commits 1,10,100,1000] [--large-gib N] [--chunks N] [--json FILE]

Libraries of files of 2 KiB, a hundred to a folder. Every commit edits three files of the smallest library. What is measured are
whole processes: wall time, user + system time, and peak memory (wait4). A new device is a new state folder: it joins with an
empty folder (`init`), looks at the vault for the first time (`backup` of that folder), and restores everything elsewhere.
With strace it is also counted which objects of the vault are read, and how many bytes.

--large-gib N   one file of N GiB of random bytes
--chunks N      a vault with about N/4 chunks, and then N, and what one more chunk costs in memory (takes 16 KiB of disk a chunk)
"""
import argparse, json, os, random, re, shutil, sqlite3, subprocess, sys, tempfile, time
from peers import MIB, human, machine, measure, mib

STEPS = {"first": "first backup", "again": "nothing changed", "find": "find", "init": "join: init", "look": "join: first look", "restore": "restore all", "check": "check"}
KDF = ["--kdf-memory", "64"]   # the least that is allowed: so that peaks are about the rest

class Scene:
    """A vault, and devices that use it. A device is a state folder and a library."""
    def __init__(self, cue, top):
        self.cue, self.top, self.vault = cue, top, top + "/vault"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("CUE_", "XDG_"))} | {"CUE_PASSPHRASE": "correct horse battery"}
        self.strace = shutil.which("strace")

    def library(self, device): return f"{self.top}/{device}/library"

    def command(self, device, *arguments):
        os.makedirs(self.library(device), exist_ok=True)
        return [self.cue, *arguments, "--quiet"], self.env | {"CUE_HOME": f"{self.top}/{device}/state"}

    def run(self, device, *arguments):
        command, env = self.command(device, *arguments)
        return measure(command, env, self.top)

    def init(self, device): return self.run(device, "init", self.library(device), "--vault", self.vault, *KDF)
    def backup(self, device): return self.run(device, "backup", self.library(device))

    def reads(self, device, *arguments):
        """How many objects of the vault a command reads, and how many bytes; None without strace."""
        if not self.strace: return None
        command, env = self.command(device, *arguments)
        log = self.top + "/strace"
        subprocess.run([self.strace, "-f", "-qq", "-y", "-s", "0", "-e", "trace=read,pread64,preadv", "-o", log, *command], env=env, stdout=subprocess.DEVNULL, check=True)
        objects, total = set(), 0
        with open(log, errors="replace") as f:
            for line in f:
                m = re.search(r"(?:read|pread64|preadv)\(\d+<([^>]*)>.* = (\d+)$", line)
                if m and m[1].startswith(self.vault + "/"): objects.add(m[1]); total += int(m[2])
        return {"objects": len(objects), "bytes": total}

    def remove(self, device): subprocess.run(["rm", "-rf", f"{self.top}/{device}"], check=True)

    def new_device(self, name):
        """What a device that knows nothing pays. Nothing is removed: ext4 is slow for a minute where many files were."""
        result = {"init_reads": self.reads(name + " traced", "init", self.library(name + " traced"), "--vault", self.vault)}
        result |= {"init": self.init(name), "look": self.backup(name)}
        return result | {"restore": self.run(name, "restore", "--vault", self.vault, "--to", f"{self.top}/{name}/restored")}

def make_files(root, count):
    rnd = random.Random(f"scale {count}")
    for k in range(count):
        shelf = f"{root}/Shelf {k // 100:04d}"
        if k % 100 == 0: os.makedirs(shelf)
        with open(f"{shelf}/Document {k:06d}.md", "wb") as f: f.write(rnd.randbytes(1024).hex().encode())

def row(scene, files, commits):
    library = scene.library("first")
    result = {"files": files, "commits": commits, "again": scene.backup("first")}
    result["find"] = measure([shutil.which("find"), library, "-printf", "%s %T@ %i\n"], scene.env, scene.top)
    result["again_reads"] = scene.reads("first", "backup", library)
    result |= scene.new_device(f"second {commits}")
    result["check"] = scene.run("first", "check", "--vault", scene.vault)
    result["vault"] = {n: sum(len(f) for _, _, f in os.walk(f"{scene.vault}/{n}")) for n in ("packs", "log", "checkpoints")}
    return result

def growth(cue, work, files, commits):
    """The rows of the table: libraries of several sizes with one commit; then the smallest, with more and more commits."""
    rows, base = [], tempfile.mkdtemp(prefix="cue-scale-", dir=work)
    try:
        for number, count in enumerate(files):
            scene, done, rnd = Scene(cue, f"{base}/{count}"), 1, random.Random("edits")
            make_files(scene.library("first"), count)
            scene.init("first"); time.sleep(.3)   # what was written just now would be looked at again
            first = scene.backup("first")
            rows.append(row(scene, count, 1) | {"first": first})
            print(f"{count:,} files", file=sys.stderr)
            for wanted in [c for c in commits if c > 1] if number == 0 else []:
                for done in range(done + 1, wanted + 1):
                    for k in rnd.sample(range(count), 3):
                        with open(f"{scene.library('first')}/Shelf {k // 100:04d}/Document {k:06d}.md", "a") as f: f.write(f"\nEdit {done}\n")
                    scene.backup("first")
                rows.append(row(scene, count, done))
                print(f"{count:,} files, {done:,} commits", file=sys.stderr)
    finally: subprocess.run(["rm", "-rf", base], check=True)
    return rows

def large(cue, work, gib):
    top = tempfile.mkdtemp(prefix="cue-scale-", dir=work)
    try:
        scene, rnd = Scene(cue, top), random.Random("large")
        os.makedirs(scene.library("first"))
        with open(scene.library("first") + "/Recording.wav", "wb") as f:
            for _ in range(int(gib * 1024)): f.write(rnd.randbytes(MIB))
        scene.init("first"); time.sleep(.3); subprocess.run(["sync"])
        result = {"first": scene.backup("first"), "again": scene.backup("first")}
        subprocess.run(["sync"])
        result["restore"] = scene.run("first", "restore", "--vault", scene.vault, "--to", top + "/restored")
        if subprocess.run(["cmp", scene.library("first") + "/Recording.wav", top + "/restored/Recording.wav"]).returncode: sys.exit("the restored file differs")
        return result | {"check": scene.run("first", "check", "--vault", scene.vault, "--read-data")}
    finally: subprocess.run(["rm", "-rf", top], check=True)

def chunks(cue, work, count):
    """Devices come, bring files of 4 MiB that no other has, and go; one stays and is measured. So the disk holds little beside the vault."""
    top = tempfile.mkdtemp(prefix="cue-scale-", dir=work)
    try:
        scene, rnd, files, per_file = Scene(cue, top), random.Random("chunks"), 0, 4 * MIB // (36 << 10)
        make_files(scene.library("first"), 100)
        scene.init("first"); time.sleep(.3); scene.backup("first")
        points = []
        for wanted in (count // 4, count):
            while files * per_file < wanted:
                piece = min(256, (wanted - files * per_file) // per_file + 1)
                for k in range(files, files + piece):
                    path = f"{scene.library('guest')}/File {k:06d}.hex"
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "w") as f: f.write(rnd.randbytes(2 * MIB).hex())
                scene.init("guest"); scene.backup("guest"); scene.remove("guest")
                files += piece
                print(f"{files:,} files of 4 MiB", file=sys.stderr)
            point = {"learn": scene.backup("first"), "again": scene.backup("first")}   # what the others brought; then nothing
            for store in [d + "/store.db" for d, _, n in os.walk(f"{top}/first/state") if "store.db" in n]:
                with sqlite3.connect(store) as db: point["chunks"] = db.execute("SELECT sum(count) FROM segment").fetchone()[0]
            with open(scene.library("first") + "/Shelf 0000/Document 000001.md", "a") as f: f.write(f"edit {wanted}")
            point["edit"] = scene.backup("first")
            point["init"], point["look"] = scene.init("second"), scene.backup("second")
            point["restore one"] = scene.run("second", "restore", "Document 000002.md", "--vault", scene.vault, "--to", top + "/restored")
            point["check"] = scene.run("second", "check", "--vault", scene.vault)
            scene.remove("second"); shutil.rmtree(top + "/restored")
            points.append(point)
        a, b = points
        grows = {k: (b[k]["memory"] - a[k]["memory"]) / (b["chunks"] - a["chunks"]) for k in a if k != "chunks"}
        return {"points": points, "bytes_a_chunk": grows}
    finally: subprocess.run(["rm", "-rf", top], check=True)

def cell(x): return f"{human(x['wall'])} / {human(x['cpu'])} / {x['memory'] / MIB:.0f}" if x else "–"

def table(title, head, rows):
    print(f"\n{title}\n")
    for line in [head, ["---"] + ["--:"] * (len(head) - 1), *rows]: print("| " + " | ".join(line) + " |")

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cue", required=True); p.add_argument("--work", help="where to work")
    p.add_argument("--files", default="1000,10000,100000"); p.add_argument("--commits", default="1,10,100,1000")
    p.add_argument("--large-gib", type=float, default=0); p.add_argument("--chunks", type=int, default=0); p.add_argument("--json", metavar="FILE")
    o = p.parse_args()
    cue, numbers = os.path.abspath(o.cue), lambda text: sorted(int(x) for x in text.split(",") if x)
    result = {"date": time.strftime("%Y-%m-%d"), "machine": machine(), "growth": growth(cue, o.work, numbers(o.files), numbers(o.commits))}
    rows = result["growth"]
    if rows:
        table("Wall / CPU / peak memory in MiB", ["files", "commits", *STEPS.values()], [[f"{r['files']:,}", f"{r['commits']:,}", *(cell(r.get(s)) for s in STEPS)] for r in rows])
        def read(x): return f"{x['objects']:,} ({mib(x['bytes'])})" if x else "–"
        table("What a device reads of the vault: objects (bytes)", ["files", "commits", "packs", "log", "checkpoints", "nothing changed", "join: init"],
              [[f"{r['files']:,}", f"{r['commits']:,}", *(f"{r['vault'][n]:,}" for n in ("packs", "log", "checkpoints")), read(r["again_reads"]), read(r["init_reads"])] for r in rows])
    if o.large_gib:
        result["large_gib"], result["large"] = o.large_gib, large(cue, o.work, o.large_gib)
        table(f"One file of {o.large_gib:g} GiB", ["step", "wall / CPU / MiB"], [[s, cell(result["large"][k])] for k, s in (("first", "first backup"), ("again", "nothing changed"), ("restore", "restore"), ("check", "check, all data read"))])
    if o.chunks:
        result["chunks"] = chunks(cue, o.work, o.chunks)
        a, b = result["chunks"]["points"]
        names = {"learn": "learns of new chunks", "again": "nothing changed", "edit": "a small edit", "init": "join: init", "look": "join: first look", "restore one": "restore of one file", "check": "check"}
        table("Memory and chunks: wall / CPU / MiB", ["step", f"{a['chunks']:,} chunks", f"{b['chunks']:,} chunks", "bytes a chunk more"], [[s, cell(a[k]), cell(b[k]), f"{result['chunks']['bytes_a_chunk'][k]:.0f}"] for k, s in names.items()])
    if o.json:
        with open(o.json, "w") as f: f.write(json.dumps(result, indent=1) + "\n")

if __name__ == "__main__": main()
