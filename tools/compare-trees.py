#!/usr/bin/env python3
"""Compares two folders entry by entry and prints every difference. Exit code 0: the same, 1: they differ.

    compare-trees.py ORIGINAL RESTORED [--ignored GLOB …] [--content-only] [--json]
    compare-trees.py --list FOLDER      prints every entry with all that would be compared

An entry is the same when its name (as bytes), kind, mode, time of change (ns), content or link target and user
attributes are. The two folders themselves are not compared, nor is ".cue" at the top. A link's mode means nothing on Linux.

--ignored GLOB   what a backup leaves out: it may be in ORIGINAL and must not be in RESTORED. Without "/" it is matched
                 against names, with "/" against whole paths.
--content-only   only names, kinds, contents and link targets; folders count only where something is in them
"""
import argparse, fnmatch, hashlib, json, os, stat, sys

KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}

def ignored(path, globs):
    name = os.path.basename(path)
    return any(fnmatch.fnmatchcase(os.fsdecode(path if "/" in g else name), g) for g in globs)

def entries(root, globs=()):
    """{path as bytes: lstat} of everything below root."""
    found, waiting = {}, [b""]
    while waiting:
        folder = waiting.pop()
        for entry in os.scandir(os.path.join(root, folder)):
            path = os.path.join(folder, entry.name)
            if path == b".cue" or ignored(path, globs): continue
            found[path] = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False): waiting.append(path)
    return found

def attributes(path):
    try: return {n: os.getxattr(path, n, follow_symlinks=False) for n in os.listxattr(path, follow_symlinks=False) if n.startswith("user.")}
    except (OSError, AttributeError): return {}   # a system or file system without them

def same_bytes(a, b):
    with open(a, "rb") as f, open(b, "rb") as g:
        while True:
            x, y = f.read(1 << 20), g.read(1 << 20)
            if x != y: return False
            if not x: return True

def differences(a, b, sa, sb, content_only):
    ka, kb = (KINDS.get(stat.S_IFMT(s.st_mode), "other") for s in (sa, sb))
    if ka != kb: yield f"was a {ka}, is a {kb}"; return
    if ka == "link" and os.readlink(a) != os.readlink(b): yield f"target was {os.readlink(a)!r}, is {os.readlink(b)!r}"
    if ka == "file":
        if sa.st_size != sb.st_size: yield f"size was {sa.st_size}, is {sb.st_size}"
        elif not same_bytes(a, b): yield "content differs"
    if content_only: return
    if ka != "link" and stat.S_IMODE(sa.st_mode) != stat.S_IMODE(sb.st_mode): yield f"mode was {stat.S_IMODE(sa.st_mode):04o}, is {stat.S_IMODE(sb.st_mode):04o}"
    if sa.st_mtime_ns != sb.st_mtime_ns: yield f"time was {sa.st_mtime_ns}, is {sb.st_mtime_ns}"
    xa, xb = attributes(a), attributes(b)
    for name in sorted(xa.keys() | xb.keys()):
        if xa.get(name) != xb.get(name): yield f"attribute {name} was {xa.get(name)!r}, is {xb.get(name)!r}"

def listing(root):
    for path, s in sorted(entries(root).items()):
        kind, full = KINDS.get(stat.S_IFMT(s.st_mode), "other"), os.path.join(root, path)
        what = os.readlink(full) if kind == "link" else b"" if kind == "folder" else hashlib.sha256(open(full, "rb").read()).hexdigest().encode()
        mode = "-" if kind == "link" else f"{stat.S_IMODE(s.st_mode):04o}"
        print(kind, mode, s.st_mtime_ns, repr(path), repr(what), sorted(attributes(full).items()))

def main():
    if sys.argv[1:2] == ["--list"]: return listing(os.fsencode(sys.argv[2]))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("original"); p.add_argument("restored")
    p.add_argument("--ignored", action="append", default=[], metavar="GLOB")
    p.add_argument("--content-only", action="store_true"); p.add_argument("--json", action="store_true")
    o = p.parse_args()
    a, b = os.fsencode(o.original), os.fsencode(o.restored)
    ea, eb = entries(a, o.ignored), entries(b)
    if o.content_only: ea, eb = ({k: s for k, s in e.items() if not stat.S_ISDIR(s.st_mode)} for e in (ea, eb))
    found = []
    for path in sorted(ea.keys() | eb.keys()):
        if path not in eb: found.append((path, "is missing"))
        elif path not in ea: found.append((path, "was not there before"))
        else: found += [(path, d) for d in differences(os.path.join(a, path), os.path.join(b, path), ea[path], eb[path], o.content_only)]
    if o.json: print(json.dumps({"entries": len(ea), "bytes": sum(s.st_size for s in ea.values() if stat.S_ISREG(s.st_mode)), "differences": [f"{p!r} {d}" for p, d in found]}))
    else:
        for path, what in found: print(f"{path!r} {what}")
        print(f"{len(ea)} entries compared, {len(found)} differences")
    sys.exit(1 if found else 0)

if __name__ == "__main__": main()
