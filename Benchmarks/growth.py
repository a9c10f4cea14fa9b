#!/usr/bin/env python3
"""What a save costs: what a vault or repository holds more when a writer added one sentence and saved.

    growth.py --cue PATH [--saves 1000] [--peer-saves 200] [--tools cue,restic,borg,git] [--json FILE] [--docs FILE]
    growth.py --cue PATH --year [SAVES]   and a year of cue alone: 7,300 saves (20 a day) of both documents in turn

A library with one document is backed up; then a sentence is added and the document stored, again and again. The documents: a
chapter in Markdown of 60 KiB, and an .rtfd bundle of 500 KiB (440 KiB of them RTF, the rest attachments). A third of the
sentences come at the end, the others behind a random paragraph. Seeds are fixed: every tool stores the same
documents. All files in the vault or repository are counted, and their bytes: after the first backup, and after the last save. git
makes a commit of each save, with `gc.auto` 0; then its repository is packed once (`git repack -adf`) and counted again.
"""
import argparse, json, os, random, re, shutil, statistics, subprocess, sys, tempfile, time
import corpus
from peers import VERSION, Failed, commands, compare, human, machine, measure, version

KIB = 1 << 10
DOCUMENTS = {"chapter": "a chapter in Markdown, 60 KiB", "bundle": "an .rtfd bundle, 500 KiB"}
TOOLS = {"cue": VERSION["cue"], "restic": VERSION["restic"], "borg": VERSION["borg"], "git": "--version"}
A_YEAR = 7_300
REST = .25   # seconds; cue waits until a bundle rested for 200 ms, as a backup seldom starts in the instant of a save
WORD = re.compile(r"[A-Za-z][a-z]*(?:'[a-z]+)?,?")
MARKERS = "<!-- growth: what is between these two lines is written by Benchmarks/growth.py -->", "<!-- growth: end -->"

class Document:
    """A document in paragraphs, to which sentences are added. The same kind is the same text each time."""
    def __init__(self, kind, library):
        self.kind, self.random, self.writer, self.added = kind, random.Random(f"growth {kind}"), corpus.Writer(library, f"growth {kind}"), 0
        self.path, left = (library + "/Chapter.md", 60 * KIB) if kind == "chapter" else (library + "/Novel.rtfd/TXT.rtf", 440 * KIB)
        self.paragraphs, border = [], 2 if kind == "chapter" else len(self.writer.rtf("\n\n")) - len(self.writer.rtf(""))
        while left > 0:
            self.paragraphs.append(" ".join(self.sentence() for _ in range(self.random.randint(2, 8))))
            left -= len(self.paragraphs[-1]) + border
        if kind == "bundle":
            for k, kib in enumerate((1, 2, 4, 7, 11, 15, 20)): self.writer.put(f"Novel.rtfd/Picture {k}.jpg", self.random.randbytes(kib * KIB))
        self.put()

    def sentence(self):
        wanted, words = self.random.randint(7, 22), []
        while len(words) < wanted: words += [w for w in self.writer.prose.text(200).split() if WORD.fullmatch(w)]
        return " ".join([words[0].capitalize(), *words[1:wanted]]).rstrip(",") + "."

    def content(self):
        text = "\n\n".join(self.paragraphs)
        return text.encode() if self.kind == "chapter" else self.writer.rtf(text)

    def put(self):
        """As editors save: a new file in the old one's place."""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".new", "wb") as f: f.write(self.content())
        os.replace(self.path + ".new", self.path)

    def add_sentence(self):
        at = -1 if self.random.random() < 1 / 3 else self.random.randrange(len(self.paragraphs))
        sentence = self.sentence()
        self.paragraphs[at] += " " + sentence
        self.added += len(sentence) + 1
        self.put()

class Tool:
    """A program, and the vault or repository in which it keeps a library."""
    def __init__(self, name, program, top):
        self.name, self.program, self.top, self.library, self.vault, self.out = name, program, top, top + "/library", top + "/vault", top + "/restored"
        for folder in (self.library, top + "/home", self.out): os.makedirs(folder)
        if name != "git": self.env, self.steps, _ = commands(name, program, top, self.library, self.out); return
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        self.env |= {"HOME": top + "/home", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}

    def run(self, command): return measure(command, self.env, self.top)["wall"]

    def git(self, *arguments, vault=None):
        return self.run([self.program, "--git-dir", vault or self.vault, "--work-tree", self.library, "-c", "user.name=Writer", "-c", "user.email=writer@example.org", *arguments])

    def first(self):
        """Makes the vault, and stores the document for the first time."""
        if self.name != "git":
            self.run(self.steps["init"])
            return self.run(self.steps["first"])
        self.git("init", "-q", "--template=")
        self.git("config", "gc.auto", "0")
        return self.git("add", "-A") + self.git("commit", "-q", "-m", "First")

    def save(self, number):
        if self.name == "git": return self.git("commit", "-q", "-a", "-m", f"Save {number}")
        return self.run([f"{self.vault}::save-{number}" if x == self.vault + "::edited" else x for x in self.steps["edited"]])

    def packed(self):
        """What a copy of the repository holds after `git repack`."""
        copy = self.top + "/packed"
        shutil.copytree(self.vault, copy)
        self.git("repack", "-adfq", vault=copy)
        result = held(copy)
        shutil.rmtree(copy)
        return result

