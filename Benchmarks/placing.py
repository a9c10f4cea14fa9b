#!/usr/bin/env python3
"""What it costs that documents outlast a power cut once cue has placed them: several cues beside each other, in one run.

    placing.py --cue NAME=PATH [--cue NAME=PATH …] [--files 10000] [--rounds 5]

A vault holds so many documents of 2 KiB, fifty to a folder. Every round, every program in turn: a new device syncs for the
first time, and all is restored elsewhere; each to a file system that was made for it (peers.py, `Disk`), timed until
the bytes are on the disk, with a timed `sync` after the program. Medians over the rounds.
"""
import argparse, os, random, shutil, statistics, subprocess, tempfile
from peers import MIB, Disk, measure

def library(path, files):
    random.seed(1)
    for number in range(files):
        folder = f"{path}/folder {number // 50:04}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/page {number:06}.md", "wb") as file: file.write(random.randbytes(2048))

def new(path):
    os.makedirs(path)
    return path

def placed(cue, top, number, make):
    """Seconds, CPU seconds and peak memory of what `make` gives, which places files on a new disk."""
    disk = Disk(f"{top}/disk {number}", f"{top}/image {number}", 2048 * MIB)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("CUE_", "XDG_"))}
    env |= {"CUE_PASSPHRASE": "correct horse battery", "CUE_HOME": f"{top}/home {number}"}
    try:
        *before, command = make(disk.path)
        for one in before: subprocess.run([cue, *one], env=env, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["sync"], check=True)
        result = measure([cue, *command], env, top)
        result["wall"] += disk.synchronize()
        return result
    finally:
        disk.close()
        for path in (disk.path, env["CUE_HOME"]): shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(disk.image): os.remove(disk.image)

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cue", required=True, action="append", metavar="NAME=PATH"); p.add_argument("--work", help="where to work")
    p.add_argument("--files", type=int, default=10000); p.add_argument("--rounds", type=int, default=5)
    o = p.parse_args()
    cues = {name: os.path.abspath(path) for name, path in (text.split("=", 1) for text in o.cue)}
    top = tempfile.mkdtemp(prefix="cue-placing-", dir=o.work)
    vault, kdf = top + "/vault", ["--kdf-memory", "64"]
    steps = {
        "first sync": lambda out: (["init", new(out + "/b"), "--vault", vault, *kdf], ["sync", out + "/b"]),
        "restore": lambda out: (["restore", "--vault", vault, "--to", out + "/b"],),
    }
    try:
        library(top + "/library", o.files)
        placed(next(iter(cues.values())), top, 0, lambda _: (["init", top + "/library", "--vault", vault, *kdf], ["backup", top + "/library"]))
        results, number = {}, 0
        for _ in range(o.rounds):
            for step, make in steps.items():
                for name, cue in cues.items():
                    number += 1
                    results.setdefault((step, name), []).append(placed(cue, top, number, make))
        print(f"{o.files:,} documents, medians of {o.rounds}: wall until on the disk / CPU / peak memory in MiB")
        for (step, name), rounds in results.items():
            wall, cpu, memory = (statistics.median(r[k] for r in rounds) for k in ("wall", "cpu", "memory"))
            print(f"{step:12}{name:12}{wall:8.2f} s{cpu:8.2f} s{memory / MIB:8.0f}")
    finally:
        shutil.rmtree(top, ignore_errors=True)

if __name__ == "__main__": main()
