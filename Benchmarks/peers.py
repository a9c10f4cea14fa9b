#!/usr/bin/env python3
"""cue and its peers side by side, on the same work, in one run.

    peers.py --cue PATH [--tools cue,restic,borg,rclone] [--workloads writer,small,large] [--rounds 3]
             [--mib 800] [--large-mib 1536] [--json FILE] [--svg FILE]

Every round, every tool in turn on its own fresh copy (warm in the cache): init; first backup; a second with nothing changed;
one after a day's edits, 1.5 s after the last save; restore, compared with the source; check with all data read. What is
measured are whole processes: wall time, user + system time, and the peak memory of the largest process (wait4). Medians
over the rounds. The time of a restore ends when the bytes are on the disk: some tools wait for that, some leave it to the
kernel, so each is followed by a timed `sync`. With root it goes to a file system that was made for it (ext4 in a file,
mounted by loop), elsewhere to an empty folder: an old file system places the same files faster one time than another.
A workload may also be a folder of your own: --workloads writer,/home/me/Documents
"""
import argparse, json, os, platform, shutil, statistics, subprocess, sys, tempfile, time
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
COMPARE = os.path.join(HERE, "..", "tools", "compare-trees.py")
MIB = 1 << 20
STEPS = {"init": "init", "first": "first backup", "again": "nothing changed", "edited": "after a day's edits", "restore": "restore, until on disk", "check": "check, all data read"}
SIZES = {"size": "vault size", "growth": "vault growth, a day"}
VERSION = {"cue": "--version", "restic": "version", "borg": "--version", "rclone": "version"}
CUE_IGNORES = [".DS_Store", "._*", "~$*", ".~lock.*", "*.tmp", "*.swp"]

def commands(tool, program, work, src, out):
    """The environment, the command of every step, and where the restored tree stands. The vault is always work/vault."""
    vault, home, secret = work + "/vault", work + "/home", "correct horse battery"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("RESTIC_", "BORG_", "RCLONE_", "CUE_", "XDG_"))}
    env |= {"HOME": home, "XDG_CACHE_HOME": home + "/cache"}
    if tool == "restic":
        run = [program, "-q", "-r", vault]
        backup = run + ["backup", src]
        return (env | {"RESTIC_PASSWORD": secret}, {"init": run + ["init"], "first": backup, "again": backup, "edited": backup,
                "restore": run + ["restore", "latest", "--target", out], "check": run + ["check", "--read-data"]}, out + src)
    if tool == "borg":   # zstd,3 is what restic and cue do; borg's own default, lz4, is faster and larger
        env |= {"BORG_PASSPHRASE": secret, "BORG_BASE_DIR": home}
        def create(name): return [program, "create", "-C", "zstd,3", f"{vault}::{name}", src]
        return (env, {"init": [program, "init", "-e", "repokey-blake2", vault], "first": create("first"), "again": create("again"), "edited": create("edited"),
                "restore": [program, "extract", f"{vault}::edited"], "check": [program, "check", "--verify-data", vault]}, out + src)
    if tool == "rclone":   # a mirror: one state, no history, no compression
        run = [program, "--config", home + "/rclone.conf", "-q", "--links"]
        sync = run + ["sync", "--create-empty-src-dirs", src, "vault:"]
        return (env, {"init": [program, "--config", home + "/rclone.conf", "-q", "config", "create", "vault", "crypt", "remote=" + vault, "password=" + secret, "--obscure"],
                "first": sync, "again": sync, "edited": sync, "restore": run + ["copy", "--create-empty-src-dirs", "vault:", out], "check": run + ["cryptcheck", src, "vault:"]}, out)
    backup = [program, "backup", src, "--quiet"]
    return (env | {"CUE_PASSPHRASE": secret, "CUE_HOME": home + "/cue"}, {"init": [program, "init", src, "--vault", vault], "first": backup, "again": backup, "edited": backup,
            "restore": [program, "restore", "--vault", vault, "--to", out, "--quiet"], "check": [program, "check", "--vault", vault, "--read-data", "--quiet"]}, out)

class Failed(Exception): pass

