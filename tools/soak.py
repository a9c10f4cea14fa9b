#!/usr/bin/env python3
"""A scripted writer beside `cue watch`, which is killed again and again; then everything is compared.

    soak.py [MINUTES] [--cue PROGRAM] [--kills N] [--limit S] [--seed N] [--keep] [--overflow]

The writer saves every 2 s into two of several bundles (every member tells the number of the save), renames and deletes
documents, makes 2,000 files at once and moves them, lets `git checkout` exchange 2,000 others, and writes floods of
events; during every second flood the watcher stands still (SIGSTOP), as in a long sync, so that the kernel drops some.
Meanwhile the watcher gets SIGKILL N times, at random moments of the first two thirds, and is started again. In the end:
SIGTERM, a last sync, and

  - the vault, restored, is what the folder is (compare-trees.py)
  - every stored version of every bundle is one whole save: the same number in all members
  - `cue check --read-data` finds nothing wrong
  - the memory of the last watcher, who runs a third of the time, did not grow

--overflow   as root: lets the kernel keep few events (fs.inotify.max_queued_events), so that floods lose some
Exit code 0: all is well, 1: something is not. The figures are printed as JSON; "by age" is the median of each minute of
a watcher's life, in KiB: of what it asked for itself (private, dirty), and of all that is resident (RSS).
"""
import argparse, json, os, random, shutil, signal, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
QUEUE = "/proc/sys/fs/inotify/max_queued_events"
MEMBERS = ["TXT.rtf", "Files/Data/A/content.rtf", "Files/Data/B/content.rtf", "Files/Data/C/content.rtf", "Settings/ui.plist"]
BUNDLES = ["Novel.scriv", "Essays/Snow.scriv", "Essays/Deep/Ice.scriv", "Letters.rtfd", "Diary.textbundle"]

