#!/usr/bin/env python3
"""Reads a cue vault without cue, by docs/format.md alone. The vault is never written to.

The secret, a passphrase or a recovery code, comes from CUE_PASSPHRASE or is asked for.
Exit codes: 0 done, 1 failed, 2 wrong use, 5 wrong secret, 6 something is damaged (the rest was read).
Needs: pip install cryptography argon2-cffi zstandard (Debian: python3-cryptography python3-argon2 python3-zstandard)"""
import argparse, array, bisect, collections, contextlib, datetime, decimal, functools, getpass, hashlib, hmac, itertools
import json, math, os, re, signal, stat, struct, sys, time, unicodedata
try:
    import argon2.low_level as argon2, zstandard
    from argon2.exceptions import HashingError
    from cryptography.exceptions import InvalidSignature, InvalidTag
    from cryptography.hazmat.primitives import poly1305
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError as error:
    sys.exit(f"cue-read.py: {error}.\n" + __doc__[__doc__.index("Needs"):])

MIB, DIGITS, KINDS = 1 << 20, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", {1: "file", 2: "folder", 3: "symlink", 4: "bundle"}
FILE, FOLDER, SYMLINK, BUNDLE = KINDS
NEW, TOMBSTONE, UNSETTLED, DELTA = 1, 2, 4, 8                       # flags of versions
SLOT, PACK, LOG, CHECKPOINT, EVENTS, EPOCH, RUN = range(1, 8)           # kinds of objects
YEARS, SIZE = range(-62167219200000, 253402300800000), 1 << 53      # section 10, as all that is called MOST
DELTAS, MOST_CHUNKS, MOST_PATH, MOST_NAME, MOST_XATTR, MOST_INLINE, MOST_BASES = 100, 1 << 21, 4096, 255, MIB, 65536, 4
MOST_FRAME, MOST_BLOCK, MOST_PACK, MOST_RECORDS, MOST_BATCH = 64 * MIB, 16 * MIB, 256 * MIB, 4096 * MIB, 64 * MIB
MOST_RUN, MOST_SHUT_OUT, MOST_JSON, NOTES = 100_000, 64, 16384, range(13, 20)
RECORDS = {*range(1, 7), *range(10, 23)}                            # kinds that stand in a place of their own, or nowhere
MOST_EPOCHS, MOST_SLOTS, MOST_REMOVED, MOST_EPOCH, MOST_LABEL = 1024, 256, 4096, 256 << 10, 255
# A position is (device id, generation, commit id); that of a run has (its first generation, its last) and the run id.
# before: [(position, the digest that is said of it)]; called: what the device is called from then on, or nothing; notes: of
# the kinds 13 to 19, as [(kind, number among those of the kind, body)].
Commit = collections.namedtuple("Commit", "id position digest time flags before called versions notes packs")
Version = collections.namedtuple("Version", "id project time flags parents path kind edited removed members")
Member = collections.namedtuple("Member", "path kind mode mtime xattrs size chunks target")
# blocks: [(codec, start, stored, raw, bases)]; owners: of each chunk the number of its block; commit: the position of the
# object of a log that holds the blocks itself; names: the objects that say so.
Pack = collections.namedtuple("Pack", "id size commit blocks ids owners offsets lengths said names")
# What a version comes to. said: the sum of what members say; broken: paths of files whose chunks are not all there.
Listing = collections.namedtuple("Listing", "members depth size pieces said broken wrong")

class Failed(Exception): code = 1
class WrongSecret(Failed): code = 5
class Damaged(Failed): code = 6
class OtherKey(Damaged): pass

DAMAGE = Damaged, InvalidTag, InvalidSignature, zstandard.ZstdError, struct.error, OSError
# slots: {slot id: BLAKE2b of its bytes}, in the order of the boxes; earlier: {epoch id: key}, the first epoch first.
Epoch = collections.namedtuple("Epoch", "number id key earlier slots removed")
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

def say_all(sentences):
    """Damage of one sort, of which there may be very much."""
    for sentence in sentences[:50]: say(sentence, 6)
    if len(sentences) > 50: say(f"… and {len(sentences) - 50} more of this.", 6)

def need(true, sentence, kind=Damaged):
    if not true: raise kind(sentence)