def held(vault):
    """For each folder of a vault: its files, their bytes, and what they take on the disk."""
    folders = {}
    for folder, _, names in os.walk(vault):
        part = os.path.relpath(folder, vault).split(os.sep)[0]
        for name in names:
            file, sums = os.lstat(os.path.join(folder, name)), folders.setdefault("vault.json" if name == "vault.json" else part, {"objects": 0, "bytes": 0, "disk": 0})
            for key, value in (("objects", 1), ("bytes", file.st_size), ("disk", file.st_blocks * 512)): sums[key] += value
    return folders

def total(folders): return {k: sum(f[k] for f in folders.values()) for k in ("objects", "bytes", "disk")}

def figures(saves, before, after):
    """The two counts, and what a save added on average (in all, and by folder)."""
    nothing = {"objects": 0, "bytes": 0, "disk": 0}
    def mean(a, b): return {k: (b[k] - a[k]) / saves for k in nothing}
    return {"saves": saves, "first": total(before), "end": total(after), "folders": after, "a_save": mean(total(before), total(after)),
            "folders_a_save": {n: mean(before.get(n, nothing), after[n]) for n in sorted(after)}}

def grow(tool, documents, saves):
    """Figures of so many saves of the documents, in turn. Tenths: what a save added in each tenth of them, and its median time."""
    counts, walls, ends = [held(tool.vault)], [], [k * saves // 10 for k in range(1, 11)] if saves >= 20 else [saves]
    for n in range(saves):
        document = documents[n % len(documents)]
        document.add_sentence()
        if document.kind == "bundle" and tool.name == "cue": time.sleep(REST)
        walls.append(tool.save(n + 1))
        if n + 1 in ends: counts.append(held(tool.vault))
    tenths = [{"bytes": (total(b)["bytes"] - total(a)["bytes"]) / (end - start), "wall": statistics.median(walls[start:end])}
              for a, b, start, end in zip(counts, counts[1:], [0, *ends], ends)]
    return figures(saves, counts[0], counts[-1]) | {"wall": statistics.median(walls), "tenths": tenths, "sentence": sum(d.added for d in documents) / saves}

def one(kind, name, program, top, saves):
    """Figures of one tool and document; for git two, loose and packed."""
    tool = Tool(name, program, top)
    document = Document(kind, tool.library)
    time.sleep(REST)
    tool.first()
    if name != "git": return {name: grow(tool, [document], saves)}
    before = tool.packed()
    return {"git, loose": grow(tool, [document], saves), "git, packed": figures(saves, before, tool.packed())}

def year(program, top, saves):
    """Both documents in one library, saved in turn; then everything is restored, compared and read back."""
    tool = Tool("cue", program, top)
    documents = [Document(kind, tool.library) for kind in DOCUMENTS]
    time.sleep(REST)
    tool.first()
    result = grow(tool, documents, saves)
    result |= {"restore": tool.run(tool.steps["restore"]), "check": tool.run(tool.steps["check"])}
    different = compare(tool.library, tool.out, "cue", "--content-only")["differences"]
    if different: raise Failed(f"the restored library differs: {different[:3]}")
    return result

def kib(size): return f"{size / KIB:,.1f} KiB" if abs(size) < 1000 * KIB else f"{size / KIB / KIB:,.1f} MiB"

def table(head, rows, left=1):
    lines = [head, ["---"] * left + ["--:"] * (len(head) - left), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"

def by_folder(x):
    rows = [[n, f"{f['objects']:.2f}", kib(f["bytes"]), kib(f["disk"]), f"{x['folders'][n]['objects']:,}", kib(x["folders"][n]["bytes"])] for n, f in x["folders_a_save"].items()]
    return table(["cue's vault", "objects a save", "bytes a save", "on the disk", "objects at the end", "bytes at the end"], rows)

def by_tenths(x): return "Bytes a save, in each tenth of them: " + ", ".join(kib(t["bytes"]) for t in x["tenths"]) + ".\n"

def side_by_side(results):
    own = results.get("cue", {}).get("wall")
    def beside(x): return [human(x["wall"]), f"{x['wall'] / own:.1f}" if own else "–"] if "wall" in x else ["–", "–"]
    rows = [[t, f"{x['saves']:,}", kib(x["a_save"]["bytes"]), kib(x["a_save"]["disk"]), f"{x['a_save']['objects']:.2f}", kib(x["first"]["bytes"]), kib(x["end"]["bytes"]), f"{x['end']['objects']:,}",
             kib(x["a_save"]["bytes"] * A_YEAR), *beside(x)] for t, x in results.items()]
    return table(["tool", "saves", "bytes a save", "on the disk", "objects a save", "first backup", "at the end", "objects", f"{A_YEAR:,} saves would add", "wall of a save", "beside cue's"], rows)

def report(result):
    m = result["machine"]
    text = [f"`make bench-growth`, {result['date']}: {', '.join(result['versions'].values())}; {m['cpu']}, {m['cores']} cores. Means over all saves, median wall time. *On the disk* counts whole blocks of the file system.\n"]
    if result["missing"]: text.append("Not installed, and left out: " + ", ".join(result["missing"]) + ".\n")
    for kind, results in result["documents"].items():
        sentence = next((x["sentence"] for x in results.values() if "sentence" in x), 0)
        text.append(f"**{kind}**: {DOCUMENTS[kind]}; a save adds a sentence of {sentence:.0f} characters.\n\n{side_by_side(results)}")
        if "cue" in results: text.append(by_folder(results["cue"]) + "\n" + by_tenths(results["cue"]))
    if y := result.get("year"):
        title = "a year" if y["saves"] == A_YEAR else "both"
        text.append(f"**{title}**: {y['saves']:,} saves of cue, both documents in one library, in turn. The vault went from {kib(y['first']['bytes'])} to {kib(y['end']['bytes'])} in {y['end']['objects']:,} objects "
                    f"({kib(y['end']['disk'])} on the disk). A save took {human(y['wall'])} "
                    f"({human(y['tenths'][0]['wall'])} in the first tenth, {human(y['tenths'][-1]['wall'])} in the last); at the end `cue restore` took {human(y['restore'])}, and `cue check --read-data` {human(y['check'])}.\n\n"
                    f"{by_folder(y)}\n{by_tenths(y)}")
    return "\n".join(text)

def read(path):
    with open(path, encoding="utf-8") as f: return f.read()

def rewrite(path, text):
    before, start, rest = read(path).partition(MARKERS[0] + "\n")
    _, end, after = rest.partition(MARKERS[1])
    with open(path, "w", encoding="utf-8") as f: f.write(f"{before}{start}\n{text}\n{end}{after}")

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cue", default="cue", help="the cue to measure"); p.add_argument("--program", action="append", default=[], metavar="TOOL=PATH", help="another restic, borg or git")
    p.add_argument("--tools", default=",".join(TOOLS)); p.add_argument("--saves", type=int, default=1000, help="of cue and git, for each document")
    p.add_argument("--peer-saves", type=int, default=200, help="of restic and borg"); p.add_argument("--year", type=int, nargs="?", const=A_YEAR, metavar="SAVES")
    p.add_argument("--work", help="where to work"); p.add_argument("--json", metavar="FILE"); p.add_argument("--docs", metavar="FILE", help="rewrite the tables in this file")
    o = p.parse_args()
    tools = o.tools.split(",")
    if unknown := [t for t in tools if t not in TOOLS]: p.error("no such tool: " + ", ".join(unknown))
    if min(o.saves, o.peer_saves, A_YEAR if o.year is None else o.year) < 1: p.error("at least one save is needed")
    paths = {t: t for t in TOOLS} | {"cue": o.cue} | dict(x.split("=", 1) for x in o.program)
    found = {t: os.path.abspath(w) for t in tools if (w := shutil.which(paths[t]))}
    missing = [t for t in tools if t not in found]
    if missing: print("not here, and left out: " + ", ".join(missing), file=sys.stderr)
    if o.year and "cue" not in found: p.error("--year needs cue")
    if o.docs and not (os.path.isfile(o.docs) and all(line in read(o.docs).split("\n") for line in MARKERS)): p.error(f"{o.docs} lacks the two lines between which the tables are written")
    result = {"date": time.strftime("%Y-%m-%d"), "machine": machine(), "versions": {t: version(t, f, TOOLS[t]) for t, f in found.items()}, "missing": missing, "documents": {}}
    top, failed = tempfile.mkdtemp(prefix="cue-growth-", dir=os.path.abspath(o.work or tempfile.gettempdir())), False

    def attempt(what, work):
        nonlocal failed
        print(what, file=sys.stderr)
        folder = f"{top}/{what.replace(': ', ' ')}"
        try: return work(folder)
        except Failed as e: failed = True; print(f"{what} failed, and is left out: {e}", file=sys.stderr)
        finally: subprocess.run(["rm", "-rf", folder], check=True)

    try:
        for kind in DOCUMENTS:
            results = result["documents"].setdefault(kind, {})
            for t, program in found.items():
                saves = o.saves if t in ("cue", "git") else o.peer_saves
                results |= attempt(f"{kind}: {t}", lambda folder: one(kind, t, program, folder, saves)) or {}
        if o.year: result["year"] = attempt("a year", lambda folder: year(found["cue"], folder, o.year))
    finally: subprocess.run(["rm", "-rf", top], check=True)
    text = report(result)
    print(text)
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f: f.write(json.dumps(result, indent=1) + "\n")
    if o.docs and not failed: rewrite(o.docs, text)
    sys.exit(1 if failed else 0)

if __name__ == "__main__": main()
