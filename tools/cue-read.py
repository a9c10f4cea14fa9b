#!/usr/bin/env python3
"""Reads a cue vault without cue, by docs/format.md alone. The vault is never written to.

The secret, a passphrase or a recovery code, comes from CUE_PASSPHRASE or is asked for.
Exit codes: 0 done, 1 failed, 2 wrong use, 5 wrong secret, 6 something is damaged (the rest was read)."""
import argparse, collections, contextlib, ctypes, functools, getpass, hashlib, hmac, json, os, re, struct, sys, time
try:
    import argon2.low_level as argon2, zstandard
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA512
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
except ImportError as error:
    sys.exit(f"cue-read.py: {error}. Run: pip install cryptography argon2-cffi zstandard")

MIB, DIGITS, KINDS = 1 << 20, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", {1: "file", 2: "folder", 3: "symlink", 4: "bundle"}
NAMES = {1: r"keys/[0-9a-f]{16}", 2: r"packs/([0-9a-f]{2})/(\1[0-9a-f]{30})",
         3: r"log/([0-9a-f]{32})/(?!0{10})([0-9]{10})-([0-9a-f]{16})"}
NEW, TOMBSTONE, DELTA = 1, 2, 8
Block = collections.namedtuple("Block", "codec offset stored raw chunks")                # chunks: ((id, length), …)
Commit = collections.namedtuple("Commit", "key time flags before versions")              # key: (device, generation, id)
Version = collections.namedtuple("Version", "id project device time flags parents path kind removed members")
Member = collections.namedtuple("Member", "path kind mode mtime xattrs size chunks target")

class Failed(Exception): code = 1
class WrongSecret(Failed): code = 5
class Damaged(Failed): code = 6

codes = {0}                                                # the largest is the exit code

def say(sentence, code=0):
    codes.add(code)
    print(f"cue-read.py: {sentence}", file=sys.stderr)

@contextlib.contextmanager
def reporting(what):
    """One thing may fail without the rest."""
    try:
        yield
    except (InvalidTag, zstandard.ZstdError, argon2.HashingError) as error:
        say(f"{what}: it does not open ({error or 'other bytes were sealed'})", 6)
    except (Failed, OSError, OverflowError, ValueError) as error:
        say(f"{what}: {error}", getattr(error, "code", 1))

def need(true, sentence, kind=Damaged):
    if not true:
        raise kind(sentence)

# ---- Bytes and text (section 1)

class Cursor:
    """Reads the basic types. Every length is checked against what is left."""
    def __init__(self, data): self.data, self.at = data, 0
    def left(self): return len(self.data) - self.at
    def end(self): need(not self.left(), "bytes are left over")
    def take(self, n):
        need(n <= self.left(), "a length or count is larger than what is left")
        self.at += n
        return self.data[self.at - n:self.at]
    def u8(self): return self.take(1)[0]
    def varint(self):
        part = [self.u8()]
        while part[-1] > 127 and len(part) < 10:
            part.append(self.u8())
        value = sum((byte & 127) << 7 * i for i, byte in enumerate(part))
        need(0 < part[-1] < 128 or part == [0], "a varint is too long")
        need(value < 1 << 64, "a varint is too long")
        return value
    def svarint(self): return (lambda n: (n >> 1) ^ -(n & 1))(self.varint())
    def bytes(self): return self.take(self.varint())
    def many(self, read):
        """A count, and that many things of at least one byte each."""
        n = self.varint()
        need(n <= self.left(), "a length or count is larger than what is left")
        return [read() for _ in range(n)]
    def path(self):
        path = self.bytes()
        need(len(path) <= 4096 and b"\0" not in path and (not path or all(
            part not in (b"", b".", b"..") and len(part) <= 255 for part in path.split(b"/"))), "a path is not allowed")
        return path

def join(folder, name):
    return folder + b"/" * bool(folder and name) + name

def shown(name):
    """A name as text: bytes that are not printable UTF-8 as \\xNN, a backslash as two."""
    text = name.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in text)

