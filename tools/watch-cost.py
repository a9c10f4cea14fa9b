#!/usr/bin/env python3
"""What `cue watch` costs: while nothing happens, from rest to stored, and in memory where a history is long.

    watch-cost.py idle    [--files 30000] [--minutes 10.5]   CPU seconds and memory with the usual times
    watch-cost.py delay   [--files 10000] [--times 10]       from the end of the debounce until the commit is there
    watch-cost.py history [--commits 800] [--saves 130]      memory after each save; every 20th changes 2,000 files
                                    [--cue PROGRAM]

Of the watcher's memory: private is what it asked for itself (Private_Dirty), RSS all that is resident, peak the largest RSS since the
last line. All in KiB.
"""
import argparse, json, os, random, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))

class Cost:
    def __init__(self, o):
        self.o, self.random = o, random.Random(5)
        self.folder = tempfile.mkdtemp(prefix="cue-watch-")
        self.library, self.vault = self.folder + "/library", self.folder + "/vault"
        self.environment = dict(os.environ, CUE_HOME=self.folder + "/home", CUE_PASSPHRASE="correct horse battery staple", NO_COLOR="1")
        self.watcher = None

    def cue(self, *arguments):
        subprocess.run([self.o.cue, *arguments], env=self.environment, check=True, capture_output=True)

    def write(self, name, text):
        path = os.path.join(self.library, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f: f.write(text)

    def text(self, size): return "".join(chr(self.random.randrange(97, 123)) for _ in range(64)) * (size // 64)

    def make(self, files):
        """One file in four is in a bundle of twenty."""
        for n in range(files):
            place = n // 20
            self.write(f"b{place}.scriv/Files/{n % 20}.rtf" if place % 4 == 0 else f"d{place % 30}/e{place}/f{n}.md", f"{n} " * self.random.randrange(50, 800))
        self.cue("init", self.library, "--vault", self.vault, "--kdf-memory", "64", "--json")
        self.cue("backup", self.library, "--json")

    def watch(self, *more):
        log = open(self.folder + "/watch.log", "ab")
        self.watcher = subprocess.Popen([self.o.cue, "watch", self.library, *more], env=self.environment, stdout=log, stderr=log)
        while not self.said("watching"): time.sleep(0.1)
        time.sleep(5)

    def said(self, words):
        with open(self.folder + "/watch.log", errors="replace") as f: return words in f.read()

    def look(self, reset=True):
        place = f"/proc/{self.watcher.pid}/"
        read = lambda name: open(place + name).read()
        sizes = {l.split(":")[0]: int(l.split()[1]) for l in read("smaps_rollup").splitlines()[1:]}
        ticks = read("stat").rsplit(")", 1)[1].split()
        peak = next(int(l.split()[1]) for l in read("status").splitlines() if l.startswith("VmHWM"))
        if reset:
            with open(place + "clear_refs", "w") as f: f.write("5")
        return {"CPU": (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK"), "private": sizes["Private_Dirty"] + sizes["Swap"], "RSS": sizes["Rss"], "peak": peak}

    def names(self, folder): return sum(len(files) for _, _, files in os.walk(f"{self.vault}/{folder}"))

    # What is measured

    def idle(self):
        self.make(self.o.files or 30_000)
        self.watch()
        first = self.look()
        seen, end = [], time.monotonic() + self.o.minutes * 60
        while time.monotonic() < end:
            time.sleep(1)
            seen.append(self.look(reset=False))
        of = lambda key: sorted(s[key] for s in seen)
        return {"first sync": first, "minutes": self.o.minutes, "CPU": round(seen[-1]["CPU"] - first["CPU"], 2), "private": of("private")[len(seen) // 2], "RSS": of("RSS")[len(seen) // 2], "peak": of("peak")[-1]}

    def delay(self):
        """A debounce of 2 s begins with the last of twenty members that are written anew."""
        self.make(self.o.files or 10_000)
        self.write("Big.scriv/Settings/ui.plist", "1")
        for n in range(20): self.write(f"Big.scriv/Files/{n}.rtf", self.text((1 << 20) // 20))
        self.cue("backup", self.library, "--json")
        self.watch("--debounce", "2")
        delays = []
        for turn in range(self.o.times):
            before = self.names("log")
            for n in range(20): self.write(f"Big.scriv/Files/{n}.rtf", f"{turn}\n" + self.text((1 << 20) // 20))
            written = time.monotonic()
            while self.names("log") == before: time.sleep(0.005)
            delays.append(round(time.monotonic() - written - 2, 3))
            time.sleep(1)
        return {"seconds": delays, "median": sorted(delays)[len(delays) // 2], "most": max(delays), **self.look()}

    def save(self, turn):
        if turn % 20 == 19:
            for n in range(2000): self.write(f"Checkout/part {n % 40}/scene {n}.md", f"{turn} {n}\n" * 20)
        else:
            for n in range(5): self.write(f"Novel {turn % 5}.scriv/Files/{n}.rtf", self.text(self.random.randrange(64, 19_200)))

    def history(self):
        self.make(self.o.files or 1_000)
        for turn in range(self.o.commits):
            self.save(turn)
            self.cue("backup", self.library, "--json")
        self.watch("--debounce", "0.2", "--poll", "2")
        print(json.dumps({"start": self.look()}), flush=True)
        checkpoints, after = self.names("checkpoints"), []
        for turn in range(self.o.commits, self.o.commits + self.o.saves):
            before, end = self.names("log"), time.monotonic() + 20
            self.save(turn)
            while self.names("log") == before and time.monotonic() < end: time.sleep(0.05)
            time.sleep(1)   # until the sync has ended, with the checkpoint
            now = self.look()
            after.append(now["private"])
            if self.names("checkpoints") != checkpoints:
                checkpoints = self.names("checkpoints")
                print(json.dumps({"save": turn, "checkpoint": checkpoints, **now}), flush=True)
        tenth = max(1, len(after) // 10)
        return {"private after the first tenth": sorted(after[:tenth])[tenth // 2], "after the last": sorted(after[-tenth:])[tenth // 2], **self.look()}

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["idle", "delay", "history"])
    p.add_argument("--cue", default=os.path.join(HERE, "../.build/release/cue")); p.add_argument("--files", type=int)
    p.add_argument("--minutes", type=float, default=10.5); p.add_argument("--times", type=int, default=10)
    p.add_argument("--commits", type=int, default=800); p.add_argument("--saves", type=int, default=130)
    cost = Cost(p.parse_args())
    cost.o.cue = os.path.abspath(cost.o.cue)
    try: print(json.dumps(getattr(cost, cost.o.what)()))
    finally:
        if cost.watcher:
            cost.watcher.terminate()
            cost.watcher.wait()
        shutil.rmtree(cost.folder, ignore_errors=True)

if __name__ == "__main__": main()