class Disk:
    """A folder to restore into: a new file system where that can be had (root, mkfs.ext4 and a loop device), else a new folder."""
    def __init__(self, path, image, size):
        self.path, self.image, self.is_fresh = path, image, False
        os.makedirs(path)
        if os.geteuid() != 0 or not shutil.which("mkfs.ext4"): return
        with open(image, "wb") as f: f.truncate(size)
        # Without lazy_itable_init=0 the kernel goes on formatting while the restore is measured.
        made = [["mkfs.ext4", "-q", "-F", "-m", "0", "-i", "8192", "-E", "lazy_itable_init=0,lazy_journal_init=0", image], ["mount", "-o", "loop", image, path]]
        self.is_fresh = all(subprocess.run(c, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0 for c in made)
        if self.is_fresh: os.rmdir(os.path.join(path, "lost+found"))

    def synchronize(self):
        """Seconds until everything that was written to it is on the disk."""
        start = time.monotonic()
        subprocess.run(["sync", "-f", self.path], check=True)
        return time.monotonic() - start

    def close(self):
        if self.is_fresh: subprocess.run(["umount", self.path], check=True)

# Linux counts the memory of the process that starts a program as the program's own peak, so a small one starts it.
LAUNCHER = """import os, sys, time
null, start = os.open(os.devnull, os.O_RDWR), time.monotonic()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)])
_, status, used = os.wait4(pid, 0)
print(status, time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss)"""

def measure(command, env, folder):
    p = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, *command], env=env, cwd=folder, capture_output=True, text=True, errors="replace")
    status, wall, cpu, memory = (float(x) for x in p.stdout.split())
    if status: raise Failed(f"{' '.join(command)}: exit code {os.waitstatus_to_exitcode(int(status))}\n{p.stderr[-1500:]}")
    return {"wall": wall, "cpu": cpu, "memory": memory * 1024}

def folder_size(path): return sum(os.lstat(os.path.join(d, n)).st_size for d, _, names in os.walk(path) for n in names)

def compare(src, out, tool, *more):
    """In a process of its own: what this process holds would count as memory of the tools that it starts."""
    ignores = [x for glob in CUE_IGNORES for x in ("--ignored", glob)] if tool == "cue" else []
    return json.loads(subprocess.run([sys.executable, COMPARE, src, out, "--json", *ignores, *more], stdout=subprocess.PIPE, check=False).stdout)

def one_round(tool, program, corpus, work, seed):
    disk = Disk(work + "/restored", work + "/restored.img", 2 * folder_size(corpus) + (512 << 20))
    try: return measured_round(tool, program, corpus, work, seed, disk)
    finally: disk.close()

def measured_round(tool, program, corpus, work, seed, disk):
    src, out = work + "/library", disk.path
    os.makedirs(work + "/home")
    subprocess.run(["cp", "-a", "--reflink=auto", corpus, src], check=True)
    env, steps, root = commands(tool, program, work, src, out)
    result, sizes = {"fresh_disk": disk.is_fresh}, {}
    for step in STEPS:
        if step == "edited":
            subprocess.run([sys.executable, HERE + "/corpus.py", "edit", src, "--seed", seed], check=True, stdout=subprocess.DEVNULL)
            time.sleep(1.5)   # a backup seldom starts in the instant of a save, so no tool pays for waiting until a document rests
        subprocess.run(["sync"], check=True)   # no tool pays for another's writing
        result[step] = measure(steps[step], env, out if step == "restore" else work)
        if step == "restore": result[step]["wall"] += disk.synchronize()
        if step in ("first", "again", "edited"): sizes[step] = folder_size(work + "/vault")
    result["size"], result["growth"] = sizes["first"], sizes["edited"] - sizes["again"]
    content, whole = compare(src, root, tool, "--content-only"), compare(src, root, tool)
    result["entries"], result["content_differences"], result["differences"] = whole["entries"], content["differences"][:20], len(whole["differences"])
    return result

def machine():
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as f: model = next((l.split(":", 1)[1].strip() for l in f if l.startswith("model name")), model)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(), "memory_gib": round(memory), "system": platform.system() + " " + platform.release().split("-")[0]}

def version(tool, program, option):
    line = subprocess.run([program, option], capture_output=True, text=True).stdout.split("\n")[0].split()
    return tool + " " + next((x.lstrip("v") for x in line if x.lstrip("v")[:1].isdigit()), "")

def medians(rounds):
    """One number for every step and measure, of the rounds of one tool."""
    m = {step: {k: statistics.median(r[step][k] for r in rounds) for k in ("wall", "cpu", "memory")} for step in STEPS}
    return m | {k: statistics.median(r[k] for r in rounds) for k in SIZES}