# ---- Bytes and text (section 1)
class Cursor:
    """Reads the basic types. Every length is checked against what is left."""
    def __init__(self, data, at=0, end=None): self.data, self.at, self.end = data, at, len(data) if end is None else end
    def left(self): return self.end - self.at
    def u8(self): return self.take(1)[0]
    def take(self, n):
        at = self.at
        need(n <= self.end - at, "a length is larger than what is left")
        self.at = at + n
        return self.data[at:at + n]
    def varint(self):
        value = shift = 0
        while (byte := self.u8()) > 127 and shift < 63:
            value, shift = value | (byte & 127) << shift, shift + 7
        need(byte < (2 if shift == 63 else 128) and (byte or not shift), "a varint is too long")
        return value | byte << shift
    def svarint(self): return ((n := self.varint()) >> 1) ^ -(n & 1)
    def number(self, most, what="a number"):
        need((n := self.varint()) <= most, f"{what} is too large")
        return n
    def bytes(self, most=1 << 64): return self.take(self.number(most, "a length"))
    def part(self):
        """A cursor over what stands behind a length, without a copy."""
        n = self.varint()
        need(n <= self.left(), "a length is larger than what is left")
        self.at += n
        return Cursor(self.data, self.at - n, self.at)
    def time(self):
        need((ms := self.svarint()) in YEARS, "a time is beyond the years 0 to 9999")
        return ms
    def many(self, read, size=1):
        """As many things as a number says, each of at least `size` bytes."""
        n = self.varint()
        need(n <= self.left() // size, "a count is larger than what is left")
        return [read() for _ in range(n)]
    def position(self): return self.take(16), self.varint(), self.take(8)
    def digests(self): return self.many(lambda: (self.position(), self.take(32)), 57)
    def number_id(self): return self.take(12)                       # commit id and number of a record
    def path(self):
        path = self.bytes(MOST_PATH)
        parts = path.split(b"/")
        right = b"\0" not in path and not {b"", b".", b".."} & set(parts) and max(map(len, parts)) <= MOST_NAME
        need(not path or right, "a path is not allowed")
        return path
    def finish(self): need(self.at == self.end, "it holds more than it should")

def shown(name):                                                    # what is not printable UTF-8 as \xNN
    text = name.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
def clock(ms): return time.strftime("%Y-%m-%d %H.%M.%S", time.localtime(ms // 1000))

# ---- Sealed bytes and keys (sections 3 and 4)
def expand(key, info, length):                                      # HKDF-Expand-SHA-512, for at most 128 bytes
    first = hmac.digest(key, info + b"\1", "sha512")
    return (first + hmac.digest(key, first + info + b"\2", "sha512"))[:length]

def salsa(key, input, rounds_only):
    """The Salsa20 core; with `rounds_only` what HSalsa20 takes of it."""
    constants, k, n = struct.unpack("<4I", b"expand 32-byte k"), struct.unpack("<8I", key), struct.unpack("<4I", input)
    start = [constants[0], *k[:4], constants[1], *n, constants[2], *k[4:], constants[3]]
    x = start[:]
    def quarter(a, b, c, d):
        for to, one, two, turn in ((b, a, d, 7), (c, b, a, 9), (d, c, b, 13), (a, d, c, 18)):
            sum = x[one] + x[two] & 0xffffffff
            x[to] ^= (sum << turn | sum >> 32 - turn) & 0xffffffff
    for _ in range(10):
        for places in ((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11),
                       (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14)): quarter(*places)
    if rounds_only: return struct.pack("<8I", *(x[i] for i in (0, 5, 10, 15, 6, 7, 8, 9)))
    return struct.pack("<16I", *(a + b & 0xffffffff for a, b in zip(x, start)))

def public_of(secret):
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

def open_box(box, secret):
    """The 32 bytes that crypto_box_seal sealed: X25519, HSalsa20, XSalsa20 and Poly1305."""
    nonce = hashlib.blake2b(box[:32] + public_of(secret), digest_size=24).digest()
    try: shared = X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(box[:32]))
    except ValueError as error: raise Damaged(f"a box does not open: {error}")
    key = salsa(salsa(shared, bytes(16), True), nonce[:16], True)
    stream = salsa(key, nonce[16:] + bytes(8), False)                # one block: the key of the tag, and 32 bytes
    poly1305.Poly1305.verify_tag(stream[:32], box[48:], box[32:48])
    return bytes(a ^ b for a, b in zip(box[48:], stream[32:]))

class Message:
    """A sealed message in a file, of which any part can be opened. `prefix`: the bytes that stand before it."""
    def __init__(self, path, key, context, most, prefix=0):
        info = os.lstat(path)
        need(stat.S_ISREG(info.st_mode), "it is no file")
        whole, rest = divmod(info.st_size - prefix - 56, 16400)
        need(info.st_size <= most and whole >= 0 and rest >= 16, "it is cut short, or no message has its size")
        self.file, self.start, self.size = open(path, "rb", 0), prefix + 56, whole * 16384 + rest - 16
        head = os.pread(self.file.fileno(), 56, prefix)
        keys = expand(key, b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + head[:24] + context, 76)
        need(hmac.compare_digest(keys[44:], head[24:]), "the key or the name does not fit", OtherKey)
        self.aead, self.nonce = AESGCM(keys[:32]), int.from_bytes(keys[32:44], "big")
    def read(self, start, end):
        """A part of the plaintext; the chunks that hold it are opened whole."""
        first, last = start // 16384, max(start, end - 1) // 16384
        sealed = os.pread(self.file.fileno(), (last - first + 1) * 16400, self.start + first * 16400)
        opened = b"".join(self.aead.decrypt((self.nonce ^ i).to_bytes(12, "big"), sealed[at:at + 16400], None)
                          for i, at in enumerate(range(0, max(1, len(sealed)), 16400), first))
        start, end = start - first * 16384, end - first * 16384
        need(len(opened) >= end, "it is cut short")
        return opened[start:end]

class Plaintext(Cursor):
    """A message from front to end, never all of it in memory."""
    def __init__(self, message):
        super().__init__(b"")
        self.message, self.next = message, 0
    def left(self): return self.message.size - self.next + self.end - self.at
    def take(self, n):
        need(n <= self.left(), "a length is larger than what is left")
        if n > self.end - self.at:
            end = min(self.message.size, self.next + max(n, MIB // 4))
            self.data, self.next = self.data[self.at:] + self.message.read(self.next, end), end
            self.at, self.end = 0, len(self.data)
        return super().take(n)
    def drain(self):
        """Opens the rest: only the last chunk says that nothing was cut off."""
        size = self.message.size
        for at in range(self.next, size, MIB): self.message.read(at, min(size, at + MIB))
        self.message.read(size, size)

def spelled(secret):
    """The 20 bytes of a recovery code; nothing where it is none: then it is a passphrase."""
    code = secret.decode("ascii", "replace").translate(str.maketrans("OoIiLl", "001111", " -")).upper()
    if len(code) != 36 or not set(code) <= set(DIGITS) or not secret.isascii(): return None
    bits = functools.reduce(lambda n, c: n << 5 | DIGITS.index(c), code, 0)
    data = (bits >> 20).to_bytes(20, "big")
    check = int.from_bytes(hashlib.blake2b(data, digest_size=32).digest()[:3], "big") >> 4
    return data if check == bits & 0xFFFFF else None

# ---- Frames and records (sections 5 and 6)
def frame_size(data):
    """The length of the one zstd frame (RFC 8878) that `data` begins with: nothing may come after it."""
    need(data[:4] == b"\x28\xb5\x2f\xfd" and len(data) > 5, "bytes are no zstd frame")
    single, fields = data[4] >> 5 & 1, data[4]
    at = 5 + (not single) + (0, 1, 2, 4)[fields & 3] + (single, 2, 4, 8)[fields >> 6]
    last = 0
    while not last:
        head = int.from_bytes(data[at:at + 3], "little")
        need(at + 3 <= len(data), "a zstd frame is cut short")
        last, at = head & 1, at + 3 + (1 if head >> 1 & 3 == 1 else head >> 3)
    return at + 4 * (fields >> 2 & 1)

def unpack(codec, stored, raw, prefix=b""):
    """Bytes as they are, or of exactly one zstd frame. Never more than was promised comes out of it."""
    if codec:
        need(frame_size(stored) == len(stored), "bytes are not one zstd frame")
        # libzstd makes room for what the frame promises, so that is looked at first.
        promised = zstandard.get_frame_parameters(stored).content_size
        need(promised in (raw, zstandard.CONTENTSIZE_UNKNOWN), "bytes have another length than is written")
        raw_content = zstandard.ZstdCompressionDict(prefix, zstandard.DICT_TYPE_RAWCONTENT) if prefix else None
        stored = zstandard.ZstdDecompressor(raw_content, 1 << 31).decompress(stored, max_output_size=raw)
    need(len(stored) == raw, "bytes have another length than is written")
    return stored

class Budget:
    """What an object may open to by the bytes of its frames: bytes, things that are kept, and chunks that are named."""
    def __init__(self): self.weight, self.chunks, self.size = 0, 0, 0
    def excess(self): return max(0, self.weight - 256 * self.size), max(0, self.chunks - self.size // 8)
    def add(self, weight, chunks=0):
        self.weight, self.chunks = self.weight + weight, self.chunks + chunks
        need(self.weight <= max(32 * MIB, 256 * self.size) and self.chunks <= max(2 * MIB, self.size // 8),
             "it holds more than an object of its size can")

SMALL = 0, 1, *(int.from_bytes(bytes.fromhex(y), "little") for y in (
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"))
class Signed:
    """What stands for an object and who signed it (section 12). `device`: who must have."""
    def __init__(self, vault, context, device=None):
        self.vault, self.device, self.body = vault, device, None
        self.hash = hashlib.blake2b(context, digest_size=32)
    def finish(self):
        need(self.body is not None, "nobody has signed it")
        need(len(self.body) == 96, "its signature has another length")
        key, signature, self.digest = self.body[:32], self.body[32:], self.hash.digest()
        most, prime = (1 << 255) - 1, (1 << 255) - 19
        need(int.from_bytes(key, "little") & most < prime, "a public key is not written in the canonical way")
        for point in (key, signature[:32]):
            need((int.from_bytes(point, "little") & most) % prime not in SMALL, "a point is of small order")
        self.signer = hashlib.blake2b(b"cue/1 device\0" + self.vault + key, digest_size=32).digest()[:16]
        need(self.device in (None, self.signer), "another device has signed it")
        try: Ed25519PublicKey.from_public_bytes(key).verify(signature, b"cue/1 signature\0" + self.digest)
        except (InvalidSignature, ValueError): raise Damaged("its signature does not hold")

def read_records(pieces, signed):
    """The records of some bytes, the last of which is a signature. It is looked at when all were taken."""
    for piece in pieces:
        view = memoryview(piece.data)
        while piece.left():
            need(signed.body is None, "something stands behind its signature")
            at, kind, c = piece.at, piece.varint(), piece.part()
            if kind == 12: signed.body = c.take(c.left())
            else:
                signed.hash.update(view[at:piece.at])
                yield kind, c
    signed.finish()

def read_frames(c, budget):
    while c.left() > 1:
        codec, raw = c.u8(), c.number(MOST_FRAME, "a frame")
        need(codec in (0, 1), "a frame has an unknown codec")
        if raw == 0: break
        stored = c.bytes(MOST_FRAME)
        budget.size += len(stored) + 11                             # with what stands before them
        budget.add(raw)
        yield Cursor(unpack(codec, stored, raw))
    c.drain()

class Ids(list):
    """Ids of chunks. Once asked for: how long those before each are together, and how many of them have no place."""
    sums = gaps = None

class Chunks:
    """The chunks of a file, in order, as ranges of what their object names: a few bytes may name millions."""
    def __init__(self): self.runs = []                              # [(ids, from, to)]
    def __iter__(self): return itertools.chain.from_iterable(ids[a:b] for ids, a, b in self.runs)
    def pieces(self):
        """Their ids as bytes, some thousand at a time."""
        for ids, a, b in self.runs:
            for at in range(a, b, 4096): yield b"".join(ids[at:min(b, at + 4096)])

def read_pack(c, known, commit=None, most=MOST_PACK):
    """A pack record, or one of the inline blocks of a commit; its chunks get the next numbers of the object."""
    said = hashlib.blake2b(c.data[c.at:c.end], digest_size=32).digest()
    id, size = (commit[2] + bytes(8), 0) if commit else (c.take(16), c.number(2 * MOST_PACK, "a pack"))
    need(commit or any(id[8:]), "a pack has the id of inline blocks")
    pack = Pack(id, size, commit, [], [], *(array.array("I") for _ in range(3)), said, [])
    need((count := c.varint()) <= c.left() // 5 and count > 0, "a pack has no block, or more than can be")
    begin = 0
    for number in range(count):
        codec, stored, raw = c.u8(), c.number(MOST_BLOCK + MOST_BLOCK // 128), c.number(MOST_BLOCK)
        need(codec in (1, 2) or codec == 0 and stored == raw, "a block has an unknown codec or another length")
        bases = tuple(c.take(32) for _ in range(c.number(MOST_BASES))) if codec == 2 else ()
        need((codec == 2) == bool(bases) and len(set(bases)) == len(bases), "a delta has no base, or one twice")
        need((chunks := c.varint()) <= c.left() // 33, "a count is larger than what is left")
        offset = 0
        for _ in range(chunks):
            pack.ids.append(c.take(32))
            pack.owners.append(number)
            pack.offsets.append(offset)
            pack.lengths.append(length := c.number(MOST_BLOCK))
            offset += length
            need(0 < length and offset <= raw, "a chunk is empty, or larger than its block")
        need(0 < raw == offset, "a block does not add up")
        pack.blocks.append((codec, begin, stored, raw, bases))
        begin += stored
        need(begin <= most, "a pack is too large")
    c.finish()
    known += pack.ids
    return pack

def footer(pack):
    """What a pack says at its end: its record without the names."""
    out, chunks = bytearray(varint(len(pack.blocks))), zip(pack.owners, pack.lengths)
    for (codec, _, stored, raw, bases), (_, lengths) in zip(pack.blocks, itertools.groupby(chunks, lambda chunk: chunk[0])):
        lengths = [varint(n) for _, n in lengths]
        out += bytes([codec]) + varint(stored) + varint(raw)
        if bases: out += varint(len(bases)) + b"".join(bases)
        out += varint(len(lengths)) + b"".join(lengths)
    return bytes(out) + struct.pack("<I", len(out))

def varint(n):
    out = bytearray()
    while n > 127: n, _ = n >> 7, out.append(n & 127 | 128)
    return bytes(out + bytes([n]))

def read_device(c, budget):
    """(its id, its name)"""
    id, name, _ = c.take(16), c.bytes(1024), c.time()
    c.finish()
    budget.add(256)
    return id, name

def read_commit(c, generation):
    """A commit record: (its previous commit, that one's digest, time, flags, seen)."""
    previous, digest, when, flags, seen = c.take(8), c.take(32), c.time(), c.u8(), c.digests()
    c.finish()
    need((previous == bytes(8)) == (generation == 1), "it does not follow the one before it")
    need(generation > 1 or digest == bytes(32), "it says a digest of nothing")
    need(flags < 4, "a commit has unknown flags")
    return previous, digest, when, flags, seen

# ---- Records that say something of others (sections 12 to 14)
ShutOut = collections.namedtuple("ShutOut", "target batch")         # positions; generation 0: none
Settings = collections.namedtuple("Settings", "project parents time value")
Retired = collections.namedtuple("Retired", "versions packs commits")
def read_note(kind, c, budget=None):
    """A record of the kinds 13 to 19. The bytes of a plan may be any: their own signature says whether they count."""
    if budget: budget.add(256)
    if kind == 13:
        target = c.position()
        note = ShutOut(target, (target[0], c.varint(), c.take(8)))
        need(all((generation == 0) == (id == bytes(8)) for _, generation, id in note), "it names half of a commit")
    if kind == 14:
        note = Retired(c.many(c.number_id, 12), c.many(lambda: c.take(16), 16), c.many(c.position, 25))
    if kind == 15:
        need((what := c.u8()) in (1, 2), "a pin is of an unknown kind")
        note = c.take(12 if what == 1 else 8)
        c.bytes(MOST_LABEL)
    if kind in (16, 17): note = c.many(c.number_id, 12)
    if kind == 18: note = Settings(c.take(12), c.many(c.number_id, 12), c.time(), read_settings(c.bytes(MOST_JSON)))
    if kind == 19: note = c.bytes(MOST_JSON)
    c.finish()
    return note

def read_settings(text):
    """An object of RFC 8785; nothing where it is none: such a record sets nothing, and is no damage."""
    with contextlib.suppress(ValueError, RecursionError, Damaged):
        if isinstance(value := read_json(text), dict) and canonical(value).encode() == text:
            return value

def read_xattrs(c):
    xattrs = c.many(lambda: (c.bytes(MOST_NAME), c.bytes(MOST_XATTR)), 2)
    names = [name for name, _ in xattrs]
    need(all(name and b"\0" not in name for name in names) and all(map(bytes.__lt__, names, names[1:])),
         "an xattr has a name that cannot be, or they are out of order")
    return xattrs

def read_runs(c, known, budget):
    need((runs := c.varint()) <= c.left() // 2, "a count is larger than what is left")
    chunks, total = Chunks(), 0
    for _ in range(runs):
        count, k = c.varint(), c.varint()
        need(0 < count <= (len(known) - k + 1 if k else c.left() // 32), "a run names chunks that are not there")
        budget.add(0, count)
        need((total := total + count) <= MOST_CHUNKS, "a file has too many chunks")
        run = (known, k - 1, k - 1 + count) if k else (Ids(c.take(32) for _ in range(count)), 0, count)
        chunks.runs.append(run)
    return chunks

def read_member(c, known, budget):
    path, kind, mode = c.path(), c.u8(), c.number(0o7777, "a mode")
    need(kind in (FILE, FOLDER, SYMLINK), "a member has an unknown kind")
    seconds, nanoseconds, xattrs = c.svarint(), c.number(999_999_999, "a time"), read_xattrs(c)
    size, chunks, target = 0, (), b""
    if kind == FILE: size, chunks = c.number(SIZE, "a file"), read_runs(c, known, budget)
    if kind == SYMLINK: target = c.bytes(MOST_PATH)
    need(kind != SYMLINK or target and b"\0" not in target, "a symlink has a target that cannot be")
    budget.add(256)
    return Member(path, kind, mode, seconds * 10**9 + nanoseconds, xattrs, size, chunks, target)

def tree_problem(members, kind):
    """What is wrong with all members of a project together."""
    if kind != BUNDLE:
        return None if list(members) == [b""] and members[b""].kind == kind else "its members do not fit its kind"
    for path, m in members.items():
        if path and not is_folder(members, path.rpartition(b"/")[0]): return "a member is in no folder of its bundle"
    return None if is_folder(members, b"") else "a bundle is no folder"

def is_folder(members, path): return path in members and members[path].kind == FOLDER

def read_version(c, id, when, known, budget):
    flags = c.u8()
    need(flags < 16, "a version has unknown flags")
    project = id if flags & NEW else c.take(12)
    parents, path, kind = list(dict.fromkeys(c.many(lambda: c.take(12), 12))), c.path(), c.u8()
    need(kind in KINDS and (path or kind == FOLDER) and path.split(b"/")[0] != b".cue",
         "a version has a wrong kind or path")
    need(not flags & DELTA or parents and not flags & TOMBSTONE, "a version builds on nothing")
    edited = min(max(c.svarint(), YEARS[0]), YEARS[-1])
    budget.add(256)
    removed = c.many(c.path) if flags & DELTA else []
    members = [] if flags & TOMBSTONE else c.many(lambda: read_member(c, known, budget), 6)
    c.finish()
    by_path = {m.path: m for m in members}
    need(len(by_path) == len(members), "two members have one path")
    need(sum(map(pieces_of, members)) <= MOST_CHUNKS, "it has too many chunks")
    if not flags & (DELTA | TOMBSTONE):
        need(not (problem := tree_problem(by_path, kind)), problem)
        need(sum(m.size for m in members) <= SIZE, "its files are too large")
    return Version(id, project, when, flags, parents, path, kind, edited, removed, members)

def pieces_of(m):
    """The number of chunks that a member names."""
    return sum(b - a for _, a, b in m.chunks.runs) if m.kind == FILE else 0

SECRET = os.urandom(32)
def statement(m):
    """A number for all that a member says. The sums of these, which nobody can foresee, tell lists of members apart."""
    said = hashlib.blake2b(repr((m.path, m.kind, m.mode, m.mtime, m.xattrs, m.size, m.target)).encode(), key=SECRET)
    for piece in m.chunks and m.chunks.pieces(): said.update(piece)
    return int.from_bytes(said.digest(), "big")

def circling(next):
    """The nodes from which a way leads over others back to them."""
    return {node for part in components(next) if len(part) > 1 for node in part}

def components(next):
    """The parts in which ways lead from each node to each (Tarjan's, without recursion), the last ones first."""
    order, low, open, stack, found = {}, {}, set(), [], []
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
                    found.append(part)
    return found

def log_name(position, top="log"):
    device, generation, id = position
    ends = generation if isinstance(generation, tuple) else (generation,)
    return f"{top}/{device.hex()}/{'-'.join(f'{g:010}' for g in ends)}-{id.hex()}"
def pack_name(id): return f"packs/{id.hex()[:2]}/{id.hex()}"

# ---- The vault
class Vault:
    def __init__(self, folder, secret):
        with open(os.path.join(folder, "vault.json"), "rb") as file: about = file.read(65537)
        need(len(about) <= 65536, "vault.json is too large")
        about = json.loads(about)
        form, id = (about.get(key) for key in ("format", "vault")) if isinstance(about, dict) else (None, None)
        need(form == 2 and form is not True, "this is no vault of format 2", Failed)
        need(isinstance(id, str) and re.fullmatch("[0-9a-f]{32}", id), "vault.json does not say which vault this is")
        self.folder, self.id = os.path.abspath(folder), bytes.fromhex(id)
        self.unlock(secret)
        self.commits, self.versions = {}, {}
        # Chunks have numbers. `index`: of each id the first; `others`: all, where it has more than one.
        self.packs, self.firsts, self.pack_numbers, self.index, self.others = [], [], {}, {}, {}
        self.doubtful, self.lengths, self.blocks, self.listings, self.useless = set(), {}, {}, {}, {}
        self.read_log()
        self.parents, strays = self.settle_parents()
        self.counting = self.those_that_count(self.versions, self.aside)
        say_all([f"The version {id.hex()} names parents that it cannot have; they do not count."
                 for id in sorted(strays & self.counting)])
        self.snapshots = sorted((c for c in self.commits.values() if c.flags & 1 and c.id not in self.aside),
                                key=lambda c: (c.time, c.id))
        self.find_places(self.retire())
    def named(self, top, pattern):
        """The objects in a folder whose names are right: [(name, match)]. Files of other names are nobody's concern."""
        found, todo, pattern = [], [top] * (not os.path.islink(os.path.join(self.folder, top))), re.compile(pattern)
        while todo:
            above = todo.pop()
            try: entries = list(os.scandir(os.path.join(self.folder, above)))
            except FileNotFoundError: continue
            except OSError as error:
                say(error, 1)
                continue
            for entry in entries:
                name = f"{above}/{entry.name}"
                if entry.is_dir(follow_symlinks=False) and name.count("/") < 3: todo.append(name)
                match = pattern.fullmatch(name)
                if match and entry.is_file(follow_symlinks=False): found.append((name, match))
        return sorted(found, key=lambda pair: pair[0])
    def log(self, top):
        """The objects in log/ or events/: [(name, position)]."""
        found = self.named(top, top + "/([0-9a-f]{32})/([0-9]{10})-([0-9a-f]{16})")
        return [(name, (bytes.fromhex(m[1]), int(m[2]), bytes.fromhex(m[3]))) for name, m in found if int(m[2])]
    def context(self, kind, name): return b"cue/1\0" + self.id + bytes([kind, len(name)]) + name.encode()
    def open(self, kind, name, key, most, prefix=b""):
        return Message(os.path.join(self.folder, name), key, self.context(kind, name) + prefix, most, len(prefix))
    def open_object(self, kind, name, use, most):
        """An object that begins with the id of its epoch."""
        with open(os.path.join(self.folder, name), "rb") as file: id = file.read(8)
        need(id in self.epochs, "it is sealed under a key that this vault does not have here")
        return Message(os.path.join(self.folder, name), self.subkey(self.epochs[id], use), self.context(kind, name), most, 8)
    def signed(self, kind, name, device=None): return Signed(self.id, self.context(kind, name), device)
    def records(self, kind, name, budget, signed):
        """The records of an object, as (kind, cursor); those of unknown kinds too."""
        message = self.open_object(kind, name, b"records", MOST_BATCH if kind == EVENTS else MOST_RECORDS)
        return read_records(read_frames(Plaintext(message), budget), signed)
    # -- Keys (section 4)
    def read_slot(self, name):
        """What opens a key slot and what a guess at it costs: (way, cost, its first 92 bytes)."""
        path = os.path.join(self.folder, name)
        need(262 <= os.path.getsize(path) <= 4096, "it is no key slot")
        with open(path, "rb") as file: head = file.read(92)
        magic, vault, way, kdf, zero, passes, memory, lanes = struct.unpack("<8s16sBBHIQI48x", head)
        need(magic == b"cueslot2" and vault == self.id, "it is no key slot of this vault")
        need(way in (1, 2) and kdf == 1 and zero == 0, "it is of an unknown kind")
        need(lanes == 1 and 3 <= passes <= 16 and 64 * MIB <= memory <= 2048 * MIB and memory % 1024 == 0,
             "its numbers are out of bounds")
        return way, passes * memory, head
    def slots(self):
        """(those that can be tried as [(cost, name, way, head)], the cheapest first; what is wrong with the others)"""
        good, bad = [], []
        for name, _ in self.named("keys", "keys/[0-9a-f]{16}"):
            try:
                way, cost, head = self.read_slot(name)
                good.append((cost, name, way, head))
            except DAMAGE as error: bad.append(f"{name}: {error}")
        return sorted(good), bad
    def subkey(self, key, use): return expand(key, b"cue/1 subkey\0" + self.id + use, 32)
    def unlock(self, secret):
        """The keys of all epochs that count. What slots cost that strangers left has a bound."""
        code, room, kept = spelled(secret), 64 << 30, None
        for cost, name, way, head in self.slots()[0]:
            if way != (2 if code else 1) or cost > room: continue
            room -= cost
            with contextlib.suppress(*DAMAGE, HashingError, MemoryError):
                passes, memory, salt = struct.unpack("<28xIQ4x16s32x", head)
                key = argon2.hash_secret_raw(code or secret, salt, passes, memory // 1024, 1, 32, argon2.Type.ID, 0x13)
                message = self.open(SLOT, name, key, 4096, head)
                c = Cursor(message.read(0, message.size))
                secret_half, first, own, _, _ = c.take(32), c.take(32), c.take(32), c.svarint(), c.bytes(MOST_LABEL)
                c.finish()
                need(public_of(secret_half) == head[60:], "its public key is not its own")
                slot = bytes.fromhex(name[5:])
                self.keys = {use: self.subkey(first, use) for use in (b"chunk ids", b"project uuids")}
                self.epochs = {self.subkey(key, b"epoch id")[:8]: key for key in (first, own)}
                self.read_epochs(slot, secret_half, first)
                if slot in self.own_slots and not self.closed: return
                kept = kept or vars(self).copy()
        need(kept, "the passphrase or recovery code opens no key slot", WrongSecret)
        # A slot that was removed reads what was sealed before, as long as no other opens.
        vars(self).update(kept)
    def read_epochs(self, slot, secret, first):
        """Learns the keys of the epochs that count, the newest first: it holds those of all before it."""
        found, covered, read, self.not_counting, self.closed = [], set(), [], [], False
        trusted = dict(self.epochs)
        for name, match in self.named("epochs", "epochs/([0-9]{10})-([0-9a-f]{16})"):
            if 0 < int(match[1]) < 1 << 32: found.append((-int(match[1]), bytes.fromhex(match[2]), name))
        for number, id, name in sorted(found):
            if id in covered: continue
            try:
                epoch = self.read_epoch(name, -number, id, slot, secret)
                need(next(iter(epoch.earlier.values()), epoch.key) == first
                     and any(trusted.get(i) == key for i, key in [*epoch.earlier.items(), (id, epoch.key)]),
                     "nobody with a key of this vault made it")
                read.append(epoch)
                covered.update(epoch.earlier)
                self.epochs.update(epoch.earlier)
                self.epochs[id] = epoch.key
            except DAMAGE as error:
                self.not_counting.append(f"{name}: {error or 'a box does not open'}")
                self.closed = self.closed or isinstance(error, OtherKey)
        self.newest = [e for e in read if not any(e.id in other.earlier for other in read)]
        removed = {slot for e in self.newest for slot in e.removed}
        self.own_slots = {slot: digest for e in self.newest for slot, digest in e.slots.items() if slot not in removed}
        self.lost = set(trusted) - {id for _, id, _ in found} - {id for e in self.newest for id in e.earlier}
    def read_epoch(self, name, number, id, slot, secret):
        path = os.path.join(self.folder, name)
        need(os.path.getsize(path) <= MOST_EPOCH, "it is too large for an epoch")
        with open(path, "rb") as file: c = Cursor(file.read(30 + 88 * MOST_SLOTS))
        need(c.take(8) == b"cueepoch" and c.take(16) == self.id, "it is no epoch of this vault")
        said, n = struct.unpack("<IH", c.take(6))
        need(said == number and n <= MOST_SLOTS, "it is no epoch of its number")
        boxes = [(c.take(8), c.take(80)) for _ in range(n)]
        key = self.epochs.get(id)
        if key is None:
            need(slot in dict(boxes), "it is not for the key slot that was opened", OtherKey)
            key = open_box(dict(boxes)[slot], secret)
            need(self.subkey(key, b"epoch id")[:8] == id, "it does not hold the key that it is called by")
        try: message = self.open(EPOCH, name, self.subkey(key, b"epochs"), MOST_EPOCH, c.data[:c.at])
        except OtherKey: raise Damaged("its content was changed")
        c = Cursor(message.read(0, message.size))
        c.time()
        keys = [c.take(32) for _ in range(c.number(MOST_EPOCHS - 1))]
        earlier, slots = {self.subkey(key, b"epoch id")[:8]: key for key in keys}, {}
        for at in range(c.number(MOST_SLOTS)):
            one = c.take(8)
            need(at < n and boxes[at][0] == one and one not in slots, "it lists other slots than it is sealed to")
            c.take(33)
            slots[one] = c.take(32)
            c.time(), c.bytes(MOST_LABEL)
        removed = [c.take(8) for _ in range(c.number(MOST_REMOVED))]
        c.finish()
        need(len(slots) == n and len(earlier) == len(keys) and id not in earlier and (not keys) == (number == 1),
             "it breaks the rules")
        return Epoch(number, id, key, earlier, slots, removed)
    def slot_problems(self):
        """What is not as the newest epochs say, and which epochs do not count."""
        own = {f"keys/{slot.hex()}" for slot in self.own_slots}
        bad = [line for line in self.slots()[1] if line.split(":")[0] not in own] + self.not_counting + [f"epochs/*-{id.hex()}: it is not there" for id in self.lost]
        if not self.newest: bad.append("epochs/: there is no epoch that counts")
        for slot, digest in self.own_slots.items():
            path = os.path.join(self.folder, "keys", slot.hex())
            try:
                with open(path, "rb") as file: data = file.read(4097)
                need(hashlib.blake2b(data, digest_size=32).digest() == digest, "it is not as it was written")
            except DAMAGE as error: bad.append(f"keys/{slot.hex()}: {error}")
        return bad
    # -- Commits (sections 6 and 7) and runs of them (section 12)
    def read_log(self):
        """All commits. Nothing of an object counts before all of it is read."""
        forms, room, self.unread, self.homes, self.passed = {}, (64 * MIB, 2 * MIB), set(), {}, set()
        runs = self.named("log", "log/([0-9a-f]{32})/([0-9]{10})-([0-9]{10})-([0-9a-f]{16})")
        runs = [(name, (bytes.fromhex(m[1]), (int(m[2]), int(m[3])), bytes.fromhex(m[4])))
                for name, m in runs if int(m[2]) and int(m[3])]
        for name, position in self.log("log") + runs:
            self.unread.add(position)
            what, read = ("run", self.read_run) if isinstance(position[1], tuple) else ("commit", self.read_commit)
            with reporting(f"The {what} {name} cannot be read"):
                budget = Budget()
                commits, own = read(name, position, budget)
                room = [left - more for left, more in zip(room, budget.excess())]
                need(min(room) >= 0, "it holds more than an object of its size does, as others do")
                self.unread.remove(position)
                self.homes[position] = name, own
                for commit in commits: forms.setdefault(commit.id, {}).setdefault(commit.position, {}).setdefault(
                    commit.digest, (what == "run", commit, name))
        # Where a commit stands by itself, that is what it is, whatever runs say.
        for group in forms.values():
            for position, of in group.items():
                alone = [form for form in of.values() if not form[0]]
                if alone: say_all([f"{name} holds {log_name(position)} with other content, which does not count."
                                   for in_run, _, name in of.values() if in_run])
                group[position] = alone or list(of.values())
        everything = {id: [form for of in group.values() for form in of] for id, group in forms.items()}
        self.shut_out, aside = self.judge([commit for several in everything.values() for _, commit, _ in several])
        for id, group in forms.items():
            left = everything[id]
            if len(left) > 1: left = [form for form in left if form[1].position not in aside] or left
            if len(left) > 1:                                       # nothing says whose a version is
                say(f"{' and '.join(sorted(name for *_, name in left)[:9])} bear one commit id, and none of them counts.", 6)
                self.unread.update(group)
                continue
            [(_, commit, _)] = left
            self.passed.update(group.keys() - {commit.position})
            self.commits[id] = commit
            self.versions.update((v.id, v) for v in commit.versions)
            if commit.position in self.unread: say(f"… but nothing of {log_name(commit.position)} is lost: a run holds it.")
            self.unread.discard(commit.position)
        self.aside = {c.id for c in self.commits.values() if c.position in aside}
    def read_commit(self, name, position, budget):
        """A commit that stands by itself: ([it], [its own blocks as a pack])."""
        plain = Plaintext(self.open_object(LOG, name, b"records", MOST_RECORDS))
        inline = plain.number(MOST_INLINE, "what stands before the frames")
        plain.take(inline)
        commit, own = self.commit_of(read_frames(plain, budget), position, budget)
        need(inline == (own.blocks[-1][1] + own.blocks[-1][2] if own else 0), "its own blocks do not add up")
        return [commit], [own] if own else []
    def read_run(self, name, position, budget):
        """A run: (its commits, the packs that it names itself)."""
        device, ends, _ = position
        plain = Plaintext(self.open_object(RUN, name, b"records", MOST_RECORDS))
        need(plain.varint() == 0, "a run has blocks of its own")
        listed, commits, packs = None, [], {}
        for kind, c in read_records(read_frames(plain, budget), self.signed(RUN, name)):
            need((kind == 21) == (listed is None) and kind not in RECORDS - {3, 21, 22}, "a record does not belong there")
            if kind == 21:
                listed = c.many(lambda: ((c.varint(), c.take(8)), c.take(32)), 41)
                c.finish()
                order = [place for place, _ in listed]
                need(0 < len(listed) <= MOST_RUN and (order[0][0], order[-1][0]) == ends and order == sorted(order)
                     and len({id for _, id in order}) == len(order), "it lists other commits than it can hold")
            if kind == 3: self.read_pack(c, Ids(), packs)
            if kind == 22:
                need(len(commits) < len(listed), "it holds more commits than it lists")
                (generation, id), digest = listed[len(commits)]
                commit, _ = self.commit_of([c], (device, generation, id), budget)
                need(commit.digest == digest, "a commit has another digest than it lists")
                commits.append(commit)
        need(listed and len(commits) == len(listed), "it holds fewer commits than it lists")
        return commits, list(packs.values())
    def commit_of(self, pieces, position, budget):
        """(a commit of its records, its inline record as a pack or nothing)"""
        device, generation, id = position
        known, packs, versions, notes, numbers, called = Ids(), {}, [], [], collections.Counter(), None
        signed = self.signed(LOG, log_name(position), device)
        records = read_records(pieces, signed)
        kind, c = next(records, (0, None))
        need(kind == 1, "it does not begin with a commit record")
        previous, digest, when, flags, seen = read_commit(c, generation)
        for kind, c in records:
            need(kind not in (1, 5, 6, 11, 20, 21, 22), "it holds a record that does not belong there")
            if kind == 2:
                of, name = read_device(c, budget)
                if of == device: called = name
            if kind == 3: self.read_pack(c, known, packs)
            if kind == 10: self.read_pack(c, known, packs, position, MOST_INLINE)
            if kind == 4: versions.append(read_version(c, id + struct.pack(">I", len(versions)), when, known, budget))
            if kind in NOTES:
                body = c.data[c.at:c.end]
                read_note(kind, c, budget)
                notes.append((kind, numbers[kind], body))
                numbers[kind] += 1
        before = seen + [((device, generation - 1, previous), digest)] * (generation > 1)
        own = packs.pop(id + bytes(8), None)
        return Commit(id, position, signed.digest, when, flags, before, called, versions, notes, list(packs.values())), own
    def read_pack(self, c, known, packs, commit=None, most=MOST_PACK):
        pack = read_pack(c, known, commit, most)
        need(pack.id not in packs, "it names a pack twice")
        packs[pack.id] = pack
    def find_places(self, retired):
        """All places of content. What was retired and is gone is none, nor a delta whose base went with it."""
        packs = [(pack, log_name(c.position)) for c in self.commits.values() for pack in c.packs]
        packs += [(own, name) for position, (name, packs) in self.homes.items() for own in packs if (
            isinstance(position[1], tuple) or position[2] in self.commits and self.commits[position[2]].position == position)]
        lost = set()                                                # the bases that went with them
        if retired:
            gone = {id for id in retired if not os.path.lexists(os.path.join(self.folder, pack_name(id)))}
            whole = [{id for pack, _ in packs if (pack.id in gone and not pack.commit) == is_gone
                      for id, owner in zip(pack.ids, pack.owners) if pack.blocks[owner][0] != 2} for is_gone in (True, False)]
            lost = whole[0] - whole[1]
            packs = [(pack, name) for pack, name in packs if pack.commit or pack.id not in gone]
        for pack, name in packs: self.add_pack(pack, name, lost)
    def add_pack(self, pack, name, lost):
        """All records of a pack that say the same are one; those that differ stand beside each other."""
        number = self.pack_numbers.setdefault((pack.id, pack.said), len(self.packs))
        if number == len(self.packs):
            first = self.firsts[-1] + len(self.packs[-1].ids) if self.packs else 0
            self.packs.append(pack)
            self.firsts.append(first)
            useless = {n for n, block in enumerate(pack.blocks) if not lost.isdisjoint(block[4])}
            if useless: self.useless[number] = useless
            for at, id in enumerate(pack.ids, first):
                if useless and pack.owners[at - first] in useless: continue
                if (other := self.index.setdefault(id, at)) != at: self.others.setdefault(id, [other]).append(at)
        self.packs[number].names.append(name)
    # -- Replay (section 7)
    def settle_parents(self):
        """The parents that count: of the same project, and not of a version that is its own ancestor."""
        known = {v.id: [p for p in v.parents if p in self.versions and p != v.id
                        and self.versions[p].project == v.project] for v in self.versions.values()}
        circles = circling(known)
        strays = {id: {p for p in v.parents if p in self.versions} - set(known[id]) for id, v in self.versions.items()}
        strays = {id: parents for id, parents in strays.items() if parents or id in circles}
        def settled(v):
            """A difference whose base does not count has no parents."""
            if v.id not in strays: return v.parents
            if v.id in circles or v.flags & DELTA and v.parents[0] in strays[v.id]: return []
            return [p for p in v.parents if p not in strays[v.id]]
        return {v.id: settled(v) for v in self.versions.values()}, set(strays)
    @functools.cached_property
    def order(self):
        """All versions, each difference soon after what it is against: then lists of members are made from others."""
        children, todo, order = {}, [], []
        for v in sorted(self.versions.values(), key=lambda v: v.id, reverse=True):
            base = self.parents[v.id][0] if v.flags & DELTA and self.parents[v.id] else None
            (children.setdefault(base, []) if base in self.versions else todo).append(v)
        while todo:
            order.append(todo.pop())
            todo += children.get(order[-1].id, [])
        return order
    def missing(self):
        """Commits that others name and that are not there. What is there and cannot be read is said as that."""
        there = {c.position for c in self.commits.values()} | self.unread | self.passed
        named = {position for c in self.commits.values() if c.id not in self.aside for position, _ in c.before}
        return sorted(named - there)
    def contradictions(self):
        """Where a commit that counts says another digest of one than that has: sentences (section 12)."""
        true = {c.position: c.digest for c in self.commits.values()}
        return [f"{log_name(c.position)} says otherwise of {log_name(position)} than that one does."
                for c in self.commits.values() if c.id not in self.aside for position, digest in c.before
                if digest not in (bytes(32), true.get(position, digest))]
    def reach(self, positions):
        """The ids of the commits that these come after, with their own."""
        todo, here = list(positions), set()
        while todo:
            commit = self.commits.get((position := todo.pop())[2])
            if position[2] in here or not commit or commit.position != position: continue
            here.add(position[2])
            todo += [position for position, _ in commit.before]
        return here
    def heads(self, at=None, missing_is=0):
        """The heads that are no tombstones, of a snapshot or of all that is there; the newest first."""
        here = self.commits
        if at is not None:
            found = [c.position for c in self.snapshots if c.id.hex().startswith(at.lower())]
            need(len(found) == 1, f"{'more than one' if found else 'no'} snapshot id begins with {at!r}", Failed)
            here = self.reach(found)
        if self.missing(): say("Some commits that others name are not there (yet).", missing_is)
        heads = [v for v in self.heads_of(here) if not v.flags & TOMBSTONE]
        for v in heads:
            if v.id in self.retired: say(f"The version {v.id.hex()} of {shown(v.path)} was given up since; it is not shown.")
        heads = [v for v in heads if v.id not in self.retired]
        return sorted(self.alike(heads).values(), key=lambda v: (v.time, v.id), reverse=True)
    def heads_of(self, commits, counting=None):
        counting = self.counting if counting is None else counting
        versions = [v for v in self.order if v.id[:8] in commits and v.id in counting]
        parents = {parent for v in versions for parent in self.parents[v.id]}
        return [v for v in versions if v.id not in parents]
    # -- Who counts, and what was given up (sections 12 to 14)
    def judge(self, commits):
        """What the shut out records of these commits come to: (those that count, the positions of the commits set aside)."""
        records = sorted(((c.position, number), body) for c in commits for kind, number, body in c.notes if kind == 13)
        if not records: return [], set()
        # Each device's commits are trees along `previous`. Each has the range of numbers of all that come after it.
        commits = list({c.position: c for c in commits}.values())
        there, after, first, last, least, roots = {c.position for c in commits}, {}, {}, {}, {}, []
        for c in commits:
            previous = c.before[-1][0] if c.position[1] > 1 else None
            (after.setdefault(previous, []) if previous in there else roots).append(c.position)
        todo = [(position, position[1]) for position in roots]
        while todo:
            position, low = todo.pop()
            if low is None:
                last[position] = len(first)
                continue
            first[position], least[position] = len(first), low
            todo += [(position, None)] + [(child, low) for child in after.get(position, ())]
        def ways(targets):
            """What counts by these: [(a generation below which all does, the least and the largest number of the
            targets that no lower one than that decides)]."""
            found, low, high = [], math.inf, -math.inf
            for below, number in sorted((least[t], first[t]) if t in there else (t[1], -1) for t in targets):
                if number < 0: low, high = -math.inf, math.inf
                else: low, high = min(low, number), max(high, number)
                found.append((below, low, high))
            return found
        def sets_aside(ways, position):
            """Is this commit not up to all that are named? Where one is late, a lower generation is enough."""
            at = bisect.bisect(ways, position[1], key=lambda way: way[0])
            return at > 0 and not first[position] <= ways[at - 1][1] <= ways[at - 1][2] < last[position]
        of, notes = {}, {}                                          # the records of each device; all that are looked at
        for key, body in records:
            own = of.setdefault(key[0][0], [])
            if len(own) == MOST_SHUT_OUT: continue
            own.append(key)
            notes[key] = read_note(13, Cursor(body))
        edges = {}
        for key, note in notes.items():
            way = ways([note.target])
            edges[key] = [other for other in of.get(note.target[0], ()) if sets_aside(way, other[0])]
        count, refused = [], set()
        for part in reversed(components(edges)):                    # circles: those outside of one come first
            part_counts = part - refused
            count += part_counts
            for key in part_counts: refused.update(other for other in edges[key] if other not in part)
        targets = {}
        for key in count: targets.setdefault(notes[key].target[0], set()).add(notes[key].target)
        targets = {device: ways(named) for device, named in targets.items()}
        aside = {c.position for c in commits if c.position[0] in targets and sets_aside(targets[c.position[0]], c.position)}
        return [(key, notes[key]) for key in sorted(count)], aside
    def those_that_count(self, versions, aside):
        """Of versions those that nobody set aside, and all that they came from."""
        todo = [id for id in versions if id[:8] not in aside]
        found = set(todo)
        while todo:
            more = [p for p in self.parents[todo.pop()] if p in versions and p not in found]
            found.update(more)
            todo += more
        return found
    def notes(self, kind, commits=None, aside=None):
        """The records of a kind that count: [(commit, number, body)]."""
        aside = self.aside if aside is None else aside
        return [(c, number, body) for c in (self.commits.values() if commits is None else commits) if c.id not in aside
                for k, number, body in c.notes if k == kind]
    def retire(self):
        """Finds the versions that were given up; returns the ids of packs that were, or nothing if nothing ever was."""
        notes, self.retired = [read_note(14, Cursor(body)) for _, _, body in self.notes(14)], set()
        if not notes: return None
        self.retired = {id for note in notes for id in note.versions} & self.versions.keys()
        if self.retired: self.retired -= {v.id for v in self.heads_of(self.commits)} | self.pinned()
        return {id for note in notes for id in note.packs}
    def pinned(self):
        back = {id for _, _, body in self.notes(16) for id in read_note(16, Cursor(body))}
        pins = {read_note(15, Cursor(body)) for c, number, body in self.notes(15)
                if c.id + struct.pack(">I", number) not in back}
        shown = {id for id in pins if len(id) == 12}
        for c in self.snapshots:
            if c.id in pins: shown.update(v.id for v in self.heads_of(self.reach([c.position])))
        return shown
    def settings(self, commits=None, aside=None):
        """The settings records that no other was made from: {id: (commit, number, body, settings)}."""
        there = {c.id + struct.pack(">I", number): (c, number, body, read_note(18, Cursor(body)))
                 for c, number, body in self.notes(18, commits, aside)}
        known = {id: [p for p in set(s.parents) if p in there and there[p][3].project == s.project]
                 for id, (_, _, _, s) in there.items()}
        circles = circling(known) | {id for id, parents in known.items() if id in parents}
        replaced = {p for id, parents in known.items() if id not in circles for p in parents}
        return {id: there[id] for id in there if id not in replaced}
    def uuid(self, project):
        id = bytearray(hashlib.blake2b(project, key=self.keys[b"project uuids"], digest_size=32).digest()[:16])
        id[6], id[8] = id[6] & 15 | 128, id[8] & 63 | 128
        return "-".join(id[a:b].hex() for a, b in ((0, 4), (4, 6), (6, 8), (8, 10), (10, 16)))
    def state(self):
        """The four numbers of the state word."""
        ends = collections.Counter()
        for c in self.commits.values(): ends[c.position[0]] = max(ends[c.position[0]], c.position[1])
        newest = sorted((c.position[0], c.id, c) for c in self.commits.values() if c.position[1] == ends[c.position[0]])
        said = b"".join(device + struct.pack("<Q", c.position[1]) + id + c.digest for device, id, c in newest)
        digest = hashlib.blake2b(b"cue/1 state\0" + self.id + said, digest_size=32).digest()
        return [int.from_bytes(digest, "big") >> 256 - 11 * n & 2047 for n in (1, 2, 3, 4)]
    def alike(self, heads):
        """Heads that say the same are one, the largest: {what it says: version}."""
        several, alike = collections.Counter(v.project for v in heads), {}
        for v in heads:
            said = v.id
            with contextlib.suppress(Damaged):
                if several[v.project] > 1:
                    members = 0 if v.flags & TOMBSTONE else self.listing(v).said
                    said = v.project, v.path, v.kind, v.flags & TOMBSTONE, members
            alike[said] = max(v, alike.get(said, v), key=lambda v: v.id)
        return alike
    def places(self, at):
        """Every head with a place: its path, or a name of its own beside it. Folders of one path become one."""
        kinds, closed = {}, set()                                   # closed: what is no folder, as chains of hashes
        for v in sorted(self.heads(at), key=lambda v: (v.path.count(b"/"), v.kind != FOLDER)):
            *above, name = v.path.split(b"/")
            ways = itertools.accumulate(above, lambda way, part: hash((way, part)), initial=0)
            if (stop := next((n for n, way in enumerate(ways) if way in closed), None)) is not None:
                above = above[:stop - 1]                            # beside what is no folder, not below it
            place = b"/".join([*above, name])
            if v.kind == FOLDER == kinds.get(place): continue
            if place in kinds:
                stem, end = os.path.splitext(name)
                name = stem[:160] + f" ({clock(v.time)}, {v.id.hex()})".encode() + end[:40]
                place = b"/".join([*above, name])
            if place != v.path: say(f"Conflict: a version of {shown(v.path)} is shown as {shown(place)}.")
            kinds[place] = v.kind
            if v.kind != FOLDER: closed.add(functools.reduce(lambda way, part: hash((way, part)), place.split(b"/"), 0))
            yield place, v
    def members(self, version):
        """All members of a version, deltas laid over their first parents: {path: member}."""
        listing = self.listing(version)
        where = shown(min(listing.broken, default=b"") or version.path)
        need(not listing.broken, f"a chunk of {where} is in no pack, or its size is wrong")
        return listing.members
    def listing(self, version):
        """The same, also where content is lost. A few are kept, as others build on them."""
        if version.id in self.listings: return self.listings[version.id]
        chain, base = [version], None
        while chain[-1].flags & DELTA and not base:
            parents = self.parents[chain[-1].id]
            need(parents and parents[0] in self.versions and len(chain) <= DELTAS,
                 "the version that it builds on is missing")
            if base := self.listings.pop(parents[0], None): self.listings[parents[0]] = base
            else: chain.append(self.versions[parents[0]])
        need(not base or base.depth + len(chain) <= DELTAS, "the version that it builds on is too far away")
        for v in reversed(chain):
            base = self.lay(v, base)
            need(not base.wrong, base.wrong)
            # Many may build on a whole list; those between it and this one are seldom asked for.
            if v is version or not v.flags & DELTA: self.listings[v.id] = base
        while len(self.listings) > 8: del self.listings[next(iter(self.listings))]
        return base
    def lay(self, v, base):
        """A difference laid over a listing, or a whole list. The tree is looked at where the difference may harm it."""
        if not v.flags & DELTA: base = Listing({}, -1, 0, 0, 0, frozenset(), "nothing is there")
        members, size, pieces, said, broken = dict(base.members), base.size, base.pieces, base.said, base.broken
        again = base.wrong or v.kind != BUNDLE
        for path in v.removed:
            need(path in members, "a removed member is not there")
            again = again or members[path].kind == FOLDER
            size, pieces = size - members[path].size, pieces - pieces_of(members[path])
            said -= statement(members.pop(path))
        put = {m.path for m in v.members}
        if broken: broken = broken - put - set(v.removed)
        for m in v.members:
            old = members.get(m.path)
            again = again or old and old.kind != m.kind
            size, said = size + m.size - (old.size if old else 0), said + statement(m) - (statement(old) if old else 0)
            pieces += pieces_of(m) - (pieces_of(old) if old else 0)
            members[m.path] = m
        wrong = tree_problem(members, v.kind) if again else None
        if not again and not all(is_folder(members, path.rpartition(b"/")[0]) for path in put):
            wrong = "a member is in no folder of its bundle"
        if not again and not is_folder(members, b""): wrong = "a bundle is no folder"
        if size > SIZE: wrong = "its files are too large"
        if pieces > MOST_CHUNKS: wrong = "it has too many chunks"
        lost = {m.path for m in v.members if m.kind == FILE and self.length_of(m.chunks) != m.size}
        return Listing(members, base.depth + 1, size, pieces, said, broken | lost if lost else broken, wrong)
    def length_of(self, chunks):
        """How long chunks are together; nothing where one of them has no place."""
        total = 0
        for ids, a, b in chunks.runs:
            if ids.sums is None:
                lengths = [self.length(id) for id in ids]
                ids.sums = array.array("Q", itertools.accumulate((n or 0 for n in lengths), initial=0))
                if None in lengths:
                    ids.gaps = array.array("I", itertools.accumulate((n is None for n in lengths), initial=0))
            if ids.gaps and ids.gaps[b] > ids.gaps[a]: return None
            total += ids.sums[b] - ids.sums[a]
        return total
    def length(self, id):
        """The length of a chunk. Where its places differ, it is read to know."""
        if id not in self.others: return self.place(self.index[id])[3] if id in self.index else None
        if id not in self.lengths:
            lengths = {self.place(number)[3] for number in self.others[id]}
            with contextlib.suppress(*DAMAGE):
                self.lengths[id] = lengths.pop() if len(lengths) == 1 else len(self.chunk(id))
        return self.lengths.setdefault(id, None)
    # -- Content (section 5)
    def place(self, number):
        """Where a chunk lies: (number of the pack's record, number of its block, offset in that, length)."""
        record = bisect.bisect(self.firsts, number) - 1
        pack, at = self.packs[record], number - self.firsts[record]
        return record, pack.owners[at], pack.offsets[at], pack.lengths[at]
    def whole(self, id):
        """The places of a chunk that are in no delta."""
        places = [self.place(number) for number in self.others.get(id, [self.index[id]])]
        return [place for place in places if self.packs[place[0]].blocks[place[1]][0] != 2]
    @functools.lru_cache(16)
    def commit(self, position):
        """The object of a commit, and where its inline blocks begin."""
        message = self.open_object(LOG, log_name(position), b"records", MOST_RECORDS)
        return message, len(varint(Plaintext(message).varint()))
    @functools.lru_cache(16)
    def pack(self, id, size):
        name = pack_name(id)
        need(os.path.lexists(path := os.path.join(self.folder, name)), f"{name} is missing")
        need(os.path.getsize(path) == size, f"{name} has another size than is written")
        return self.open_object(PACK, name, b"packs", 2 * MOST_PACK)
    def block(self, record, number):
        """The content of a block. A few are kept."""
        pack = self.packs[record]
        key = pack.id, pack.size, pack.commit, *pack.blocks[number]
        if (data := self.blocks.pop(key, None)) is None:
            codec, start, stored, raw, bases = pack.blocks[number]
            message, begin = self.commit(pack.commit) if pack.commit else (self.pack(pack.id, pack.size), 0)
            need(begin + start + stored <= message.size, "a pack is shorter than is written")
            prefix = b""
            for base in bases:
                need(base in self.index and (places := self.whole(base)), "the base of a delta is not stored in full")
                need(len(prefix) + places[0][3] <= MOST_BLOCK, "the bases of a delta are too long")
                prefix += self.chunk(base, places)
            data = unpack(codec, message.read(begin + start, begin + start + stored), raw, prefix)
        self.blocks[key] = data
        while len(self.blocks) > 4 or len(self.blocks) > 1 and sum(map(len, self.blocks.values())) > MOST_BLOCK:
            del self.blocks[next(iter(self.blocks))]
        return data
    def chunk(self, id, places=None):
        """From the first of its places that holds it: a record may say what is not so. Then it is asked last."""
        need(id in self.index, f"the chunk {id.hex()} is in no pack")
        places = places or [self.place(number) for number in self.others.get(id, [self.index[id]])]
        good = [place for place in places if place[0] not in self.doubtful]
        tried = good + [place for place in places if place[0] in self.doubtful][:16]
        for number, (record, block, offset, length) in enumerate(tried, 1):
            if number < len(good) and record in self.doubtful: continue
            try:
                data = self.block(record, block)[offset:offset + length]
                need(self.name(data) == id, f"the chunk {id.hex()} has another content than its id says")
                return data
            except DAMAGE:
                self.doubtful.add(record)
                if number == len(tried): raise
    def name(self, data): return hashlib.blake2b(data, key=self.keys[b"chunk ids"], digest_size=32).digest()

# ---- The commands
def list_projects(vault, args):
    rows = []
    for place, v in sorted(vault.places(args.at)):
        with reporting(f"{shown(place)} cannot be shown"):
            size = vault.members(v) and vault.listing(v).size
            rows.append({"path": shown(place), "kind": KINDS[v.kind], "size": size, "version": v.id.hex()})
            if not args.json: print(f"{KINDS[v.kind]:7} {size:>12} {shown(place) or '.'}")
    if args.json: print(json.dumps(rows, indent=1))

def list_snapshots(vault, _):
    for c in vault.snapshots: print(c.id.hex(), clock(c.time) + " (incomplete)" * (c.flags >> 1))

def list_devices(vault, _):
    devices, shut_out = {}, {note.target[0] for _, note in vault.shut_out}
    for c in sorted(vault.commits.values(), key=lambda c: c.position[1]):
        count, _, name = devices.get(c.position[0], (0, 0, b""))
        devices[c.position[0]] = count + 1, c.time, name if c.called is None or c.id in vault.aside else c.called
    for id, (count, when, name) in sorted(devices.items()):
        print(id.hex(), f"{count:>6}", clock(when), shown(name) + " (shut out)" * (id in shut_out))

def list_settings(vault, _):
    """One line of JSON for each set of settings; where a project has several, the first counts."""
    found = [(s.project, -s.time, id, s) for id, (_, _, _, s) in vault.settings().items() if s.value is not None]
    found.sort(key=lambda row: row[2], reverse=True)                # of several of one time the largest id
    for project, _, id, settings in sorted(found, key=lambda row: row[:2]):
        print(canonical({"id": id.hex(), "project": project.hex(), "settings": settings.value, "time": settings.time,
                         "uuid": vault.uuid(project)}))

def show_state(vault, args):
    """Four words if there is a list of them, else the numbers that stand for them."""
    words = []
    if args.words:
        with open(args.words) as file: words = sorted(word for line in file for word in line.split()[-1:])
        words = [word for word in words if re.fullmatch("[a-z]{4,6}", word)][:2048]
        need(len(words) == 2048, f"{args.words} has too few words", Failed)
    print(*(words[n] if words else n for n in vault.state()))

# ---- Events (section 11)
TIME = re.compile(rb"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?"
                  rb"(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)")
def instant(text):
    """The moment of a text in RFC 3339 with a zone, in Unix milliseconds."""
    need(len(text) <= 64 and (match := TIME.fullmatch(text)), "its time is none of RFC 3339")
    year, month, day, hour, minute, second, hours, minutes = (int(match[n] or 0) for n in (1, 2, 3, 4, 5, 6, 9, 10))
    need(hour < 24 and minute < 60 and second < 61 and hours < 24 and minutes < 60, "its time is none of a clock")
    # Python's calendar begins with the year 1; that of the year 0 is the same as of the year 400.
    days = datetime.date(year or 400, month, day).toordinal() - 719163 - 146097 * (year == 0)
    east = (hours * 60 + minutes) * (-1 if match[8] == b"-" else 1)
    return ((days * 24 + hour) * 60 + minute - east) * 60000 + second * 1000 + int((match[7] or b"")[:3].ljust(3, b"0"))

def read_json(data):
    """A JSON value, strictly: no key twice, no number that a double cannot hold, 64 levels."""
    def members(pairs):
        need(len(pairs) == len(dict(pairs)), "JSON has a key twice")
        return dict(pairs)
    def number(text):
        value = int(text) if text.lstrip("-").isdigit() and text != "-0" and len(text) < 21 else float(text)
        if not -1 << 63 <= value < 1 << 63 or isinstance(value, float): value = float(text)
        need(math.isfinite(value), "JSON has a number that is too large")
        return value
    def refuse(text): raise Damaged(f"JSON has {text}")
    def depth(value):
        if isinstance(value, (list, dict)):
            return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)
        return 1
    need(len(data) <= 2 * MIB, "its payload is too large")
    value = json.loads(data.decode(), object_pairs_hook=members, parse_int=number, parse_float=number,
                       parse_constant=refuse)
    need(depth(value) <= 64, "JSON has more than 64 levels")
    return value

def canonical(value):
    """JSON as RFC 8785 wants it; what is no UTF-8 raises."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list): return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float): return ecma(value)
    return json.dumps(value, ensure_ascii=False)

def ecma(value):
    """A double as ECMAScript writes it."""
    sign, digits, exponent = decimal.Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    if not digits: return "0"
    point, digits = len(digits) + exponent, digits.rstrip("0")
    sign = "-" * sign
    if len(digits) <= point <= 21: return sign + digits.ljust(point, "0")
    if 0 < point <= 21: return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0: return sign + "0." + "0" * -point + digits
    return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{point - 1:+d}"

def read_event(c):
    """An event: (its client id, all by which two of one id are told apart)."""
    id, type, when = c.bytes(), c.bytes(), c.bytes()
    c.time()
    payload = c.bytes()
    c.finish()
    for text, what, most in ((id, "id", 200), (type, "type", 100)):
        need(0 < len(text) <= most, f"its {what} is empty or too long")
        need("Cc" not in map(unicodedata.category, text.decode()), f"its {what} holds a control character")
    payload = canonical(read_json(payload)).encode()
    need(len(payload) <= MIB, "its payload is too large")
    return id, (instant(when), type, when, payload)

def read_batch(vault, name, position, take):
    """Gives the bodies of its events to `take`; returns (the batch before it or nothing, those that it replaces).

    What `take` did counts only if this returns."""
    device, generation, _ = position
    previous, replaced, raw, events = None, [], 0, 0
    budget = Budget()
    for kind, c in vault.records(EVENTS, name, budget, vault.signed(EVENTS, name, device)):
        need(budget.weight <= 256 * MIB, "its frames are too large")
        need((kind == 7) == (previous is None) and kind not in RECORDS, "a record does not belong there")
        if kind == 7:
            previous, _ = c.take(8), c.time()
            need((previous == bytes(8)) == (generation == 1), "it does not follow the one before it")
        if kind == 8:
            events += 1
            need(events <= 100_000, "it has too many events")
            take(c)
        if kind == 9: replaced.append(c.position())
        if kind in (7, 9): c.finish()
    need(previous is not None, "it does not begin with a batch record")
    return (device, generation - 1, previous) if generation > 1 else None, replaced

def passed_over(vault):
    """The batches of devices that were shut out, but the last that counts of each and those of lower generations."""
    last = [note.batch for _, note in vault.shut_out]
    return {position for _, position in vault.log("events")
            if any(position[0] == named[0] and position[1] >= named[1] and position != named for named in last)}

def list_events(vault, _):
    """One line of JSON an event, in their order. Of two that share an id the lesser counts."""
    events, passed = {}, passed_over(vault)
    for name, position in vault.log("events"):
        if position in passed: continue
        with reporting(f"The batch {name} cannot be read"):
            found = []
            def take(c):
                with reporting(f"An event of {name} is set aside"):
                    try: found.append(read_event(c))
                    except (ValueError, RecursionError) as error: raise Damaged(error)
            read_batch(vault, name, position, take)
            for id, event in found: events[id] = min(events.get(id, event), event)
    for id, (moment, type, when, payload) in sorted(events.items(), key=lambda item: (item[1][0], item[0])):
        print(canonical({"client_id": id.decode(), "client_timestamp": when.decode(), "payload": json.loads(payload),
                         "type": type.decode()}))

# ---- The check
def check(vault, _):
    """Reads everything, and says of each thing that is not as it should be."""
    vault.heads(missing_is=6)
    say_all([f"{log_name(position)}: other commits name it, and it is not there" for position in vault.missing()])
    say_all(vault.contradictions())
    say_all(vault.slot_problems())
    check_packs(vault)
    lost = []
    for v in vault.order:
        if v.id not in vault.counting: continue
        parents = [parent for parent in vault.parents[v.id] if parent not in vault.versions]
        if parents: lost.append(f"The version {v.id.hex()} of {shown(v.path)} comes from one that is not there.")
        if v.flags & TOMBSTONE: continue
        try: (vault.listing if v.id in vault.retired else vault.members)(v)
        except DAMAGE as error: lost.append(f"The version {v.id.hex()} of {shown(v.path)} is damaged: {error}")
    say_all(lost)
    check_events(vault, lambda position: log_name(position, "events"))
    checkpoints = check_checkpoints(vault)
    if not vault.commits and not vault.unread and (checkpoints or vault.named("packs", "packs/../[0-9a-f]{32}")):
        say("There is no commit, though content was stored.", 6)
    print(len(vault.commits), "commits:", "all is well" if codes == {0} else "not all is well")

def check_packs(vault):
    """Every record of every pack: each of its chunks is the one it is called, and the pack's end says the same."""
    groups = {}
    for number, pack in enumerate(vault.packs): groups.setdefault(pack.id, []).append(number)
    for group in groups.values():
        # Of a pack that many records describe, what was read once is known.
        known = {} if len(group) > 1 else None
        for number in group:
            pack = vault.packs[number]
            with reporting(f"The pack {pack.id.hex()} is not as {' and '.join(pack.names[:3])} says"):
                if not pack.commit:
                    end, at = footer(pack), pack.blocks[-1][1] + pack.blocks[-1][2]
                    message = vault.pack(pack.id, pack.size)
                    need(message.size - at >= len(end) and message.read(message.size - len(end), message.size) == end,
                         "its end says otherwise")
                for id, owner, offset, length in zip(pack.ids, pack.owners, pack.offsets, pack.lengths):
                    if owner in vault.useless.get(number, ()): continue
                    key = *pack.blocks[owner], offset, length
                    true = known and known.get(key)
                    if true is None: true = vault.name(vault.block(number, owner)[offset:offset + length])
                    if known is not None: known[key] = true
                    need(true == id, f"the chunk {id.hex()} has another content than its id says")

def check_events(vault, name):
    there, replaced, before, bad = {position for _, position in vault.log("events")}, set(), [], []
    for position in sorted(there - passed_over(vault)):
        try:
            previous, instead = read_batch(vault, name(position), position, lambda c: None)
            replaced.update(instead)
            if previous and previous not in there: before.append(previous)
        except DAMAGE as error: bad.append((position, error))
    # What a device that knew its events has stored again is no loss any more.
    say_all([f"{name(position)}: another batch of events names it, and it is not there"
             for position in before if position not in replaced])
    say_all([f"The batch {name(position)} cannot be read: {error}"
             for position, error in bad if position not in replaced])

Checkpoint = collections.namedtuple("Checkpoint", "signer coverage kept known inline packs notes")
def read_checkpoint(vault, name):
    """A checkpoint (section 8). coverage: {position: digest}; kept: {id: (device, version)}; known: the chunks that have a
    place; inline and packs: what is said of the blocks of commits and of packs; notes: {(position, kind, number): body}."""
    coverage, kept, known, packs, notes, budget = None, {}, Ids(), {}, {}, Budget()
    signed = vault.signed(CHECKPOINT, name)
    for kind, c in vault.records(CHECKPOINT, name, budget, signed):
        need((kind == 6) == (coverage is None) and kind not in (1, 4, 10, *NOTES, 21, 22),
             "a record does not belong there")
        if kind == 6:
            coverage = c.digests()
            c.finish()
        if kind == 2: read_device(c, budget)
        if kind == 3: vault.read_pack(c, known, packs)
        if kind == 11: vault.read_pack(c, known, packs, c.position(), MOST_INLINE)
        if kind == 5:
            id, device, when = c.take(12), c.take(16), c.time()
            version = read_version(c, id, when, known, budget)
            need(not version.flags & (NEW | DELTA), "a version does not stand alone")
            need(id not in kept, "a version is kept twice")
            kept[id] = device, version
        if kind == 20:
            position, number, of = c.position(), c.varint(), c.varint()
            need(of in NOTES, "a record is kept that cannot be")
            body = c.data[c.at:c.end]
            read_note(of, c, budget)
            need((position, of, number) not in notes, "a record is kept twice")
            notes[position, of, number] = body
    need(coverage is not None, "it does not begin with its coverage")
    inline = {pack.commit: pack.said for pack in packs.values() if pack.commit}
    others = {pack.id: pack.said for pack in packs.values() if not pack.commit}
    return Checkpoint(signed.signer, dict(coverage), kept, placed(packs.values()), inline, others, notes)

def placed(packs):
    """The ids of chunks that have a place; those in a delta only if its bases have."""
    blocks = [(block, [id for id, _ in ids]) for pack in packs for block, (_, ids) in
              zip(pack.blocks, itertools.groupby(zip(pack.ids, pack.owners), lambda chunk: chunk[1]))]
    whole = {id for block, ids in blocks if block[0] != 2 for id in ids}
    return {id for block, ids in blocks if whole.issuperset(block[4]) for id in ids}

def check_checkpoints(vault):
    """All must open, and the one that covers most must say what the commits say. Returns how many there are."""
    names, newest = vault.named("checkpoints", "checkpoints/([0-9]{12})-[0-9a-f]{16}"), None
    names = [(int(m[1]), name) for name, m in names if int(m[1])]
    for count, name in sorted(names, reverse=True):
        with reporting(f"The checkpoint {name} cannot be read"):
            checkpoint = read_checkpoint(vault, name)
            newest = newest or (name, count, checkpoint)
    if newest:
        with reporting(newest[0]): compare(vault, newest[1], newest[2])
    return len(names)

def compare(vault, count, checkpoint):
    """Holds a checkpoint against the commits, as far as they can tell. A branched log is summed up by none."""
    upto, coverage, kept = {}, checkpoint.coverage, checkpoint.kept
    for device, generation, _ in coverage: upto[device] = max(generation, upto.get(device, 0))
    need(checkpoint.signer in upto, "who signed it has no commit that it sums up")
    commits = [c for c in vault.commits.values() if c.position[1] <= upto.get(c.position[0], 0)]
    held = {c.position for c in commits}
    if vault.unread or len({position[:2] for position in held}) < len(held): return
    need(len(held) >= count and held.issuperset(coverage), "commits that it sums up are not there")
    if vault.missing(): return
    need(all(vault.commits[position[2]].digest == digest for position, digest in coverage.items()),
         "a commit that it sums up has another digest")
    homes = {position: vault.homes[position][1] for position in checkpoint.inline if position in vault.homes}
    need(all(own and own[0].said == checkpoint.inline[position] for position, own in homes.items()),
         "it says otherwise of the blocks in a commit")
    said = {}
    for id, text in vault.pack_numbers: said.setdefault(id, set()).add(text)
    need(all(text in said.get(id, [text]) for id, text in checkpoint.packs.items()), "it says otherwise of a pack")
    need(all(id in checkpoint.known for _, v in kept.values() for m in v.members if m.kind == FILE for id in m.chunks),
         "it does not place all content of the versions that it keeps")
    shut_out, aside = vault.judge(commits)
    aside = {id for _, _, id in aside}
    notes = {(c.position, kind, number): body for kind in (14, 15, 16, 17)
             for c, number, body in vault.notes(kind, commits, aside)}
    plans = {}
    for c, number, body in vault.notes(19, commits, aside):
        plans[c.position[0]] = max(plans.get(c.position[0], ()), (c.position, 19, number, body))
    notes.update((plan[:3], plan[3]) for plan in plans.values())
    notes.update(((c.position, 18, number), body) for c, number, body, _ in vault.settings(commits, aside).values())
    counted = {key for key, _ in shut_out}
    notes.update(((c.position, 13, number), body) for c, number, body in vault.notes(13, commits, set())
                 if (c.position, number) in counted)
    need(notes == checkpoint.notes, "it keeps other records than those that count")
    counting = vault.those_that_count({v.id: v for c in commits for v in c.versions}, aside)
    heads = vault.heads_of({id for _, _, id in held}, counting)
    # Of heads that say the same, writers of old kept one.
    need({v.id for v in vault.alike(heads).values()} <= set(kept) <= {v.id for v in heads}, "it keeps other versions")
    for id, (device, v) in kept.items():
        true = vault.versions[id]
        same = all(getattr(v, key) == getattr(true, key) for key in ("project", "time", "path", "kind", "edited"))
        need(same and v.parents == vault.parents[id] and device == vault.commits[id[:8]].position[0]
             and v.flags & (TOMBSTONE | UNSETTLED) == true.flags & (TOMBSTONE | UNSETTLED)
             and (v.flags & TOMBSTONE or sum(map(statement, v.members)) == vault.listing(true).said),
             f"it says otherwise of the version {id.hex()}")

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
            make_folders(path if m.kind == FOLDER else os.path.dirname(path))
            ready.append((path or b".", m))
    # All folders stand before the first symlink does, so nothing is written through one. Folders get their modes last.
    for path, m in sorted(ready, key=lambda thing: (FILE, SYMLINK, FOLDER).index(thing[1].kind)):
        with reporting(f"{shown(path)} is not restored"): make(vault, path, m)

def make_folders(path):
    """The folder and those above it. A path may be too deep for os.makedirs, which calls itself for each."""
    todo = []
    while path and not os.path.isdir(path):
        todo.append(path)
        path = os.path.dirname(path)
    for folder in reversed(todo): os.mkdir(folder)

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
                "events": list_events, "devices": list_devices, "settings": list_settings, "state": show_state}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", metavar="VAULT", help="the folder of the vault")
    parser.add_argument("command", metavar="COMMAND", choices=commands,
                        help="list, snapshots, restore, check, events, devices, settings or state")
    parser.add_argument("out", metavar="OUT", nargs="?", help="restore: a new or empty folder to write everything to")
    parser.add_argument("--at", metavar="SNAPSHOT", help="list, restore: as of a snapshot, by the beginning of its id")
    parser.add_argument("--json", action="store_true", help="list: print JSON")
    parser.add_argument("--words", metavar="FILE", help="state: the EFF's large word list, one at the end of each line")
    args = parser.parse_intermixed_args()
    sys.stdout.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)                   # `| head` is no damage
    if (args.command == "restore") != (args.out is not None): parser.error("restore needs OUT, and nothing else does")
    with reporting(args.vault):
        secret = os.environ.get("CUE_PASSPHRASE") or getpass.getpass("Passphrase or recovery code: ")
        commands[args.command](Vault(args.vault, os.fsencode(secret)), args)
    sys.exit(max(codes))

if __name__ == "__main__": main()