def clock(ms, form="%Y-%m-%d %H:%M:%S"):
    return time.strftime(form, time.localtime(min(max(ms // 1000, -1 << 35), 1 << 37)))

def recovery_code(secret):
    """The 20 bytes that a recovery code spells, or None (section 4)."""
    text = secret.decode("ascii", "replace").upper().translate(str.maketrans("OIL", "011", " -"))
    if len(text) != 36 or set(text) - set(DIGITS):
        return None
    number = functools.reduce(lambda n, c: n << 5 | DIGITS.index(c), text, 0)
    code = (number >> 20).to_bytes(20, "big")
    check = hashlib.blake2b(code, digest_size=32).digest()[:3]
    return code if int.from_bytes(check, "big") >> 4 == number & 0xFFFFF else None

# ---- Sealed bytes, frames and records (sections 3, 5 and 6)

def expand(key, info, length):
    return HKDFExpand(algorithm=SHA512(), length=length, info=info).derive(key)

def unseal(message, key, context):
    """The plaintext of a Cobblestone-256 message, or None if it was sealed with another key or for another place."""
    keys = expand(key, b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + message[:24] + context, 76)
    if not hmac.compare_digest(keys[44:], message[24:56]):
        return None
    aead, nonce = AESGCM(keys[:32]), int.from_bytes(keys[32:44], "big")
    pieces = [aead.decrypt((nonce ^ i).to_bytes(12, "big"), message[at:at + 16400], None)
              for i, at in enumerate(range(56, len(message), 16400))]
    need(pieces and len(pieces[-1]) < 16384, "the message is cut short")
    return b"".join(pieces)

def unpack(codec, stored, raw):
    """Bytes as they are, or of one zstd frame. Never more than the raw length comes out."""
    if codec == 1:
        size = zstandard.get_frame_parameters(stored).content_size
        need(size in (raw, zstandard.CONTENTSIZE_UNKNOWN), "a zstd frame has another length than is written")
        stored = zstandard.ZstdDecompressor().decompress(stored, max_output_size=raw, allow_extra_data=False)
    need(codec in (0, 1) and len(stored) == raw, "bytes have another length or codec than is written")
    return stored

def read_records(plain):
    c = Cursor(plain)
    while c.left() > 1:
        codec, raw = c.u8(), c.varint()
        if raw == 0:
            break
        need(raw <= 64 * MIB, "a frame is too large")
        frame = Cursor(unpack(codec, c.bytes(), raw))
        while frame.left():
            yield frame.varint(), Cursor(frame.bytes())

def read_blocks(c, id_length):
    """The blocks of a pack, from a pack record (ids of 32 bytes) or from a footer (no ids)."""
    blocks, offset = [], 0
    for _ in range(c.varint()):
        codec, stored, raw = c.u8(), c.varint(), c.varint()
        blocks.append(Block(codec, offset, stored, raw, tuple(c.many(lambda: (c.take(id_length), c.varint())))))
        lengths = [length for _, length in blocks[-1].chunks]
        need(lengths and all(lengths) and sum(lengths) == raw <= 16 * MIB and (codec == 1 or codec == 0 and stored == raw),
             "a block has a wrong length or codec")
        offset += stored
    need(0 < offset <= 256 * MIB, "a pack is empty or too long")
    c.end()
    return blocks

def read_member(c, ordinals):
    path, kind, mode, seconds, nanoseconds = c.path(), c.u8(), c.varint(), c.svarint(), c.varint()
    need(kind in (1, 2, 3) and mode <= 4095 and nanoseconds < 10**9, "a member has a wrong kind, mode or time")
    xattrs, size, chunks, target = c.many(lambda: (c.bytes(), c.bytes())), 0, [], b""
    need([name for name, _ in xattrs] == sorted({name for name, _ in xattrs}), "xattrs are not in order")
    if kind == 1:
        size = c.varint()
        for _ in range(c.varint()):
            count, k = c.varint(), c.varint()
            need(0 < count <= (len(ordinals) - k + 1 if k else c.left()), "a run names chunks that are not there")
            chunks += ordinals[k - 1:k - 1 + count] if k else [c.take(32) for _ in range(count)]
    elif kind == 3:
        target = c.bytes()
        need(0 < len(target) <= 4096 and b"\0" not in target, "a symlink has a wrong target")
    return Member(path, kind, mode, seconds * 10**9 + nanoseconds, xattrs, size, chunks, target)

def read_version(c, id, device, when, ordinals):
    flags = c.u8()
    project = id if flags & NEW else c.take(12)
    parents, path, kind, _ = c.many(lambda: c.take(12)), c.path(), c.u8(), c.svarint()
    need(flags < 16 and not (flags & DELTA and (flags & TOMBSTONE or not parents)), "a version has wrong flags")
    need(kind in KINDS and (path or kind == 2) and path.split(b"/")[0] != b".cue", "a project has a wrong kind or path")
    removed = c.many(c.path) if flags & DELTA else []
    members = [] if flags & TOMBSTONE else c.many(lambda: read_member(c, ordinals))
    c.end()
    need(len({m.path for m in members}) == len(members), "a version has two members of one path")
    if not flags & (DELTA | TOMBSTONE):
        check_members(kind, {m.path: m for m in members})
    return Version(id, project, device, when, flags, parents, path, kind, removed, members)

def check_members(kind, members):
    need(b"" in members and members[b""].kind == (2 if kind == 4 else kind) and (kind == 4 or len(members) == 1),
         "the members of a version do not fit its kind")
    folders = {path for path, m in members.items() if m.kind == 2}
    need(all(not path or path.rpartition(b"/")[0] in folders for path in members), "the folder of a member is missing")

# ---- The vault

class Vault:
    def __init__(self, folder):
        with open(os.path.join(folder, "vault.json"), "rb") as file:
            about = json.load(file)
        need(about["format"] == 1, f"the vault has format {about['format']!r}, and this reader knows 1", Failed)
        self.folder, self.id, self.objects = folder, bytes.fromhex(about["vault"]), []
        for parent, _, files in os.walk(folder, onerror=lambda error: say(error, 1)):
            for name in (os.path.relpath(os.path.join(parent, file), folder) for file in sorted(files)):
                self.objects += [(kind, name, m) for kind, form in NAMES.items() if (m := re.fullmatch(form, name))]
        self.packs = {bytes.fromhex(m[2]): name for kind, name, m in self.objects if kind == 2}
        self.commits, self.versions, self.devices = {}, {}, {}             # devices: id: (generation, …, name)
        self.records, self.index = {}, {}                                  # pack: (size, blocks); chunk: its place

    def open(self, kind, name, key, start=0):
        with open(os.path.join(self.folder, name), "rb") as file:
            extra, message = file.read(start), file.read()
        return unseal(message, key, b"cue/1\0" + self.id + bytes([kind, len(name)]) + name.encode() + extra)

    def unlock(self, secret):
        """Tries the key slots (section 4)."""
        slots = [name for kind, name, _ in self.objects if kind == 1]
        need(slots, "the vault has no key slot")
        for name in slots:
            with reporting(f"The key slot {name} cannot be used"):
                with open(os.path.join(self.folder, name), "rb") as file:
                    head = file.read(60)
                need(len(head) == 60 and head[:24] == b"cueslot1" + self.id, "it is not of this vault")
                way, kdf, zero, passes, memory, lanes, salt = struct.unpack("<BBHIQI16s", head[24:])
                word = {1: secret, 2: recovery_code(secret)}.get(way)
                if word is None or kdf != 1:
                    continue
                need(zero == 0 and lanes == 1 and 3 <= passes <= 16 and 64 * MIB <= memory <= 2048 * MIB
                     and memory % 1024 == 0, "its numbers are out of bounds")
                key = argon2.hash_secret_raw(word, salt, passes, memory // 1024, 1, 32, argon2.Type.ID, 0x13)
                if plain := self.open(1, name, key, 60):
                    c = Cursor(plain)
                    key, _, _ = c.take(32), c.svarint(), c.bytes()
                    c.end()
                    self.keys = {label: expand(key, b"cue/1 subkey\0" + self.id + label.encode(), 32)
                                 for label in ("packs", "records", "chunk ids")}
                    return
        raise WrongSecret("the passphrase or recovery code opens no key slot")

    def read_commit(self, name, key):
        """Reads a log object (section 6). Nothing of it counts before all of it is read."""
        (device, generation, id), head, names, packs, ordinals, versions = key, None, [], {}, [], []
        plain = self.open(3, name, self.keys["records"])
        need(plain is not None, "the key does not fit")
        for kind, c in read_records(plain):
            need((kind == 1) == (head is None) and kind not in (5, 6), "a record stands in a wrong place")
            if kind == 1:
                previous, when, flags = c.take(8), c.svarint(), c.u8()
                head = c.many(lambda: (c.take(16), c.varint(), c.take(8)))
                need(flags < 4 and (generation == 1) == (previous == bytes(8)), "the commit record is wrong")
                head += [(device, generation - 1, previous)] if generation > 1 else []
                c.end()
            elif kind == 2:
                need(c.take(16) == device, "a device record is of another device")
                names.append((generation, id, len(names), c.bytes(), c.svarint()))
                c.end()
            elif kind == 3:
                pack, record = c.take(16), (c.varint(), read_blocks(c, 32))
                need(packs.setdefault(pack, self.records.get(pack, record)) == record, "two records of a pack differ")
                ordinals += [chunk for block in record[1] for chunk, _ in block.chunks]
            elif kind == 4:
                versions.append(read_version(c, id + struct.pack(">I", len(versions)), device, when, ordinals))
        need(head is not None, "it has no records")
        self.commits[key] = Commit(key, when, flags, head, versions)
        self.versions.update((v.id, v) for v in versions)
        self.devices[device] = max([self.devices.get(device, ()), *names])
        self.records.update(packs)
        for pack, (_, blocks) in packs.items():
            for block in blocks:
                offset = 0
                for chunk, length in block.chunks:
                    self.index[chunk] = (pack, *block[:4]), offset, length
                    offset += length

    def load(self, secret):
        self.unlock(secret)
        for name, m in ((name, m) for kind, name, m in self.objects if kind == 3):
            with reporting(f"The commit {name} cannot be read"):
                self.read_commit(name, (bytes.fromhex(m[1]), int(m[2]), bytes.fromhex(m[3])))

    def device(self, id):
        return shown((self.devices.get(id) or [id.hex()[:8].encode()] * 4)[3])

    # ---- Replay (section 7)

    def snapshots(self):
        return sorted((c for c in self.commits.values() if c.flags & 1), key=lambda c: (c.time, c.key))

    def heads(self, at=None, missing_is=0):
        """The heads that are no tombstones, of a snapshot or of all that is there; the newest first."""
        todo, here, missing = list(self.commits), set(), set()
        if at is not None:
            todo = [c.key for c in self.snapshots() if c.key[2].hex().startswith(at.lower())]
            need(len(todo) == 1, f"{'more than one' if todo else 'no'} snapshot id begins with {at!r}", Failed)
        while todo:
            key = todo.pop()
            if key not in self.commits:
                missing.add(key)
            elif key not in here:
                here.add(key)
                todo += self.commits[key].before
        if missing:
            say(f"{len(missing)} commits that others name are not there (yet), so something may be too old.", missing_is)
        versions = [v for key in here for v in self.commits[key].versions]
        parents = {(v.project, parent) for v in versions for parent in v.parents}
        heads = [v for v in versions if not v.flags & TOMBSTONE and (v.project, v.id) not in parents]
        return sorted(heads, key=lambda v: (v.time, v.id), reverse=True)

    def places(self, at):
        """Every head with a place: its path, or a free name beside it. Folders of one path become one."""
        kinds, heads = {}, self.heads(at)
        paths = {v.path for v in heads}
        for v in sorted(heads, key=lambda v: (v.path.count(b"/") + bool(v.path), v.kind != 2)):
            parts, n = v.path.split(b"/"), 0
            above = next((i for i in range(1, len(parts)) if kinds.get(b"/".join(parts[:i]), 2) != 2), len(parts))
            folder, name = b"/".join(parts[:above - 1]), parts[-1]         # beside what is no folder, not below it
            stem, dot, end = name.rpartition(b".") if v.kind != 2 and b"." in name[1:] else (name, b"", b"")
            place = join(folder, name)
            if v.kind == 2 == kinds.get(place):
                continue
            while place in kinds or n and place in paths:
                n += 1
                label = f" ({self.device(v.device)[:20]}, {clock(v.time, '%Y-%m-%d %H.%M')}{f' {n}' if n > 1 else ''})"
                place = join(folder, stem[:120] + label.replace("/", "-").encode() + (dot + end)[:20])
            kinds[place] = v.kind
            if place != v.path:
                say(f"Conflict: a version of {shown(v.path)} is shown as {shown(place)}.")
            yield place, v

    def members(self, version):
        """All members of a version, deltas laid over their first parents: {path: member}."""
        chain, members = [version], {}
        while chain[-1].flags & DELTA:
            chain.append(self.versions.get(chain[-1].parents[0]))
            need(chain[-1] and chain[-1].project == version.project and len(chain) <= len(self.versions),
                 "the version that it builds on is missing")
        for v in reversed(chain):
            need(all([members.pop(path, None) for path in v.removed]), "a removed member is not there")
            members.update((m.path, m) for m in v.members)
        check_members(version.kind, members)
        return members

    # ---- Content (section 5)

    @functools.lru_cache(4)
    def pack(self, id):
        plain = self.open(2, self.packs[id], self.keys["packs"]) if id in self.packs else None
        need(plain is not None, f"the pack {id.hex()} is missing or was sealed with another key")
        return plain

    @functools.lru_cache(16)
    def block(self, pack, codec, offset, stored, raw):
        return unpack(codec, self.pack(pack)[offset:offset + stored], raw)

    def chunk(self, id):
        place, offset, length = self.index[id]
        data = self.block(*place)[offset:offset + length]
        fits = hashlib.blake2b(data, key=self.keys["chunk ids"], digest_size=32).digest() == id
        need(fits, f"the chunk {id.hex()} has another content than its id says")
        return data

    def content(self, m):
        """The chunks of a file, once it is clear that all of them are known."""
        need(all(id in self.index for id in m.chunks), "a chunk is in no pack")
        need(sum(self.index[id][2] for id in m.chunks) == m.size, "its chunks and its size do not agree")
        return map(self.chunk, m.chunks)

    def check_pack(self, id):
        plain, (size, blocks) = self.pack(id), self.records.get(id, (0, []))
        end = len(plain) - 4
        footer = read_blocks(Cursor(plain[end - int.from_bytes(plain[-4:], "little"):end]), 0)
        need(not blocks or size == os.path.getsize(os.path.join(self.folder, self.packs[id]))
             and [b._replace(chunks=tuple((b"", n) for _, n in b.chunks)) for b in blocks] == footer,
             "its size or footer is not what a commit says")
