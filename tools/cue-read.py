#!/usr/bin/env python3
"""Reads a cue vault without cue, by docs/format.md alone. The vault is never written to.

The secret, a passphrase or a recovery code, comes from CUE_PASSPHRASE or is asked for.
Exit codes: 0 done, 1 failed, 2 wrong use, 5 wrong secret, 6 something is damaged (the rest was read).
Needs: pip install cryptography argon2-cffi zstandard (Debian: python3-cryptography python3-argon2 python3-zstandard)"""
import argparse, collections, contextlib, datetime, functools, getpass, hashlib, hmac, io, itertools
import json, os, re, struct, sys, time
try:
    import argon2.low_level as argon2, zstandard
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError as error:
    sys.exit(f"cue-read.py: {error}.\n" + __doc__[__doc__.index("Needs"):])

MILLISECOND = datetime.timedelta(milliseconds=1)
MIB, DIGITS, KINDS = 1 << 20, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", {1: "file", 2: "folder", 3: "symlink", 4: "bundle"}
FILE, FOLDER, SYMLINK, BUNDLE = KINDS
NEW, TOMBSTONE, DELTA = 1, 2, 8                                     # flags of versions
SLOT, PACK, LOG, EVENTS = 1, 2, 3, 5                                # kinds of objects
YEARS, SIZE, DELTAS = range(-62167219200000, 253402300800000), 1 << 53, 100     # section 10
Commit = collections.namedtuple("Commit", "id time flags before versions name packs")
Version = collections.namedtuple("Version", "id project time flags parents path kind removed members")
Member = collections.namedtuple("Member", "path kind mode mtime xattrs size chunks target")

class Failed(Exception): code = 1
class WrongSecret(Failed): code = 5
class Damaged(Failed): code = 6
class OtherKey(Damaged): pass

DAMAGE = Damaged, InvalidTag, zstandard.ZstdError, struct.error, OSError
codes = {0}                                                         # the largest is the exit code
def say(sentence, code=0):
    codes.add(code)
    print(f"cue-read.py: {sentence}", file=sys.stderr)

@contextlib.contextmanager
def reporting(what):
    """One thing may fail without the rest."""
    try:
        yield
    except Exception as error:
        damaged = isinstance(error, (InvalidTag, zstandard.ZstdError, struct.error))
        why = "sealed or packed bytes do not open: " * damaged + (str(error) or type(error).__name__)
        say(f"{what}: {why}", 6 if damaged else getattr(error, "code", 1))

def need(true, sentence, kind=Damaged):
    if not true: raise kind(sentence)

# ---- Bytes and text (section 1)
class Cursor(io.BytesIO):
    """Reads the basic types. Every length is checked against what is left."""
    def left(self): return len(self.getbuffer()) - self.tell()
    def u8(self): return self.take(1)[0]
    def bytes(self): return self.take(self.varint())
    def take(self, n):
        need(n <= self.left(), "a length is larger than what is left")
        return self.read(n)
    def varint(self):
        value = shift = 0
        while (byte := self.u8()) > 127 and shift < 63:
            value, shift = value | (byte & 127) << shift, shift + 7
        need(byte < (2 if shift == 63 else 128) and (byte or not shift), "a varint is too long")
        return value | byte << shift
    def svarint(self): return ((n := self.varint()) >> 1) ^ -(n & 1)
    def time(self):
        need((ms := self.svarint()) in YEARS, "a time is beyond the years 0 to 9999")
        return ms
    def many(self, read):
        n = self.varint()
        need(n <= self.left(), "a count is larger than what is left")
        return [read() for _ in range(n)]
    def path(self):
        path = self.bytes()
        need(not path or not {b"", b".", b".."} & set(path.split(b"/")), "a path is not allowed")
        return path

def shown(name):                                                    # what is not printable UTF-8 as \xNN
    text = name.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