def human(seconds): return f"{seconds * 1000:.0f} ms" if seconds < .1 else f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
def mib(size): return f"{size / MIB:.2f} MiB" if abs(size) < 10 * MIB else f"{size / MIB:.0f} MiB"

def table(result):
    for name, w in result["workloads"].items():
        m = w["medians"]
        print(f"\n{name}: {w['files']:,} files, {mib(w['bytes'])} ({w['what']}); median of {result['rounds']}")
        print(f"{'':22}{'':8}{'wall':>10}{'speed*':>9}{'CPU':>11}{'memory':>11}")
        for step, title in STEPS.items():
            best = step != "init" and min((m[t][step]["wall"] for t in m if t != "cue"), default=None)   # a rclone "vault" is two lines of text
            for t in m:
                x = m[t][step]
                print(row(title if t == next(iter(m)) else "", t, human(x["wall"]), best and best / x["wall"], human(x["cpu"]), mib(x["memory"])))
        for key, title in SIZES.items():
            keeps = {t: v[key] for t, v in m.items() if key != "growth" or t != "rclone"}   # a mirror forgets what was there
            best = min((v for t, v in keeps.items() if t != "cue"), default=None)
            for t in m: print(row(title if t == next(iter(m)) else "", t, mib(m[t][key]), t in keeps and best and keeps[t] and best / keeps[t]))
        for t in m:
            r = w["rounds"][t][0]
            same = "OTHER CONTENT: " + "; ".join(r["content_differences"][:3]) if r["content_differences"] else "the same bytes"
            more = f"{r['differences']:,} differences in all, with modes, times, folders and attributes" if r["differences"] else "and all else"
            print(f"{'restored':22}{t:8}  {same}, {more} ({r['entries']:,} entries)")
    print(f"\n* the fastest (or smallest) peer divided by this one: 2.00x is twice as fast, or half the size. rclone is a mirror: one state, no history, no compression. Memory under {mib(result['memory_floor'])} cannot be told apart.")

def row(title, tool, value, ratio, *more): return f"{title:22}{tool:8}{value:>10}{f'{ratio:.2f}x' if ratio else '-':>9}" + "".join(f"{x:>11}" for x in more)

