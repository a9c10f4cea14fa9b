#!/usr/bin/env python3
"""Makes the work for Benchmarks/peers.py. The same arguments give the same bytes on the same system.

    corpus.py writer OUT [--mib N] [--seed N]   a writer's library: RTFD and Scrivener bundles, Word files, Markdown
    corpus.py small OUT [--from DIR …]          a copy of real trees of small files (doc, man, perl of this system)
    corpus.py large OUT [--mib N] [--seed N]    a few large files: incompressible, compressible, a shifted copy
    corpus.py edit OUT [--seed N]               a day's edits on any of them

Prose is a Markov chain over the texts of this system, so that it compresses as prose does; pictures are random bytes.
"""
import argparse, glob, io, os, random, shutil, subprocess, sys, zipfile

MIB = 1 << 20
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ["/usr/share/common-licenses/*", "/usr/share/perl/5*/pod/*.pod", "/usr/share/perl/5*/**/*.pod", HERE + "/../fixtures/library/**/*.md"]
TREES = ["/usr/share/doc", "/usr/share/man", "/usr/share/perl"]

class Prose:
    """Word after word, each chosen among the words that followed the last one somewhere in the sources."""
    def __init__(self, seed):
        self.random = random.Random(seed)
        paths = dict.fromkeys(p for s in SOURCES for p in sorted(glob.glob(s, recursive=True)) if os.path.isfile(p))
        words = []
        for path in paths:
            with open(path, encoding="utf-8", errors="replace") as f: words += f.read().split()
            if len(words) > 300_000: break
        number = {}
        ids = [number.setdefault(w, len(number)) for w in words]
        self.words, self.next = list(number), [[] for _ in number]
        for a, b in zip(ids, ids[1:] + ids[:1]): self.next[a].append(b)   # the last leads back to the first: no dead end

    def text(self, size):
        out, length, at, pick = [], 0, self.random.randrange(len(self.words)), self.random.random
        while length < size:
            word = self.words[at]
            out.append(word)
            length += len(word) + 1
            if pick() < .01: out.append("\n\n")
            followers = self.next[at]
            at = followers[int(pick() * len(followers))]
        return " ".join(out)

class Writer:
    """Documents of four kinds. Their sizes are log-normal: many short ones, a few long ones."""
    def __init__(self, root, seed):
        self.root, self.random, self.prose, self.written = root, random.Random(f"writer {seed}"), Prose(f"prose {seed}"), 0

    def put(self, path, data):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f: f.write(data)
        self.written += len(data)

    def size(self, typical, spread): return min(int(self.random.lognormvariate(0, spread) * typical), 16 * MIB)
    def text(self, typical, spread=.9): return self.prose.text(self.size(typical, spread))
    def picture(self): return b"\xff\xd8\xff\xe0" + self.random.randbytes(self.size(420_000, .8))

    def rtf(self, text):
        for plain, escaped in (("\\", "\\\\"), ("{", "\\{"), ("}", "\\}"), ("\n\n", "\\par\n\\pard\\fi360\\sa120\\f0\\fs24 ")): text = text.replace(plain, escaped)
        body = "".join(c if c < "\x80" else "\\u%d?" % (ord(c) & 0x7fff) for c in text)
        return ("{\\rtf1\\ansi\\ansicpg1252\\uc1{\\fonttbl\\f0\\froman TimesNewRomanPSMT;}\n\\f0\\fs24 " + body + "}").encode()

    def document(self, number):
        rnd, name = self.random, f"Shelf {number % 24:02d}/Document {number:05d}"
        kind = rnd.random()
        if kind < .40:
            self.put(name + ".rtfd/TXT.rtf", self.rtf(self.text(160_000)))
            for k in range(int(rnd.expovariate(.7))): self.put(f"{name}.rtfd/Picture {k}.jpg", self.picture())
        elif kind < .48:
            scenes = [f"{rnd.getrandbits(128):032X}" for _ in range(rnd.randint(30, 180))]
            self.put(name + ".scriv/Project.scrivx", ("<Binder>\n%s</Binder>\n" % "".join(f'<BinderItem UUID="{s}" Type="Text"/>\n' for s in scenes)).encode())
            for s in scenes: self.put(f"{name}.scriv/Files/Data/{s}/content.rtf", self.rtf(self.text(5_000)))
        elif kind < .64:
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w") as z:
                for part, data, how in (("word/document.xml", "<w:p>" + self.text(150_000) + "</w:p>", zipfile.ZIP_DEFLATED), ("word/media/image1.jpeg", self.picture(), zipfile.ZIP_STORED)):
                    info = zipfile.ZipInfo(part, (2024, 1, 1, 0, 0, 0))
                    info.compress_type = how
                    z.writestr(info, data)
            self.put(name + ".docx", buffer.getvalue())
        else: self.put(name + ".md", self.text(24_000).encode())