class Soak:
    def __init__(self, o):
        self.o, self.random = o, random.Random(o.seed)
        self.folder = tempfile.mkdtemp(prefix="cue-soak-")
        self.library, self.vault = (os.path.join(self.folder, n) for n in ("library", "vault"))
        os.mkdir(self.library)
        self.environment = dict(os.environ, CUE_HOME=self.folder + "/home", CUE_PASSPHRASE="correct horse battery staple", NO_COLOR="1")
        self.saves, self.floods, self.bursts, self.checkouts, self.stopping = {b: 0 for b in BUNDLES}, 0, 0, 0, threading.Event()
        # Of each watcher: (its age in seconds, private dirty KiB, RSS KiB).
        self.watcher, self.memory, self.started, self.problems = None, [], 0.0, []

    def cue(self, *arguments, codes=(0,)):
        done = subprocess.run([self.o.cue, *arguments], env=self.environment, capture_output=True, text=True)
        if done.returncode not in codes: self.problems.append(f"cue {' '.join(arguments)}: exit {done.returncode}: {done.stderr[-600:]}{done.stdout[-600:]}")
        return done.stdout

    # The writer

    def path(self, *names): return os.path.join(self.library, *names)

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if self.random.random() < 0.5:   # as one half of all programs do, and as the other half does
            with open(path, "w") as f: f.write(text)
        else:
            with open(path + ".new", "w") as f: f.write(text)
            os.rename(path + ".new", path)

    def save(self, bundle):
        self.saves[bundle] += 1
        safe = bundle.endswith(".rtfd") and self.saves[bundle] > 1
        if safe:   # a new folder beside the old one, then their names change: the safe save of macOS
            place = self.path(bundle + ".saving")
            shutil.rmtree(place, ignore_errors=True)
        else: place = self.path(bundle)
        for member in MEMBERS:
            self.write(os.path.join(place, member), f"{bundle} {self.saves[bundle]}\n" + "".join(chr(self.random.randrange(97, 123)) for _ in range(64)) * self.random.randrange(1, 300))
        if safe:
            os.rename(self.path(bundle), self.path(bundle + ".old"))
            os.rename(place, self.path(bundle))
            shutil.rmtree(self.path(bundle + ".old"))

    def other_work(self, turn):
        drafts = self.path("Drafts")
        os.makedirs(drafts, exist_ok=True)
        names = sorted(os.listdir(drafts))
        what = self.random.randrange(6)
        if what < 3 or len(names) < 4: self.write(os.path.join(drafts, f"Draft {turn}.md"), f"draft {turn}\n" * self.random.randrange(1, 2000))
        elif what == 3: os.rename(os.path.join(drafts, self.random.choice(names)), os.path.join(drafts, f"Renamed {turn}.md"))
        elif what == 4: os.remove(os.path.join(drafts, self.random.choice(names)))
        else:
            old, new = self.path("Essays", "Deep"), self.path("Essays", "Deeper")
            os.rename(old, new)
            time.sleep(self.random.random())
            os.rename(new, old)

    def burst(self):
        """Two thousand files at once, as `git checkout` makes them; those of the last time move."""
        self.bursts += 1
        last = self.path("Checkout")
        if os.path.isdir(last):
            if os.path.isdir(last + " old"): shutil.rmtree(last + " old")
            os.rename(last, last + " old")
        for n in range(2000):
            path = os.path.join(last, f"part {n % 40}", f"scene {n}.md")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f: f.write(f"{self.bursts} {n}\n")

    def git(self, *arguments):
        """What git keeps lies outside of the library: only the checked out files are in it."""
        place = self.path("Repository")
        os.makedirs(place, exist_ok=True)
        done = subprocess.run(["git", "--git-dir", self.folder + "/git", "--work-tree", place, "-c", "user.name=w", "-c", "user.email=w@w", "-c", "gc.auto=0", *arguments], capture_output=True, text=True)
        if done.returncode: self.problems.append(f"git {arguments[0]}: {done.stderr[-300:]}")

    def checkout(self):
        """Two branches that differ in 2,000 files; git removes and makes each one anew."""
        if not os.path.isdir(self.folder + "/git"):
            self.git("init", "-q", "-b", "one")
            for branch in ("one", "two"):
                if branch == "two": self.git("checkout", "-q", "-b", "two")
                for n in range(2000):
                    path = self.path("Repository", f"part {n % 40}", f"chapter {n}.md")
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "w") as f: f.write(f"{branch} {n}\n" * (n % 50 + 1))
                self.git("add", "-A")
                self.git("commit", "-q", "-m", branch)
        self.checkouts += 1
        self.git("checkout", "-q", "one" if self.checkouts % 2 else "two")

    def flood(self, events):
        self.floods += events
        self.flooded = getattr(self, "flooded", 0) + 1
        # One that is killed meanwhile has a successor, who runs.
        slow = self.watcher if self.flooded % 2 else None
        if slow: slow.send_signal(signal.SIGSTOP)
        try: self.flow(events)
        finally:
            if slow: slow.send_signal(signal.SIGCONT)

    def flow(self, events):
        paths = [self.path("Drafts", f"Flood {n}.md") for n in (1, 2)]
        for path in paths:
            with open(path, "w") as f: f.write("flood\n")
        for n in range(events // 100):
            with open(paths[n % 2], "w") as f: f.write(f"{n}\n")
            # One after the other: the kernel makes one of two events that are the same.
            for m in range(98): os.utime(paths[m % 2])

    def writer(self):
        turn = 0
        while not self.stopping.is_set():
            turn += 1
            try:
                for bundle in self.random.sample(BUNDLES, 2): self.save(bundle)
                if turn % 2 == 0: self.other_work(turn)
                if turn % 40 == 10: self.burst()
                if turn % 40 == 20: self.checkout()
                if turn % 40 == 30: self.flood(self.o.flood)
            except Exception as error:
                self.problems.append(f"the writer itself failed: {error!r}")
            self.stopping.wait(2)

    # The watcher

    def start(self):
        self.log = open(self.folder + "/watch.log", "ab")
        more = ["--limit", str(self.o.limit)] if self.o.limit else []
        self.watcher = subprocess.Popen([self.o.cue, "watch", self.library, "--debounce", "1", "--poll", "2", *more], env=self.environment, stderr=self.log, stdout=self.log)
        self.memory.append([])
        self.started = time.monotonic()

    def rss(self):
        try:
            with open(f"/proc/{self.watcher.pid}/smaps_rollup") as f: text = f.read()
            of = lambda *names: sum(int(l.split()[1]) for l in text.splitlines() if l.startswith(names))
            # What it asked for itself: pages of mapped files come and go.
            return of("Private_Dirty:", "Swap:"), of("Rss:")
        except (OSError, ProcessLookupError): return 0, 0

    def run(self):
        began = time.monotonic()
        end = began + self.o.minutes * 60
        # The last third runs without kills, to see whether memory grows.
        kills = sorted(self.random.uniform(began + 3, began + self.o.minutes * 40) for _ in range(self.o.kills))
        self.cue("init", self.library, "--vault", self.vault, "--kdf-memory", "64", "--json")
        self.start()
        writer = threading.Thread(target=self.writer)
        writer.start()
        killed = honest = 0
        while time.monotonic() < end:
            time.sleep(0.5)
            if self.watcher.poll() is not None:
                self.problems.append(f"the watcher ended by itself: {self.watcher.returncode}")
                self.start()
            used, resident = self.rss()
            if used: self.memory[-1].append((time.monotonic() - self.started, used, resident))
            if kills and kills[0] <= time.monotonic():
                kills.pop(0)
                self.watcher.kill(); self.watcher.wait()
                killed += 1
                if not json.loads(self.cue("status", self.library, "--json") or "{}").get("watcher"): honest += 1
                self.start()
        self.stopping.set(); writer.join()
        began = time.monotonic()
        self.watcher.send_signal(signal.SIGTERM)
        code = self.watcher.wait(60)
        stopped = time.monotonic() - began
        if code != 0: self.problems.append(f"after SIGTERM the exit code was {code}")
        if stopped > 21: self.problems.append(f"it took {stopped:.1f} s to stop")
        waits = json.loads(self.cue("status", self.library, "--json") or "{}")
        left = sum(len(waits.get(k, [])) for k in ("new", "changed", "gone"))
        return self.report(killed, honest, stopped, left)

    # The end

    def report(self, killed, honest, stopped, left):
        if left: self.problems.append(f"SIGTERM left {left} changes")
        if honest != killed: self.problems.append("status named a watcher after it was killed")
        self.cue("sync", self.library, "--json", codes=(0, 3))
        out = self.folder + "/restored"
        self.cue("restore", "--vault", self.vault, "--to", out, "--json")
        compared = subprocess.run([sys.executable, HERE + "/compare-trees.py", self.library, out], capture_output=True, text=True)
        if compared.returncode: self.problems.append("vault and folder differ: " + compared.stdout[:2000])
        self.cue("check", "--vault", self.vault, "--read-data", "--json")
        versions, torn = self.versions()
        middle = lambda values: sorted(values)[len(values) // 2] if values else 0
        def by_age(samples, which):
            minutes = {}
            for sample in samples: minutes.setdefault(int(sample[0] // 60), []).append(sample[which])
            return [middle(minutes[m]) for m in sorted(minutes)]
        series = {"private": by_age(self.memory[-1], 1), "RSS": by_age(self.memory[-1], 2)}
        killed_series = {"private": by_age(sum(self.memory[:-1], []), 1), "RSS": by_age(sum(self.memory[:-1], []), 2)}
        last = [used for _, used, _ in self.memory[-1]]
        third = max(1, len(last) // 3)
        early, late = middle(last[third:2 * third]), middle(last[-third:])
        if late > early * 1.25 + 8192: self.problems.append(f"memory grew from {early} to {late} KiB")
        with open(self.folder + "/watch.log", errors="replace") as f: log = f.read()
        figures = {
            "minutes": self.o.minutes, "seed": self.o.seed, "kills": killed, "saves": sum(self.saves.values()), "bursts of 2000 files": self.bursts, "git checkouts of 2000 files": self.checkouts,
            "events of floods": self.floods, "times that events were lost": log.count("more happened than"), "versions of bundles": versions, "half versions": torn,
            "SIGTERM to exit, s": round(stopped, 2), "changes left after SIGTERM": left, "compared": compared.stdout.strip().splitlines()[-1:],
            "memory of the last watcher, KiB": {"early": early, "late": late, "most": max(last, default=0), "minutes": round(len(last) / 120, 1)},
            "by age, of the last watcher": series, "by age, of those that were killed": killed_series,
            "most memory of any, KiB": max((used for m in self.memory for _, used, _ in m), default=0), "problems": self.problems,
        }
        print(json.dumps(figures, indent=1))
        return 1 if self.problems else 0

    def versions(self):
        """Restores every version of every bundle, and reads the numbers in it."""
        count = torn = 0
        for bundle in BUNDLES:
            listed = json.loads(self.cue("log", bundle, "--limit", "100000", "--vault", self.vault, "--json") or "{}").get("versions", [])
            for version in listed:
                if version["deleted"] or version["path"] != bundle and "Deeper" not in version["path"]: continue
                out = os.path.join(self.folder, "version")
                shutil.rmtree(out, ignore_errors=True)
                self.cue("restore", bundle, "--version", version["version"], "--vault", self.vault, "--to", out, "--json")
                stamps = {}
                for parent, _, files in os.walk(out):
                    for name in files:
                        with open(os.path.join(parent, name)) as f: stamps[os.path.relpath(os.path.join(parent, name), out)] = f.readline().strip()
                count += 1
                if len(set(stamps.values())) != 1 or len(stamps) != len(MEMBERS):
                    torn += 1
                    self.problems.append(f"version {version['short']} of {bundle} is half: {stamps} ({json.dumps(version)})")
        return count, torn

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("minutes", nargs="?", type=float, default=8)
    p.add_argument("--cue", default=os.path.join(HERE, "../.build/release/cue")); p.add_argument("--kills", type=int, default=15)
    p.add_argument("--limit", type=float); p.add_argument("--flood", type=int, default=200_000)
    p.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    p.add_argument("--keep", action="store_true"); p.add_argument("--overflow", action="store_true")
    soak = Soak(p.parse_args())
    soak.o.cue = os.path.abspath(soak.o.cue)
    kept = None
    try:
        if soak.o.overflow:
            with open(QUEUE) as f: kept = f.read()
            with open(QUEUE, "w") as f: f.write("1024")
        code = soak.run()
    finally:
        if kept:
            with open(QUEUE, "w") as f: f.write(kept)
        soak.stopping.set()
        if soak.watcher and soak.watcher.poll() is None: soak.watcher.kill()
        if soak.o.keep: print(soak.folder, file=sys.stderr)
        else: shutil.rmtree(soak.folder, ignore_errors=True)
    sys.exit(code)

if __name__ == "__main__": main()