def clock(ms): return time.strftime("%Y-%m-%d %H.%M.%S", time.localtime(ms // 1000))

# ---- Sealed bytes and keys (sections 3 and 4)
def expand(key, info, length):                                      # HKDF-Expand-SHA-512, for at most 128 bytes
    first = hmac.digest(key, info + b"\1", "sha512")
    return (first + hmac.digest(key, first + info + b"\2", "sha512"))[:length]

def unseal(message, key, context):                                  # the plaintext of a Cobblestone-256 message
    keys = expand(key, b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + message[:24] + context, 76)
    need(hmac.compare_digest(keys[44:], message[24:56]), "the key or the name does not fit", OtherKey)
    aead, nonce = AESGCM(keys[:32]), int.from_bytes(keys[32:44], "big")
    pieces = [aead.decrypt((nonce ^ i).to_bytes(12, "big"), message[at:at + 16400], None)
              for i, at in enumerate(range(56, len(message), 16400))]
    need(pieces and len(pieces[-1]) < 16384, "the message is cut short")
    return b"".join(pieces)

def slot_key(head, secret):                                         # by the 60 bytes that stand before the message
    way, kdf, _, passes, memory, lanes, salt = struct.unpack("<24xBBHIQI16s", head)
    need(way in (1, 2) and kdf == 1, "it wants another kind of secret", OtherKey)
    if way == 2:                                                    # a recovery code; its check digits are not needed
        code = secret.decode("ascii", "replace").upper().translate(str.maketrans("OIL", "011", " -"))
        need(len(code) == 36 and set(code) <= set(DIGITS), "the secret is no recovery code", OtherKey)
        secret = functools.reduce(lambda n, c: n << 5 | DIGITS.index(c), code[:32], 0).to_bytes(20, "big")
    need(lanes == 1 and 3 <= passes <= 16 and 64 * MIB <= memory <= 2048 * MIB, "its numbers are out of bounds")
    return argon2.hash_secret_raw(secret, salt, passes, memory // 1024, lanes, 32, argon2.Type.ID, 0x13)

# ---- Frames and records (sections 5 and 6)
def unpack(codec, stored, raw):
    """Bytes as they are, or of a zstd frame. Never more than one byte too many comes out of it."""
    need(raw <= 64 * MIB, "a frame or block is too large")
    data = zstandard.ZstdDecompressor().stream_reader(stored).read(raw + 1) if codec == 1 else stored
    need(codec in (0, 1) and len(data) == raw, "bytes have another length or codec than is written")
    return data

class Budget:
    """What an object may open to by its size: bytes, things that are kept of it, and chunks that runs name by number."""
    together = 64 * MIB                                             # for all objects, beyond their shares
    def __init__(self, size): self.weight, self.chunks, self.size = 0, 0, size
    def done(self):
        Budget.together -= max(0, self.weight - 256 * self.size)
        need(Budget.together >= 0, "it holds more than an object of its size does, as others do")
    def add(self, weight, chunks=0):
        self.weight, self.chunks = self.weight + weight, self.chunks + chunks
        need(self.weight <= max(32 * MIB, 256 * self.size) and self.chunks <= max(2 * MIB, 64 * self.size),
             "it holds more than an object of its size can")

def read_records(plain, budget):
    c = Cursor(plain)
    while c.left() > 1:
        codec, raw = c.u8(), c.varint()
        if raw == 0: break
        budget.add(raw)
        frame = Cursor(unpack(codec, c.bytes(), raw))
        while frame.left(): yield frame.varint(), Cursor(frame.bytes())

def read_chunks(c):
    """The chunks of a pack record: [(id, (block, offset in the block, length)), …]; a block begins with its pack."""
    pack, chunks, start = (c.take(16), c.varint()), [], 0
    for _ in range(c.varint()):
        codec, stored, raw, offset = c.u8(), c.varint(), c.varint(), 0
        for id, length in c.many(lambda: (c.take(32), c.varint())):
            chunks.append((id, ((pack, codec, start, stored, raw), offset, length)))
            offset += length
        need(0 < raw == offset <= 16 * MIB and (codec or stored == raw), "a block does not add up")
        start += stored
    need(start <= 256 * MIB, "a pack is too large")
    return chunks

def read_member(c, known, budget):
    path, kind, mode, seconds, nanoseconds = c.path(), c.u8(), c.varint(), c.svarint(), c.varint()
    xattrs, size, chunks = c.many(lambda: (c.bytes(), c.bytes())), 0, []
    need(kind in (FILE, FOLDER, SYMLINK) and mode <= 0o7777, "a member has a wrong kind or mode")
    if kind == FILE:
        size = c.varint()
        need(size <= SIZE, "a file is too large")
        for _ in range(c.varint()):
            count, k = c.varint(), c.varint()
            need(0 < count <= (len(known) - k + 1 if k else c.left() // 32), "a run names chunks that are not there")
            budget.add(0, count if k else 0)
            chunks += [id for id, _ in known[k - 1:k - 1 + count]] if k else [c.take(32) for _ in range(count)]
    target = c.bytes() if kind == SYMLINK else b""
    budget.add(256)
    return Member(path, kind, mode, seconds * 10**9 + nanoseconds, xattrs, size, chunks, target)

def read_version(c, id, when, known, budget):
    flags = c.u8()
    project = id if flags & NEW else c.take(12)
    parents, path, kind, _ = list(dict.fromkeys(c.many(lambda: c.take(12)))), c.path(), c.u8(), c.svarint()
    need(flags < 16 and kind in KINDS and (parents or not flags & DELTA) and path.split(b"/")[0] != b".cue",
         "a version has a wrong kind, path or flags")
    removed = c.many(c.path) if flags & DELTA else []
    members = [] if flags & TOMBSTONE else c.many(lambda: read_member(c, known, budget))
    budget.add(256)
    return Version(id, project, when, flags, parents, path, kind, removed, members)

def circling(next):
    """The nodes from which a way leads back to them (Tarjan's, without recursion)."""
    order, low, open, stack, found = {}, {}, set(), [], set()
    for start in next:
        way, edges = [start] * (start not in order), {}
        while way:
            node = way[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
                open.add(node)
                edges[node] = iter(next[node])
            for other in edges[node]:
                if other not in order:
                    way.append(other)
                    break
                if other in open: low[node] = min(low[node], order[other])
            else:
                way.pop()
                if way: low[way[-1]] = min(low[way[-1]], low[node])
                if low[node] == order[node]:
                    part = {node}
                    while (member := stack.pop()) != node: part.add(member)
                    open -= part
                    found |= part if len(part) > 1 else set()
    return found

# ---- The vault
class Vault:
    def __init__(self, folder, secret):
        with open(os.path.join(folder, "vault.json"), "rb") as file: about = json.load(file)
        need(isinstance(about, dict) and about.get("format") == 1, "this is no vault of format 1", Failed)
        self.folder, self.id = os.path.abspath(folder), bytes.fromhex(about["vault"])
        names = sorted(os.path.relpath(os.path.join(parent, name), folder)
                       for parent, _, files in os.walk(folder, onerror=lambda error: say(error, 1)) for name in files)
        self.keys = self.unlock([name for name in names if re.fullmatch("keys/[0-9a-f]{16}", name)], secret)
        self.batches = [name for name in names if re.fullmatch("events/[0-9a-f]{32}/[0-9]{10}-[0-9a-f]{16}", name)]
        self.commits, self.versions, self.index = {}, {}, {}        # index: {chunk id: [(block, offset in it, length)]}
        for m in filter(None, map(re.compile("log/[0-9a-f]{32}/([0-9]{10})-([0-9a-f]{16})").fullmatch, names)):
            with reporting(f"The commit {m[0]} cannot be read"):
                self.commits.setdefault(bytes.fromhex(m[2]), []).append(
                    self.read_commit(m[0], int(m[1]), bytes.fromhex(m[2])))
        for twins in self.commits.values():                         # of two with one id nothing says whose a version is
            if len(twins) > 1: say(f"{' and '.join(c.name for c in twins)} bear one id, and none of them counts.", 6)
        self.commits = {id: commits[0] for id, commits in self.commits.items() if len(commits) == 1}
        for commit in self.commits.values():
            self.versions.update((v.id, v) for v in commit.versions)
            for id, place in commit.packs: self.index.setdefault(id, {})[place] = commit.name
        self.parents = self.settle_parents()
        self.snapshots = sorted((c for c in self.commits.values() if c.flags & 1), key=lambda c: (c.time, c.id))
    def open(self, kind, name, key):
        """The plaintext of an object. In a key slot 60 bytes stand before the message, and lead to its key."""
        with open(os.path.join(self.folder, name), "rb") as file:
            head, message = file.read(60 if kind == SLOT else 0), file.read()
        key = slot_key(head, key) if kind == SLOT else key
        return unseal(message, key, b"cue/1\0" + self.id + bytes([kind, len(name)]) + name.encode() + head)
    def cost(self, name):
        """What a guess at a key slot costs; nothing for what is none."""
        with open(os.path.join(self.folder, name), "rb") as file: head = file.read(60)
        passes, memory = struct.unpack("<28xIQ20x", head) if len(head) == 60 else (0, 0)
        return passes * memory
    def unlock(self, slots, secret):
        for name in sorted(slots, key=self.cost):
            with reporting(f"The key slot {name} cannot be used"), contextlib.suppress(OtherKey):
                key, uses = self.open(SLOT, name, secret)[:32], (b"packs", b"records", b"chunk ids")
                return {use: expand(key, b"cue/1 subkey\0" + self.id + use, 32) for use in uses}
        raise WrongSecret("the passphrase or recovery code opens no key slot")
    def read_commit(self, name, generation, id):
        """Reads a log object. Nothing of it counts before all of it is read."""
        plain = self.open(LOG, name, self.keys[b"records"])
        budget, chunks, versions = Budget(len(plain)), [], []
        records = read_records(plain, budget)
        kind, c = next(records, (0, None))
        need(kind == 1, "it does not begin with a commit record")
        previous, when, flags = c.take(8), c.time(), c.u8()
        before = c.many(lambda: (c.take(16), c.varint(), c.take(8))[2]) + [previous] * (generation > 1)
        for kind, c in records:
            if kind == 3: chunks += read_chunks(c)
            if kind == 4:
                versions.append(read_version(c, id + struct.pack(">I", len(versions)), when, chunks, budget))
        budget.done()
        return Commit(id, when, flags, before, versions, name, chunks)
    # -- Replay (section 7)
    def settle_parents(self):
        """The parents that count: of the same project, and not of a version that is its own ancestor."""
        known = {v.id: [p for p in v.parents if p in self.versions and p != v.id
                        and self.versions[p].project == v.project] for v in self.versions.values()}
        circles = circling(known)
        strays = [v for v in self.versions.values() if v.id in circles or len(
            known[v.id]) < sum(p in self.versions for p in v.parents)]
        for v in strays: say(f"The version {v.id.hex()} names parents that it cannot have; they do not count.", 6)
        strays = {v.id for v in strays}
        def settled(v):
            """A difference whose base does not count has no parents."""
            base_is_stray = v.flags & DELTA and v.parents[0] in self.versions and v.parents[0] not in known[v.id]
            if v.id in circles or base_is_stray: return []
            return known[v.id] if v.id in strays else v.parents
        return {v.id: settled(v) for v in self.versions.values()}
    def heads(self, at=None, missing_is=0):
        """The heads that are no tombstones, of a snapshot or of all that is there; the newest first."""
        todo, here = list(self.commits), {}
        if at is not None:
            todo = [c.id for c in self.snapshots if c.id.hex().startswith(at.lower())]
            need(len(todo) == 1, f"{'more than one' if todo else 'no'} snapshot id begins with {at!r}", Failed)
        for id in todo:                                             # it grows meanwhile
            if id not in here:
                here[id] = self.commits.get(id)
                todo += here[id].before if here[id] else []
        if None in here.values(): say("Some commits that others name are not there (yet).", missing_is)
        versions = [v for commit in here.values() if commit for v in commit.versions]
        parents = {parent for v in versions for parent in self.parents[v.id]}
        heads = [v for v in versions if not v.flags & TOMBSTONE and v.id not in parents]
        several, alike = collections.Counter(v.project for v in heads), {}
        for v in heads:                                             # those that say the same are one, the largest
            said = v.id
            with contextlib.suppress(Damaged):
                if several[v.project] > 1: said = v.project, v.path, v.kind, repr(sorted(self.members(v).items()))
            alike[said] = max(v, alike.get(said, v), key=lambda v: v.id)
        heads = list(alike.values())
        return sorted(heads, key=lambda v: (v.time, v.id), reverse=True)
    def places(self, at):
        """Every head with a place: its path, or a name of its own beside it. Folders of one path become one."""
        kinds = {}
        for v in sorted(self.heads(at), key=lambda v: (v.path.count(b"/"), v.kind != FOLDER)):
            *above, name = v.path.split(b"/")
            while any(kinds.get(b"/".join(above[:n + 1]), FOLDER) != FOLDER for n in range(len(above))):
                above.pop()                                         # beside what is no folder, not below it
            place = b"/".join([*above, name])
            if v.kind == FOLDER == kinds.get(place): continue
            if place in kinds:
                stem, end = os.path.splitext(name)
                name = stem[:160] + f" ({clock(v.time)}, {v.id.hex()})".encode() + end[:40]
                place = b"/".join([*above, name])
            if place != v.path: say(f"Conflict: a version of {shown(v.path)} is shown as {shown(place)}.")
            kinds[place] = v.kind
            yield place, v
    def members(self, version):
        """All members of a version, deltas laid over their first parents: {path: member}."""
        chain, members = [version], {}
        while chain[-1].flags & DELTA:
            base = chain[-1].parents[0]
            need(base in self.parents[chain[-1].id] and base in self.versions and len(chain) < DELTAS,
                 "the version that it builds on is missing")
            chain.append(self.versions[base])
        for v in reversed(chain):
            need(all([members.pop(path, None) for path in v.removed]), "a removed member is not there")
            members.update((m.path, m) for m in v.members)
        need(sum(m.size for m in members.values()) <= SIZE, "its files are too large")
        for m in members.values():
            need(all(id in self.index for id in m.chunks) and sum(map(self.length, m.chunks)) == m.size,
                 f"a chunk of {shown(m.path or version.path)} is in no pack, or its size is wrong")
        return members
    def length(self, id):
        """Where a chunk's places differ, it is read to know."""
        lengths = {length for _, _, length in self.index[id]}
        return lengths.pop() if len(lengths) == 1 else len(self.chunk(id))
    # -- Content (section 5)
    @functools.lru_cache(4)
    def pack(self, id, size):
        name = f"packs/{id.hex()[:2]}/{id.hex()}"
        need(os.path.exists(path := os.path.join(self.folder, name)), f"{name} is missing")
        need(os.path.getsize(path) == size, f"{name} has another size than is written")
        return self.open(PACK, name, self.keys[b"packs"])
    @functools.lru_cache(16)
    def block(self, pack, codec, start, stored, raw):
        return unpack(codec, self.pack(*pack)[start:start + stored], raw)
    def chunk(self, id):
        """From the first of its places that holds it: a record may say what is not so."""
        for number, place in enumerate(places := list(self.index[id]), 1):
            with contextlib.suppress(*() if number == len(places) else DAMAGE): return self.chunk_at(id, place)
    def chunk_at(self, id, place):
        block, offset, length = place
        data = self.block(*block)[offset:offset + length]
        name = hashlib.blake2b(data, key=self.keys[b"chunk ids"], digest_size=32).digest()
        need(name == id, f"the chunk {id.hex()} has another content than its id says")
        return data

# ---- The commands
def list_projects(vault, args):
    rows = []
    for place, v in sorted(vault.places(args.at)):
        with reporting(f"{shown(place)} cannot be shown"):
            size = sum(m.size for m in vault.members(v).values())
            rows.append({"path": shown(place), "kind": KINDS[v.kind], "size": size, "version": v.id.hex()})
            if not args.json: print(f"{KINDS[v.kind]:7} {size:>12} {shown(place) or '.'}")
    if args.json: print(json.dumps(rows, indent=1))

def list_snapshots(vault, _):
    for c in vault.snapshots: print(c.id.hex(), clock(c.time) + " (incomplete)" * (c.flags >> 1))

def list_events(vault, _):
    """Section 11: one line of JSON an event, in their order. Of two that share an id the lesser counts."""
    events = {}
    for name in vault.batches:
        with reporting(f"The batch {name} cannot be read"):
            plain = vault.open(EVENTS, name, vault.keys[b"records"])
            records = list(read_records(plain, Budget(len(plain))))
            need(records and records[0][0] == 7, "it does not begin with a batch record")
            for c in (c for kind, c in records if kind == 8):
                with reporting(f"An event of {name} is set aside"):
                    id, type, when, created, payload = c.bytes(), c.bytes(), c.bytes(), c.time(), c.bytes()
                    instant = datetime.datetime.fromisoformat(re.sub(rb"[zZ]$", b"+00:00", when).decode())
                    moment = (instant - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // MILLISECOND
                    event = moment, type, when, payload
                    json.loads(payload)
                    events[id] = min(events.get(id, event), event)
    for id, (moment, type, when, payload) in sorted(events.items(), key=lambda item: (item[1][0], item[0])):
        print(json.dumps({"client_id": id.decode(), "client_timestamp": when.decode(), "payload": json.loads(payload),
                          "type": type.decode()}, ensure_ascii=False, separators=(",", ":"), sort_keys=True))

def check(vault, _):
    vault.heads(missing_is=6)
    places = sorted((place, id, commit) for id, places in vault.index.items() for place, commit in places.items())
    for (pack, _), places in itertools.groupby(places, lambda place: place[0][0][0]):
        for commit, places in itertools.groupby(places, lambda place: place[2]):
            with reporting(f"The pack {pack.hex()} is not as {commit} says"):
                for place, id, _ in places: vault.chunk_at(id, place)
    for v in vault.versions.values():
        with reporting(f"The version {v.id.hex()} of {shown(v.path)} is damaged"): vault.members(v)
    print(len(vault.commits), "commits:", "all is well" if codes == {0} else "not all is well")

def restore(vault, args):
    os.umask(0o077)
    os.makedirs(args.out, exist_ok=True)
    os.chdir(args.out)
    need(not os.listdir(), f"{args.out} is not empty, and nothing is overwritten", Failed)
    things, ready = [], []
    for place, v in vault.places(args.at):
        with reporting(f"{shown(place)} is not restored"):
            things += [(os.path.join(place, path).rstrip(b"/"), m) for path, m in vault.members(v).items()]
    for path, m in sorted(things, key=lambda thing: thing[0], reverse=True):
        with reporting(f"{shown(path)} is not restored"):
            os.makedirs((path if m.kind == FOLDER else os.path.dirname(path)) or b".", exist_ok=True)
            ready.append((path or b".", m))
    # All folders stand before the first symlink does, so nothing is written through one. Folders get their modes last.
    for path, m in sorted(ready, key=lambda thing: (FILE, SYMLINK, FOLDER).index(thing[1].kind)):
        with reporting(f"{shown(path)} is not restored"): make(vault, path, m)

def make(vault, path, m):
    """A new file or symlink, or what belongs to a folder that is there. Nothing is overwritten."""
    if m.kind == SYMLINK: os.symlink(m.target, path)
    if m.kind == FILE:
        with open(path, "xb") as file, contextlib.ExitStack() as undo:
            undo.callback(os.unlink, path)
            for id in m.chunks: file.write(vault.chunk(id))
            undo.pop_all()                                          # only a whole file stays
    for name, value in m.xattrs:
        with reporting(f"The xattr {shown(name)} of {shown(path)} is not set"):
            os.setxattr(path, b"user." + name, value, follow_symlinks=False)
    if m.kind != SYMLINK: os.chmod(path, m.mode)
    os.utime(path, ns=(m.mtime, m.mtime), follow_symlinks=False)

def main():
    commands = {"list": list_projects, "snapshots": list_snapshots, "restore": restore, "check": check,
                "events": list_events}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", metavar="VAULT", help="the folder of the vault")
    parser.add_argument("command", metavar="COMMAND", choices=commands, help="list, snapshots, restore, check or events")
    parser.add_argument("out", metavar="OUT", nargs="?", help="restore: a new or empty folder to write everything to")
    parser.add_argument("--at", metavar="SNAPSHOT", help="list, restore: as of a snapshot, by the beginning of its id")
    parser.add_argument("--json", action="store_true", help="list: print JSON")
    args = parser.parse_intermixed_args()
    if (args.command == "restore") != (args.out is not None): parser.error("restore needs OUT, and nothing else does")
    with reporting(args.vault):
        secret = os.environ.get("CUE_PASSPHRASE") or getpass.getpass("Passphrase or recovery code: ")
        commands[args.command](Vault(args.vault, os.fsencode(secret)), args)
    sys.exit(max(codes))

if __name__ == "__main__": main()