def svg(result):
    """Small bar charts, one for every workload and measure; a bar's length is its share of the longest in its chart."""
    tools, cell, left, bar, top = result["tools"], 250, 150, 15, 84
    groups = [(k, t) for k, t in STEPS.items() if k != "init"] + [("memory", "memory, first backup")] + list(SIZES.items())
    names = list(result["workloads"])
    group = len(tools) * bar + 18
    width, height = left + cell * len(names) + 20, top + group * len(groups) + 34
    colours = {"cue": ("#c2410c", "#fb923c"), "restic": ("#1d4ed8", "#60a5fa"), "borg": ("#15803d", "#4ade80"), "rclone": ("#6b7280", "#9ca3af")}
    m = result["machine"]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="cue and its peers side by side">', "<style>",
           "text{font:12px system-ui,sans-serif;fill:#1f2328}.b{font-weight:600}.s{font-size:11px;fill:#59636e}.g{fill:#ffffff}.l{stroke:#d1d9e0}",
           "".join(f".{t}{{fill:{c[0]}}}" for t, c in colours.items()),
           "@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.s{fill:#9198a1}.g{fill:#0d1117}.l{stroke:#3d444d}" + "".join(f".{t}{{fill:{c[1]}}}" for t, c in colours.items()) + "}", "</style>",
           f'<rect class="g" width="{width}" height="{height}"/>']
    def text(x, y, s, kind=""): out.append(f'<text x="{x}" y="{y}" class="{kind}">{escape(s)}</text>')
    text(12, 22, "Shorter is better", "b")
    x = left
    for t in tools:
        out.append(f'<rect class="{t}" x="{x}" y="12" width="12" height="12" rx="2"/>')
        text(x + 17, 22, result["versions"][t])
        x += 34 + 7 * len(result["versions"][t])
    for column, name in enumerate(names):
        w = result["workloads"][name]
        text(left + column * cell, 52, os.path.basename(name), "b")
        text(left + column * cell, 68, f"{w['files']:,} files, {mib(w['bytes'])}", "s")
    for line, (key, title) in enumerate(groups):
        y = top + line * group
        out.append(f'<line class="l" x1="12" x2="{width - 12}" y1="{y - 6}" y2="{y - 6}"/>')
        text(12, y + 12, title)
        for column, name in enumerate(names):
            values = {t: v[key]["wall"] if key in STEPS else v["first"]["memory"] if key == "memory" else v[key]
                      for t, v in result["workloads"][name]["medians"].items() if (key, t) != ("growth", "rclone")}   # a mirror forgets
            longest = max(values.values(), default=0) or 1
            for k, t in enumerate(tools):
                if t not in values: continue
                length = max(1, (cell - 90) * values[t] / longest)
                out.append(f'<rect class="{t}" x="{left + column * cell}" y="{y + k * bar}" width="{length:.1f}" height="{bar - 3}" rx="2"/>')
                text(round(left + column * cell + length + 5, 1), y + k * bar + 10, human(values[t]) if key in STEPS else mib(values[t]), "s")
    text(12, height - 12, f"{result['date']} · {m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB, {m['system']} · medians of {result['rounds']}, whole processes, warm cache", "s")
    return "\n".join(out + ["</svg>\n"])

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tools", default="cue,restic,borg,rclone"); p.add_argument("--workloads", default="writer,small,large"); p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--mib", type=int, default=800, help="size of the writer's library"); p.add_argument("--large-mib", type=int, default=1536, help="size of the large files together")
    p.add_argument("--cue", default="cue", help="the cue to measure"); p.add_argument("--program", action="append", default=[], metavar="TOOL=PATH", help="another restic, borg or rclone")
    p.add_argument("--seed", default="1"); p.add_argument("--work", help="where to work (about four times the largest workload)")
    p.add_argument("--json", metavar="FILE"); p.add_argument("--svg", metavar="FILE")
    o = p.parse_args()
    programs = {t: t for t in VERSION} | {"cue": o.cue} | dict(x.split("=", 1) for x in o.program)
    unknown = [t for t in o.tools.split(",") if t not in VERSION]
    if unknown: p.error("no such tool: " + ", ".join(unknown))
    found = {t: shutil.which(programs[t]) for t in o.tools.split(",")}
    for t in found:
        if not found[t]: print(f"{t} is not here ({programs[t]}): skipped", file=sys.stderr)
    programs = {t: os.path.abspath(f) for t, f in found.items() if f}
    if not programs: sys.exit("none of the tools is here")
    versions = {t: version(t, program, VERSION[t]) for t, program in programs.items()}
    top, failed = tempfile.mkdtemp(prefix="cue-bench-", dir=o.work), False
    result = {"date": time.strftime("%Y-%m-%d"), "machine": machine(), "versions": versions, "tools": list(programs), "rounds": o.rounds, "seed": o.seed, "workloads": {}}
    try:
        result["memory_floor"] = measure([shutil.which("true")], None, top)["memory"]
        for name in o.workloads.split(","):
            corpus = os.path.join(top, "corpus")
            make = ["small", corpus, "--from", os.path.abspath(name)] if "/" in name else [name, corpus, "--mib", str(o.large_mib if name == "large" else o.mib), "--seed", o.seed]
            what = subprocess.run([sys.executable, HERE + "/corpus.py", *make], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
            w = {"what": what, "files": sum(len(names) for _, _, names in os.walk(corpus)), "bytes": folder_size(corpus), "rounds": {t: [] for t in programs}}
            broken = set()
            for number in range(o.rounds):
                order = list(programs)
                for t in order[number % len(order):] + order[:number % len(order)]:   # nobody is always first
                    if t in broken: continue
                    print(f"{name}, round {number + 1} of {o.rounds}: {t}", file=sys.stderr)
                    work = os.path.join(top, "round")
                    os.makedirs(work)
                    try: w["rounds"][t].append(one_round(t, programs[t], corpus, work, o.seed))
                    except Failed as e: print(f"{t} failed, and is left out of {name}: {e}", file=sys.stderr); broken.add(t); failed = True
                    subprocess.run(["rm", "-rf", work], check=True)
            w["medians"] = {t: medians(r) for t, r in w["rounds"].items() if t not in broken}
            w["failed"] = sorted(broken)
            failed |= any(r["content_differences"] for t in programs for r in w["rounds"][t])
            result["workloads"][name] = w
            subprocess.run(["rm", "-rf", corpus], check=True)
    finally: subprocess.run(["rm", "-rf", top], check=False)
    table(result)
    for path, text in ((o.json, json.dumps(result, indent=1) + "\n"), (o.svg, svg(result))):
        if path:
            with open(path, "w", encoding="utf-8") as f: f.write(text)
    sys.exit(1 if failed else 0)

if __name__ == "__main__": main()
