#!/usr/bin/env python3
"""Reads a cue vault without cue, by docs/format.md alone. The vault is never written to.

The secret, a passphrase or a recovery code, comes from CUE_PASSPHRASE or is asked for.
Exit codes: 0 done, 1 failed, 2 wrong use, 5 wrong secret, 6 something is damaged (the rest was read).
Needs: pip install cryptography argon2-cffi zstandard"""
import argparse, collections, contextlib, ctypes, functools, getpass, hashlib, hmac, json, os, re, struct, sys, time
import argon2.low_level as argon2, zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

MIB, DIGITS, KINDS = 1 << 20, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", {1: "file", 2: "folder", 3: "symlink", 4: "bundle"}
NAMES = {1: r"keys/[0-9a-f]{16}", 2: r"packs/([0-9a-f]{2})/(\1[0-9a-f]{30})",
         3: r"log/([0-9a-f]{32})/(?!0{10})([0-9]{10})-([0-9a-f]{16})"}
NEW, TOMBSTONE, DELTA, PACKS, RECORDS, CHUNKS = 1, 2, 8, b"packs", b"records", b"chunk ids"
Block = collections.namedtuple("Block", "codec offset stored raw chunks")                # chunks: ((id, length), …)
Commit = collections.namedtuple("Commit", "key time flags before versions")              # key: (device, generation, id)
Version = collections.namedtuple("Version", "id project time flags parents path kind removed members")
Member = collections.namedtuple("Member", "path kind mode mtime xattrs size chunks target")

class Failed(Exception): code = 1
class WrongSecret(Failed): code = 5
class Damaged(Failed): code = 6
class OtherKey(Damaged): pass

codes = {0}                                               # the largest is the exit code
def say(sentence, code=0):
    codes.add(code)
    print(f"cue-read.py: {sentence}", file=sys.stderr)

@contextlib.contextmanager
def reporting(what):
    """One thing may fail without the rest."""
    try:
        yield
    except (InvalidTag, zstandard.ZstdError) as error:
        say(f"{what}: sealed or packed bytes do not open {error}", 6)
    except (Failed, OSError, EOFError, OverflowError, ValueError, argon2.HashingError) as error:
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
    def u8(self): return self.take(1)[0]
    def bytes(self): return self.take(self.varint())
    def take(self, n):
        need(n <= self.left(), "a length is larger than what is left")
        self.at += n
        return self.data[self.at - n:self.at]
    def varint(self):
        value = at = 0
        while (byte := self.u8()) > 127 and at < 63:
            value, at = value | (byte & 127) << at, at + 7
        need(byte < (2 if at == 63 else 128) and (byte or not at), "a varint is too long")
        return value | byte << at
    def svarint(self):
        n = self.varint()
        return (n >> 1) ^ -(n & 1)
    def many(self, read):
        n = self.varint()
        need(n <= self.left(), "a count is larger than what is left")
        return [read() for _ in range(n)]
    def path(self):
        path = self.bytes()
        parts = path.split(b"/") if path else []
        need(len(path) <= 4096 and b"\0" not in path and not {b"", b".", b".."} & set(parts)
             and all(len(part) <= 255 for part in parts), "a path is not allowed")
        return path

def join(folder, name):
    return folder + b"/" * bool(folder and name) + name

def shown(name):
    """A name as text: bytes that are not printable UTF-8 as \\xNN, a backslash as two."""
    text = name.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else "".join(f"\\x{byte:02x}" for byte in c.encode()) for c in text)