def writer(out, mib, seed):
    w, number = Writer(out, seed), 0
    while w.written < mib * MIB: w.document(number); number += 1
    return f"{number} documents, {w.written / MIB:.0f} MiB"

def small(out, trees):
    os.makedirs(out)
    trees = [t for t in trees if os.path.isdir(t)]
    for tree in trees: subprocess.run(["cp", "-a", tree, out], check=True)
    return "a copy of " + ", ".join(trees) if trees else sys.exit("small: none of the trees is there: use --from DIR")

def large(out, mib, seed):
    """Half recordings (random), a quarter scans (a few values, noise), a quarter the first recording again, shifted by 12,345 bytes."""
    os.makedirs(out)
    piece, per_file = MIB, max(4, mib // 8)
    for k in range(8):
        rnd = random.Random(f"large {seed} {0 if k >= 6 else k}")
        name = "Recording %d.wav" % k if k < 4 else "Scan %d.tiff" % k if k < 6 else "Recording 0, copy %d.wav" % k
        with open(os.path.join(out, name), "wb") as f:
            if k >= 6: f.write(bytes(range(256)) * 48 + bytes(57 + k - 6))
            for _ in range(per_file):
                noise = rnd.randbytes(piece) if not 4 <= k < 6 else b"".join(rnd.randbytes(32) * rnd.randrange(1, 6) for _ in range(11_000))
                f.write(noise[:piece].ljust(piece, b"\xf0") if 4 <= k < 6 else noise)
    return f"8 files of {per_file} MiB"

def edit(out, seed):
    """2 % of the texts changed (of those outside of Scrivener bundles at most 200), one document renamed, one deleted, one new."""
    rnd, prose = random.Random(f"edit {seed}"), Prose(f"edit {seed}")
    files = sorted(p for d, _, names in os.walk(out) for p in (os.path.join(d, n) for n in names) if not os.path.islink(p) and "/.cue/" not in p)
    documents = [p for p in files if ".rtfd/" not in p and ".scriv/" not in p]   # only whole documents are renamed and deleted
    texts = [p for p in files if not p.endswith((".jpg", ".docx", ".scrivx"))]
    scenes = [p for p in texts if ".scriv/" in p]
    pages = [p for p in texts if ".scriv/" not in p]
    chosen = rnd.sample(pages, min(max(2, len(pages) // 50), 200)) + rnd.sample(scenes, len(scenes) // 50)
    renamed, deleted = rnd.sample(sorted(set(documents) - set(chosen)), 2)
    for path in chosen:   # a sentence in the middle; what stands behind it moves
        at, new = rnd.randrange(os.path.getsize(path) + 1), path + ".edit-new"
        with open(path, "rb") as old, open(new, "wb") as f:
            remaining = at
            while remaining: remaining -= f.write(old.read(min(remaining, MIB)))
            f.write(prose.text(400).encode())
            shutil.copyfileobj(old, f, MIB)
        shutil.copymode(path, new)
        os.replace(new, path)
    stem, ending = os.path.splitext(renamed)
    os.rename(renamed, stem + " (second draft)" + ending)
    os.remove(deleted)
    with open(os.path.join(out, "A new page.md"), "w") as f: f.write(prose.text(20_000))
    return f"{len(chosen)} of {len(texts)} texts edited, one file renamed, one deleted, one new"

if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["writer", "small", "large", "edit"]); p.add_argument("out")
    p.add_argument("--mib", type=int, default=600); p.add_argument("--seed", default="1"); p.add_argument("--from", dest="trees", nargs="+", default=TREES)
    o = p.parse_args()
    if o.what != "edit" and os.path.exists(o.out): p.error(f"{o.out} is there already")
    print({"writer": lambda: writer(o.out, o.mib, o.seed), "small": lambda: small(o.out, o.trees), "large": lambda: large(o.out, o.mib, o.seed), "edit": lambda: edit(o.out, o.seed)}[o.what]())