def clock(ms):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(min(max(ms // 1000, -1 << 35), 1 << 37)))

# ---- Sealed bytes, frames and records (sections 3, 5 and 6)
def expand(key, info, length):
    return HKDFExpand(algorithm=SHA512(), length=length, info=info).derive(key)

def unseal(message, key, context):
    """The plaintext of a Cobblestone-256 message."""
    keys = expand(key, b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + message[:24] + context, 76)
    need(hmac.compare_digest(keys[44:], message[24:56]), "the key or the name does not fit", OtherKey)
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
        chunks = tuple(c.many(lambda: (c.take(id_length), c.varint())))
        need(all(n for _, n in chunks) and 0 < raw == sum(n for _, n in chunks) <= 16 * MIB
             and (codec == 1 or codec == 0 and stored == raw), "a block has a wrong length or codec")
        blocks.append(Block(codec, offset, stored, raw, chunks))
        offset += stored
    need(0 < offset <= 256 * MIB, "a pack is empty or too long")
    c.end()
    return blocks

def read_member(c, ordinals):
    path, kind, mode, seconds, nanoseconds = c.path(), c.u8(), c.varint(), c.svarint(), c.varint()
    xattrs, size, chunks, target = c.many(lambda: (c.bytes(), c.bytes())), 0, [], b""
    need(kind in (1, 2, 3) and mode <= 4095 and nanoseconds < 10**9, "a member has a wrong kind, mode or time")
    need([name for name, _ in xattrs] == sorted(dict(xattrs)), "the xattrs of a member are not in order")
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

def read_version(c, id, when, ordinals):
    flags = c.u8()
    project = id if flags & NEW else c.take(12)
    parents, path, kind, _ = c.many(lambda: c.take(12)), c.path(), c.u8(), c.svarint()
    need(flags < 16 and not (flags & DELTA and (flags & TOMBSTONE or not parents)), "a version has wrong flags")
    need(kind in KINDS and (path or kind == 2) and path.split(b"/")[0] != b".cue", "a project has a wrong kind or path")
    removed = c.many(c.path) if flags & DELTA else []
    members = [] if flags & TOMBSTONE else c.many(lambda: read_member(c, ordinals))
    need(len({m.path for m in members}) == len(members), "a version has two members of one path")
    if not flags & (DELTA | TOMBSTONE):
        check_members(kind, {m.path: m for m in members})
    return Version(id, project, when, flags, parents, path, kind, removed, members)

def check_members(kind, members):
    need(b"" in members and members[b""].kind == (2 if kind == 4 else kind) and (kind == 4 or len(members) == 1),
         "the members of a version do not fit its kind")
    folders = {path for path, m in members.items() if m.kind == 2}
    need(all(not path or path.rpartition(b"/")[0] in folders for path in members), "the folder of a member is missing")

def recovery_code(secret):
    """The 20 bytes that a recovery code spells, or None (section 4)."""
    text = secret.decode("ascii", "replace").upper().translate(str.maketrans("OIL", "011", " -"))
    if len(text) != 36 or set(text) - set(DIGITS):
        return None
    number = functools.reduce(lambda n, c: n << 5 | DIGITS.index(c), text, 0)
    code = (number >> 20).to_bytes(20, "big")
    check = hashlib.blake2b(code, digest_size=32).hexdigest()[:5]
    return code if f"{number:05x}"[-5:] == check else None

def slot_key(head, secret, vault):
    need(len(head) == 60 and head[:24] == b"cueslot1" + vault, "it is not of this vault")
    way, kdf, zero, passes, memory, lanes, salt = struct.unpack("<BBHIQI16s", head[24:])
    word = {1: secret, 2: recovery_code(secret)}.get(way)
    need(word is not None and kdf == 1, "it wants another kind of secret", OtherKey)
    need((zero, lanes, memory % 1024) == (0, 1, 0) and 3 <= passes <= 16 and 64 * MIB <= memory <= 2048 * MIB,
         "its numbers are out of bounds")
    return argon2.hash_secret_raw(word, salt, passes, memory // 1024, 1, 32, argon2.Type.ID, 0x13)

# ---- The vault
class Vault:
    def __init__(self, folder, secret):
        with open(os.path.join(folder, "vault.json"), "rb") as file:
            about = json.load(file)
        need(isinstance(about, dict) and about.get("format") == 1, "this is no vault of format 1", Failed)
        self.folder, self.id, self.objects = os.path.abspath(folder), bytes.fromhex(str(about.get("vault"))), []
        for parent, _, files in os.walk(folder, onerror=lambda error: say(error, 1)):
            for name in (os.path.relpath(os.path.join(parent, file), folder) for file in sorted(files)):
                self.objects += [(kind, name, m) for kind, form in NAMES.items() if (m := re.fullmatch(form, name))]
        self.packs = {bytes.fromhex(m[2]): name for kind, name, m in self.objects if kind == 2}
        self.commits, self.versions, self.devices = {}, {}, {}            # devices: id: (generation, commit, name)
        self.records, self.index = {}, {}                                 # pack: (size, blocks); chunk: its place
        self.keys = self.unlock(secret)
        for name, m in ((name, m) for kind, name, m in self.objects if kind == 3):
            with reporting(f"The commit {name} cannot be read"):
                self.read_commit(name, (bytes.fromhex(m[1]), int(m[2]), bytes.fromhex(m[3])))

    def open(self, kind, name, key):
        """The plaintext of an object. A key slot (section 4) has 60 bytes before its message, which lead to the key."""
        with open(os.path.join(self.folder, name), "rb") as file:
            head, message = file.read(60 if kind == 1 else 0), file.read()
        key = slot_key(head, key, self.id) if kind == 1 else key
        return unseal(message, key, b"cue/1\0" + self.id + bytes([kind, len(name)]) + name.encode() + head)

    def unlock(self, secret):
        for name in (name for kind, name, _ in self.objects if kind == 1):
            with reporting(f"The key slot {name} cannot be used"), contextlib.suppress(OtherKey):
                c = Cursor(self.open(1, name, secret))
                key, _, _, _ = c.take(32), c.svarint(), c.bytes(), c.end()
                return {use: expand(key, b"cue/1 subkey\0" + self.id + use, 32) for use in (PACKS, RECORDS, CHUNKS)}
        raise WrongSecret("the passphrase or recovery code opens no key slot")

    def read_commit(self, name, key):
        """Reads a log object (section 6). Nothing of it counts before all of it is read."""
        (device, generation, id), before, names, packs, ordinals, versions = key, None, [], {}, [], []
        for kind, c in read_records(self.open(3, name, self.keys[RECORDS])):
            need((kind == 1) == (before is None) and kind not in (5, 6), "a record stands in a wrong place")
            if kind == 1:
                previous, when, flags = c.take(8), c.svarint(), c.u8()
                before = c.many(lambda: (c.take(16), c.varint(), c.take(8)))
                need(flags < 4 and (generation == 1) == (previous == bytes(8)), "the commit record is wrong")
                before += [(device, generation - 1, previous)] if generation > 1 else []
            elif kind == 2:
                need(c.take(16) == device, "a device record is of another device")
                names.append((generation, id, c.bytes(), c.svarint()))
            elif kind == 3:
                pack, record = c.take(16), (c.varint(), read_blocks(c, 32))
                need(packs.setdefault(pack, self.records.get(pack, record)) == record, "two records of a pack differ")
                ordinals += [chunk for block in record[1] for chunk, _ in block.chunks]
            elif kind == 4:
                versions.append(read_version(c, id + struct.pack(">I", len(versions)), when, ordinals))
            need(kind > 4 or not c.left(), "bytes are left over")
        need(before is not None, "it has no records")
        self.commits[key] = Commit(key, when, flags, before, versions)
        self.versions.update((v.id, v) for v in versions)
        self.devices[device] = max([self.devices.get(device, (0, b"", b"?")), *names])
        self.records.update(packs)
        for pack, block in ((pack, block) for pack, (_, blocks) in packs.items() for block in blocks):
            offset = 0
            for chunk, length in block.chunks:
                self.index[chunk] = (pack, *block[:4]), offset, length
                offset += length

    # -- Replay (section 7)
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
            if key in self.commits and key not in here:
                todo += self.commits[key].before
            (here if key in self.commits else missing).add(key)
        if missing:
            say(f"{len(missing)} commits that others name are not there (yet): something may be too old.", missing_is)
        versions = [v for key in here for v in self.commits[key].versions]
        parents = {(v.project, parent) for v in versions for parent in v.parents}
        heads = [v for v in versions if not v.flags & TOMBSTONE and (v.project, v.id) not in parents]
        return sorted(heads, key=lambda v: (v.time, v.id), reverse=True)

    def places(self, at):
        """Every head with a place: its path, or a name of its own beside it. Folders of one path become one."""
        kinds = {}
        for v in sorted(self.heads(at), key=lambda v: (v.path.count(b"/") + bool(v.path), v.kind != 2)):
            parts = v.path.split(b"/")
            above = next((n for n in range(1, len(parts)) if kinds.get(b"/".join(parts[:n]), 2) != 2), len(parts))
            folder, name = b"/".join(parts[:above - 1]), parts[-1]        # beside what is no folder, not below it
            place = join(folder, name)
            if v.kind == 2 == kinds.get(place):
                continue
            if place in kinds:
                stem, end = os.path.splitext(name) if v.kind != 2 else (name, b"")
                label = f" ({clock(v.time).replace(':', '.')}, {v.id.hex()})"
                place = join(folder, stem[:160] + label.encode() + end[:40])
            if place != v.path:
                say(f"Conflict: a version of {shown(v.path)} is shown as {shown(place)}.")
            kinds[place] = v.kind
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
        for m in members.values():
            need(all(id in self.index for id in m.chunks) and sum(self.index[id][2] for id in m.chunks) == m.size,
                 f"a chunk of {shown(join(version.path, m.path))} is in no pack, or its size is wrong")
        return members

    # -- Content (section 5)
    @functools.lru_cache(4)
    def pack(self, id):
        need(id in self.packs, f"the pack {id.hex()} is missing")
        return self.open(2, self.packs[id], self.keys[PACKS])
    @functools.lru_cache(16)
    def block(self, pack, codec, offset, stored, raw):
        return unpack(codec, self.pack(pack)[offset:offset + stored], raw)
    def chunk(self, id):
        place, offset, length = self.index[id]
        data = self.block(*place)[offset:offset + length]
        name = hashlib.blake2b(data, key=self.keys[CHUNKS], digest_size=32).digest()
        need(name == id, f"the chunk {id.hex()} has another content than its id says")
        return data

# ---- The commands
def list_projects(vault, args):
    rows = []
    for place, v in sorted(vault.places(args.at)):
        with reporting(f"{shown(place)} cannot be shown"):
            members = vault.members(v)
            size = sum(m.size for m in members.values())
            rows.append((shown(place), KINDS[v.kind], size, v.id.hex(), clock(members[b""].mtime // 10**6)))
    print(json.dumps([dict(zip(("path", "kind", "size", "version"), row)) for row in rows], indent=1) if args.json else
          "\n".join(f"{kind:7} {size:>12} {changed} {path or '.'}" for path, kind, size, _, changed in rows))

def list_snapshots(vault, _):
    for c in vault.snapshots():
        print(c.key[2].hex(), clock(c.time), shown(vault.devices[c.key[0]][2]) + " (incomplete)" * (c.flags >> 1))

def check(vault, _):
    vault.heads(missing_is=6)
    for pack, (size, blocks) in sorted(vault.records.items()):
        with reporting(f"The pack {pack.hex()} is damaged"):
            plain = vault.pack(pack)
            footer = Cursor(plain[-4 - int.from_bytes(plain[-4:], "little"):-4])
            without_ids = [b._replace(chunks=tuple((b"", n) for _, n in b.chunks)) for b in blocks]
            need(read_blocks(footer, 0) == without_ids, "its footer is not what a commit says")
            need(os.path.getsize(os.path.join(vault.folder, vault.packs[pack])) == size, "its size is wrong")
            for id in (id for block in blocks for id, _ in block.chunks):
                vault.chunk(id)
    for v in (v for v in vault.versions.values() if not v.flags & TOMBSTONE):
        with reporting(f"The version {v.id.hex()} of {shown(v.path)} is damaged"):
            vault.members(v)
    print(f"{len(vault.commits)} commits, {len(vault.versions)} versions, {len(vault.records)} packs, "
          f"{len(vault.index)} chunks: {'all is well' if codes == {0} else 'not all is well'}")

def restore(vault, args):
    with contextlib.suppress(FileExistsError):
        os.mkdir(args.out, 0o700)
    os.umask(0o077)
    os.fchdir(os.open(args.out, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW))
    need(not os.listdir(), f"{args.out} is not empty, and nothing is overwritten", Failed)
    things, folders = [], []
    for place, v in vault.places(args.at):
        with reporting(f"{shown(place)} is not restored"):
            things += [(join(place, path) or b".", m) for path, m in vault.members(v).items()]
    # Folders first and symlinks last: while anything is written there is no symlink that it could go through.
    for path, m in sorted(things, key=lambda thing: (thing[1].kind != 2, thing[1].kind, thing[0] != b".", thing[0])):
        with reporting(f"{shown(path)} is not restored"):
            os.makedirs(path if m.kind == 2 else os.path.dirname(path) or b".", exist_ok=True)
            if m.kind == 2:
                folders.append((path, m))
            else:
                write_file(vault, path, m) if m.kind == 1 else os.symlink(m.target, path)
                dress(path, m)
    for path, m in reversed(folders):
        with reporting(f"The folder {shown(path)} is not finished"):
            dress(path, m)

def write_file(vault, path, m):
    with open(path, "xb") as file:                        # x: only a new file, and through no symlink
        try:
            for id in m.chunks:
                file.write(vault.chunk(id))
        except BaseException:
            os.unlink(path)
            raise

def dress(path, m):
    """Xattrs, mode and time; never those of a symlink's target."""
    for name, value in m.xattrs:
        with reporting(f"The xattr {shown(name)} of {shown(path)} is not set"):
            if sys.platform == "linux":
                os.setxattr(path, b"user." + name, value, follow_symlinks=False)
            elif ctypes.CDLL(None).setxattr(path, name, value, ctypes.c_size_t(len(value)), 0, 1):
                raise OSError("the system refuses it")
    if m.kind != 3:
        os.chmod(path, m.mode)
    os.utime(path, ns=(m.mtime, m.mtime), follow_symlinks=False)

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", metavar="VAULT", help="the folder of the vault")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, run, about in (("list", list_projects, "show the documents and folders"),
                             ("snapshots", list_snapshots, "show the snapshots, the oldest first"),
                             ("restore", restore, "write everything to OUT, a new or empty folder"),
                             ("check", check, "read everything once, and say what is damaged")):
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(run=run)
        if name == "restore":
            command.add_argument("out", metavar="OUT")
        if name in ("list", "restore"):
            command.add_argument("--at", metavar="SNAPSHOT", help="as of a snapshot: its id, or the beginning of it")
        if name == "list":
            command.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)                         # os.makedirs calls itself for every folder above
    sys.stdout.reconfigure(errors="backslashreplace")
    with reporting(args.vault):
        secret = os.environb.get(b"CUE_PASSPHRASE")
        if secret is None:
            secret = os.fsencode(getpass.getpass("Passphrase or recovery code: "))
        args.run(Vault(args.vault, secret), args)
    sys.exit(max(codes))

if __name__ == "__main__":
    main()
