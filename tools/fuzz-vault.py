#!/usr/bin/env python3
"""Adds authenticated, hostile objects to a small real vault, and runs cue and cue-read.py over it.

A program that dies by a signal, takes more than --seconds of CPU or six times as long by the clock, or more memory
than --memory, is a finding. So is one that says "whole" over what the case calls a lie, or damage over what is none,
and so is it where one of the two says "whole" and the other does not, or where they know different events after a
sync, or do not show the documents that the case says are there. Each case begins with the same vault, made by cue itself;
the objects are sealed and signed by this file's own code, from docs/format.md: as devices of its own, and as those of the
vault, whose keys it takes from the stores of their libraries (or from --device-seed). What is random comes from --seed,
which is printed.

    tools/fuzz-vault.py --cue .build/release/cue --minutes 30        # first every directed case, then random ones
    tools/fuzz-vault.py --cue .build/release/cue --only twin,frames  # directed cases by name; --list names them
    tools/fuzz-vault.py --cue .build/release/cue --only member_      # … or by the beginning of their names
    tools/fuzz-vault.py --cue .build/release/cue --seed 7 --random 41 # one random case again

Exit codes: 0 nothing found, 1 something found, 2 wrong use.
Needs: pip install cryptography argon2-cffi zstandard (Debian: python3-cryptography python3-argon2 python3-zstandard)"""
import argparse, hashlib, hmac, importlib.machinery, json, os, random, re, shutil, signal
import sqlite3, struct, subprocess, sys, tempfile, time
import argon2.low_level as argon2, zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.poly1305 import Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
reader = importlib.machinery.SourceFileLoader(
    "reader", os.path.join(os.path.dirname(os.path.abspath(__file__)), "cue-read.py")).load_module()

PASSPHRASE, MIB = "fuzz", 1 << 20
LOG, PACK, CHECKPOINT, EVENTS, SLOT, EPOCH, RUN = 3, 2, 4, 5, 1, 6, 7
COMMIT, DEVICE, PACKREC, VERSION, KEPT, COVERAGE, BATCH, EVENT, REPLACED, INLINE, KEPT_INLINE = range(1, 12)
SIGNATURE, SHUT_OUT, RETIRED, PINNED, UNPINNED, ACKNOWLEDGED, SETTINGS, PLAN, KEPT_NOTE = range(12, 21)
RUN_RECORD, RUN_COMMIT = 21, 22
NEW, TOMBSTONE, UNSETTLED, DELTA = 1, 2, 4, 8
EXTREME = [0, 1, 2, 127, 128, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**53 + 1, 2**62, 2**63 - 1,
           2**63, 2**64 - 1]
TIMES = [0, -1, 1, -62167219200000, -62167219200001, 253402300799999, 253402300800000, 2**53, -2**53, 2**62, -2**62,
         2**63 - 1, -2**63, 1790000000000]
YEAR_9999, NOW = 253402300799999, 1790000000000

# ---- Sealing (docs/format.md, sections 1 to 4)
def varint(n):
    out = bytearray()
    while n > 127: out.append(n & 127 | 128); n >>= 7
    return bytes(out + bytes([n]))
def svarint(n): return varint((n << 1 ^ n >> 63) & 2**64 - 1)
def lengthed(b): return varint(len(b)) + b
def expand(key, info, length):
    first = hmac.digest(key, info + b"\1", "sha512")
    return (first + hmac.digest(key, first + info + b"\2", "sha512"))[:length]
def context(vault, kind, name): return b"cue/1\0" + vault + bytes([kind, len(name)]) + name.encode()
INFO = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0"
def seal(plain, key, context):
    salt = os.urandom(24)
    keys = expand(key, INFO + salt + context, 76)
    aead, nonce = AESGCM(keys[:32]), int.from_bytes(keys[32:44], "big")
    pieces = [plain[at:at + 16384] for at in range(0, len(plain) + 1, 16384)]
    return salt + keys[44:] + b"".join(
        aead.encrypt((nonce ^ i).to_bytes(12, "big"), piece, None) for i, piece in enumerate(pieces))
def unseal(message, key, context):
    keys = expand(key, INFO + message[:24] + context, 76)
    aead, nonce = AESGCM(keys[:32]), int.from_bytes(keys[32:44], "big")
    return b"".join(aead.decrypt((nonce ^ i).to_bytes(12, "big"), message[at:at + 16400], None)
                    for i, at in enumerate(range(56, len(message), 16400)))
def sealed_size(n): return 8 + 56 + n + (n // 16384 + 1) * 16       # with the epoch id
def padded(plain, multiple):
    size = -(-sealed_size(len(plain)) // multiple) * multiple
    while True:                                                     # some sizes are no message's
        body = size - 64
        room = body // 16400 * 16384 + body % 16400 - 16
        if body % 16400 >= 16 and room >= len(plain): return plain + bytes(room - len(plain))
        size += multiple

def sealed_box(content, public):
    """libsodium's crypto_box_seal, by the second reader's Salsa20."""
    own = X25519PrivateKey.generate()
    ephemeral = own.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    nonce = hashlib.blake2b(ephemeral + public, digest_size=24).digest()
    shared = reader.salsa(own.exchange(X25519PublicKey.from_public_bytes(public)), bytes(16), True)
    stream = reader.salsa(reader.salsa(shared, nonce[:16], True), nonce[16:] + bytes(8), False)
    sealed = bytes(a ^ b for a, b in zip(content, stream[32:]))
    return ephemeral + Poly1305.generate_tag(stream[:32], sealed) + sealed

# ---- Records (sections 5, 6, 8 and 11 to 14)
class Head(bytes):
    """A commit record of which the vault that it comes to makes the true ids of devices and digests. `of`: its parts."""
def record(kind, body):
    made = varint(kind) + lengthed(body)
    if isinstance(body, Head): made, made.of = Head(made), body.of
    return made
def frame(records, raw=None, codec=None):
    packed = zstandard.ZstdCompressor(19).compress(records)
    codec = (1 if len(packed) < len(records) else 0) if codec is None else codec
    return bytes([codec]) + varint(len(records) if raw is None else raw) + lengthed(packed if codec == 1 else records)
def commit(previous=bytes(8), time=NOW, flags=1, seen=()):
    """What is said of a commit is the digest that it has; `seen` may have another, and `previous` behind the id."""
    made = Head(previous.ljust(40, b"\0") + svarint(time) + bytes([flags]) + varint(len(seen)) + b"".join(
        end(*place) for place in seen))
    made.of = previous, time, flags, seen
    return made
def end(device, generation, id, digest=bytes(32)): return device + varint(generation) + id + digest
def coverage(ends): return varint(len(ends)) + b"".join(end(*place) for place in ends)
NOBODY = bytes(16), 0, bytes(8)
def place(device, generation, id, *_): return device + varint(generation) + id
def shut_out(target, batch=NOBODY): return place(*target) + varint(batch[1]) + batch[2]
def many(things): return varint(len(things)) + b"".join(things)
def retired(versions=(), packs=(), commits=()): return many(versions) + many(packs) + many([place(*c) for c in commits])
def pinned(id, label=b"", what=None):
    return bytes([(1 if len(id) == 12 else 2) if what is None else what]) + id + lengthed(label)
def settings(project=b"p" * 12, parents=(), time=NOW, json=b"{}"):
    return project + many(parents) + svarint(time) + lengthed(json)
def kept_note(position, number, kind, body): return place(*position) + varint(number) + varint(kind) + body
SIGN = frame(b"")                                                   # stands for the frame that holds the signature
def device(id, name=b"x", time=NOW): return id + lengthed(name) + svarint(time)
def block(chunks, codec=0, stored=None, raw=None, count=None, bases=()):
    total = sum(n for _, n in chunks)
    return (bytes([codec]) + varint(total if stored is None else stored) + varint(total if raw is None else raw)
            + (varint(len(bases)) + b"".join(bases) if codec == 2 else b"")
            + varint(len(chunks) if count is None else count) + b"".join(id + varint(n) for id, n in chunks))
def pack(id, size, blocks): return id + varint(size) + varint(len(blocks)) + b"".join(blocks)
def member(path=b"", kind=1, mode=0o644, seconds=1, nano=0, xattrs=(), size=0, runs=(), target=b"x"):
    out = lengthed(path) + bytes([kind]) + varint(mode) + svarint(seconds) + varint(nano) + varint(len(xattrs))
    out += b"".join(lengthed(n) + lengthed(v) for n, v in xattrs)
    if kind == 1:
        out += varint(size) + varint(len(runs))
        out += b"".join(varint(n) + varint(k) + ids for n, k, ids in runs)
    return out + (lengthed(target) if kind == 3 else b"")
def version(path=b"x", kind=1, flags=NEW, project=b"", parents=(), edited=NOW, members=(member(),), removed=(),
            count=None):
    out = bytes([flags]) + project + varint(len(parents)) + b"".join(parents) + lengthed(path) + bytes([kind])
    out += svarint(edited)
    if flags & DELTA: out += varint(len(removed)) + b"".join(map(lengthed, removed))
    return out if flags & TOMBSTONE else out + varint(len(members) if count is None else count) + b"".join(members)
def kept(id, device, body, time=NOW): return id + device + svarint(time) + body
FOLDER = member(kind=2)

class Vault:
    """A vault that can be written to as a hostile holder of its key would."""
    def __init__(self, folder, seeds=(), passphrase=PASSPHRASE, epochs=None):
        """`epochs`: {epoch id: key}, where there is more than the first."""
        self.folder, self.keys, self.devices = folder, {}, []
        with open(f"{folder}/vault.json") as file: self.id = bytes.fromhex(json.load(file)["vault"])
        for slot in os.listdir(f"{folder}/keys"):
            with open(f"{folder}/keys/{slot}", "rb") as file: head, message = file.read(92), file.read()
            way, kdf, _, passes, memory, lanes, salt = struct.unpack("<24xBBHIQI16s32x", head)
            if way != 1: continue
            key = argon2.hash_secret_raw(passphrase.encode(), salt, passes, memory // 1024, lanes, 32,
                                         argon2.Type.ID, 0x13)
            try: opened = unseal(message, key, context(self.id, SLOT, f"keys/{slot}") + head)
            except InvalidTag: continue                             # another passphrase's
            self.key, self.slot, self.pair = opened[32:64], bytes.fromhex(slot), (opened[:32], head[60:])
        self.chunk_ids = self.subkey(b"chunk ids")
        self.use(self.key)
        self.epochs = epochs or {self.epoch: self.key}
        self.stolen = [self.device(Ed25519PrivateKey.from_private_bytes(seed)) for seed in seeds]
        self.learn()
        # That of most commits first: a checkpoint covers it.
        self.stolen = [id for id in self.stolen if id in self.devices]
        self.stolen.sort(key=[c[0] for c in self.commits].count, reverse=True)
    def subkey(self, label, key=None): return expand(key or self.key, b"cue/1 subkey\0" + self.id + label, 32)
    def use(self, key):
        """What is sealed from now on is sealed by the epoch of this key."""
        self.packs, self.records, self.epoch = (self.subkey(label, key) for label in (b"packs", b"records", b"epoch id"))
        self.epoch = self.epoch[:8]
    def listed(self, slot=None):
        """A slot of the vault as an epoch lists it."""
        slot = slot or self.slot
        with open(f"{self.folder}/keys/{slot.hex()}", "rb") as file: data = file.read()
        return slot, data[60:92], data[24], hashlib.blake2b(data, digest_size=32).digest()
    def slots(self): return [self.listed(bytes.fromhex(name)) for name in sorted(os.listdir(f"{self.folder}/keys"))]
    def renew(self, number=2, key=None, earlier=None, slots=None, removed=(), boxes=None, tail=b""):
        """Another epoch: a true one, if nothing is said."""
        key, slots = key or os.urandom(32), self.slots() if slots is None else slots
        earlier = [self.key] if earlier is None else earlier
        boxes = [(id, sealed_box(key, public)) for id, public, _, _ in slots] if boxes is None else boxes
        id = self.subkey(b"epoch id", key)[:8]
        head = b"cueepoch" + self.id + struct.pack("<IH", number, len(boxes)) + b"".join(a + b for a, b in boxes)
        plain = svarint(NOW) + varint(len(earlier)) + b"".join(earlier) + varint(len(slots))
        plain += b"".join(id + public + bytes([kind]) + digest + svarint(NOW) + lengthed(b"x")
                          for id, public, kind, digest in slots)
        plain += varint(len(removed)) + b"".join(removed) + tail
        name = f"epochs/{number:010}-{id.hex()}"
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(head + seal(plain, self.subkey(b"epochs", key), context(self.id, EPOCH, name) + head))
        return key
    def opened(self, kind, name):
        """The plaintext of an object of records."""
        with open(f"{self.folder}/{name}", "rb") as file: sealed = file.read()
        return unseal(sealed[8:], self.subkey(b"records", self.epochs[sealed[:8]]), context(self.id, kind, name))
    def chunk_id(self, data): return hashlib.blake2b(data, key=self.chunk_ids, digest_size=32).digest()
    def put(self, name, kind, plain, multiple=1024, key=None):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(self.epoch + seal(padded(plain, multiple), key or self.records, context(self.id, kind, name)))
        return name
    def device(self, key):
        """The id of the device that signs with this key."""
        public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        id = device_id(self.id, public)
        self.keys[id] = key, public
        return id
    def own(self, label):
        """The device of this id, if its key is known or it is in the vault; else one that is made for this label."""
        if label in self.keys or label in self.devices: return label
        return self.device(Ed25519PrivateKey.from_private_bytes(hashlib.blake2b(label, digest_size=32).digest()))
    def digest(self, kind, name, records):
        return hashlib.blake2b(context(self.id, kind, name) + records, digest_size=32).digest()
    def sign(self, device, digest):
        """As this device, or as one that is nobody, if its key is not known."""
        key, public = self.keys.get(device) or self.keys[self.own(b"nobody")]
        return record(SIGNATURE, public + key.sign(b"cue/1 signature\0" + digest))
    def put_records(self, kind, name, device, records, frames=None, before=b"", sign=None):
        """Records as an object. `sign`: makes other bytes for the signature, from the name and the records. Of frames
        what stands before SIGN is signed, as far as it can be read."""
        if frames is not None:
            frames = list(frames) + [SIGN] * (SIGN not in frames)
            records = parsed(b"".join(frames[:frames.index(SIGN)]))
        digest = self.digest(kind, name, records)
        signature = self.sign(device, digest) if sign is None else sign(self, name, records)
        if frames is None: plain = frame(records + signature)
        else: plain = b"".join(frame(signature) if f == SIGN else f for f in frames)
        self.put(name, kind, before + plain)
        return records + signature, digest
    def commit(self, records, device=b"\xff" * 16, generation=1, id=None, frames=None, inline=b"", sign=None):
        device, id = self.own(device), id or os.urandom(8)
        name = f"log/{device.hex()}/{generation:010}-{id.hex()}"
        plain = b"".join(self.head(r, device, generation) if isinstance(r, Head) else r for r in records)
        position = self.last = device, generation, id
        made = self.put_records(LOG, name, device, plain, frames, lengthed(inline), sign)
        self.raw[position], self.digests[position] = made
        self.inlines[position] = inline
        return name
    def head(self, made, device, generation):
        """A commit record with the ids and digests that are true."""
        previous, time, flags, seen = made.of
        if len(previous) == 8: previous += self.digests.get((device, generation - 1, previous), bytes(32))
        return record(COMMIT, bytes(commit(previous, time, flags, [self.seen(*p) for p in seen])))
    def seen(self, device, generation, id, *digest):
        place = self.own(device), generation, id
        return *place, *(digest or [self.digests.get(place, bytes(32))])
    def ends(self):
        """The commits of the highest generation of each device of the vault."""
        ends = {}
        for d, g, id, _ in self.commits: ends[d] = max(ends.get(d, (0, b"")), (g, id))
        return [self.seen(d, g, id) for d, (g, id) in ends.items()]
    def run(self, places, signer=b"run", listed=None, inner=None, packs=None, tail=(), name=None, sign=None, before=b""):
        """A run of these commits; what is given of it may be a lie. The blocks that stood in them come into a pack."""
        listed = [(g, id, self.digests[d, g, id]) for d, g, id in places] if listed is None else listed
        inner = [self.raw[p] for p in places] if inner is None else inner
        if packs is None: packs = [self.pack_of(places)] if any(self.inlines[p] for p in places) else []
        records = record(RUN_RECORD, varint(len(listed)) + b"".join(varint(g) + id + digest for g, id, digest in listed))
        records += b"".join(record(PACKREC, body) for body in packs) + b"".join(record(RUN_COMMIT, one) for one in inner)
        records += b"".join(tail)
        name = name or f"log/{places[0][0].hex()}/{places[0][1]:010}-{places[-1][1]:010}-{os.urandom(8).hex()}"
        self.put_records(RUN, name, self.own(signer), records, None, lengthed(before), sign)
        return name
    def pack_of(self, places, change=bytes, wanted=lambda block: True):
        """Stores a pack of the blocks that stand in these commits: its record. `wanted` takes (codec, ids of its chunks)."""
        stored, kept = b"", []
        for p in places:
            for body in (body for kind, body in records_of(self.raw[p]) if kind == INLINE):
                said = reader.read_pack(reader.Cursor(body), [], (*p[:2], p[2]))
                for number, (codec, start, size, raw, bases) in enumerate(said.blocks):
                    chunks = [(id, n) for id, n, own in zip(said.ids, said.lengths, said.owners) if own == number]
                    if not wanted((codec, [id for id, _ in chunks])): continue
                    stored += self.inlines[p][start:start + size]
                    kept.append(block(chunks, codec, size, raw, bases=bases))
        said = varint(len(kept)) + b"".join(kept)
        end = reader.footer(reader.read_pack(reader.Cursor(said), [], (bytes(16), 1, bytes(8))))
        body, id = padded(change(stored) + end, 4096), os.urandom(16)
        name = f"packs/{id.hex()[:2]}/{id.hex()}"
        self.put(name, PACK, change(stored) + bytes(len(body) - len(stored) - len(end)) + end, 4096, self.packs)
        return id + varint(os.path.getsize(f"{self.folder}/{name}")) + said
    def remove(self, *places):
        """These commits as objects of their own."""
        for d, g, id in places:
            name = f"{self.folder}/log/{d.hex()}/{g:010}-{id.hex()}"
            if os.path.exists(name): os.unlink(name)
    def kept(self):
        """The newest checkpoint that is there: (how many commits it covers, its records)."""
        name = sorted(os.listdir(f"{self.folder}/checkpoints"))[-1]
        plain = self.opened(CHECKPOINT, f"checkpoints/{name}")
        return int(name[:12]), [(kind, body) for kind, body in parse(plain) if kind != SIGNATURE]
    def checkpoint_again(self, change, more=0, **how):
        """The newest checkpoint as `change` makes it of its records, under a name that comes before."""
        count, records = self.kept()
        return self.checkpoint(count + more, [record(kind, body) for kind, body in change(records)], "f" * 16, **how)
    def checkpoint(self, covered, records, id=None, signer=None, sign=None):
        """Signed as a device of the vault, where the key of one is known."""
        name = f"checkpoints/{covered:012}-{id or os.urandom(8).hex()}"
        signer = signer or (self.stolen[0] if self.stolen else self.own(b"nobody"))
        self.put_records(CHECKPOINT, name, signer, b"".join(records), sign=sign)
        return name
    def batch(self, records, device=b"\xfe" * 16, generation=1, frames=None, id=None, sign=None):
        device, id = self.own(device), id or os.urandom(8)
        name = f"events/{device.hex()}/{generation:010}-{id.hex()}"
        self.put_records(EVENTS, name, device, b"".join(records), frames, sign=sign)
        self.last_batch = device, generation, id
        return name
    def pack(self, content, chunks=None, codec=0, bases=(), prefix=b""):
        """Stores a pack of one block; `chunks`: what its record calls them, if not what they are. `bases`: what it calls
        the chunks whose content is `prefix`."""
        raw_content = zstandard.ZstdCompressionDict(prefix, zstandard.DICT_TYPE_RAWCONTENT) if prefix else None
        stored = zstandard.ZstdCompressor(3, raw_content).compress(content) if codec else content
        true = [(self.chunk_id(content), len(content))]
        claimed = chunks or true
        footer = varint(1) + bytes([codec]) + varint(len(stored)) + varint(len(content))
        footer += (varint(len(bases)) + b"".join(bases) if codec == 2 else b"") + varint(len(claimed))
        footer += b"".join(varint(n) for _, n in claimed)
        body = padded(stored + footer + struct.pack("<I", len(footer)), 4096)
        zeros = len(body) - len(stored) - len(footer) - 4           # the zeros stand before the footer
        id = os.urandom(16)
        name = f"packs/{id.hex()[:2]}/{id.hex()}"
        self.put(name, PACK, stored + bytes(zeros) + footer + struct.pack("<I", len(footer)), 4096, self.packs)
        return pack(id, os.path.getsize(os.path.join(self.folder, name)),
                    [block(claimed, codec, len(stored), len(content), bases=bases)]), true[0][0]
    def learn(self):
        """What is there: commits, versions, packs and chunks, for things to lie about."""
        self.commits, self.versions, self.known_packs, self.devices = [], [], [], []
        self.digests, self.raw, self.inlines = {}, {}, {}
        for device in sorted(os.listdir(f"{self.folder}/log")):
            self.devices.append(bytes.fromhex(device))
            for name in sorted(os.listdir(f"{self.folder}/log/{device}")):
                if len(name) != 27: continue                        # a run
                generation, id = int(name[:10]), bytes.fromhex(name[11:])
                plain = self.opened(LOG, f"log/{device}/{name}")
                inline, at = read_varint(plain, 0)
                position = bytes.fromhex(device), generation, id
                self.raw[position], self.inlines[position] = parsed(plain[at + inline:]), plain[at:at + inline]
                records = [(kind, body) for kind, body in records_of(self.raw[position]) if kind != SIGNATURE]
                signed = b"".join(record(kind, body) for kind, body in records)
                self.digests[position] = self.digest(LOG, f"log/{device}/{name}", signed)
                self.commits.append((bytes.fromhex(device), generation, id, records))
                bodies = [body for kind, body in records if kind == VERSION]
                for number, body in enumerate(bodies):
                    vid = id + struct.pack(">I", number)
                    self.versions.append((vid, vid if body[0] & NEW else body[1:13], body))
                self.known_packs += [body for kind, body in records if kind == PACKREC]
    def heads(self):
        parents = set()
        for _, _, body in self.versions:
            at = 1 if body[0] & NEW else 13
            parents |= {body[at + 1 + 12 * i:at + 13 + 12 * i] for i in range(body[at])}
        return [(vid, project, body) for vid, project, body in self.versions if vid not in parents]

def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]; at += 1
        value |= (byte & 127) << shift; shift += 7
        if byte < 128: return value, at
def parse(plain):
    at = 0
    while len(plain) - at > 1:
        codec = plain[at]
        raw, at = read_varint(plain, at + 1)
        if raw == 0: return
        stored, at = read_varint(plain, at)
        data = plain[at:at + stored]; at += stored
        if codec == 1: data = zstandard.ZstdDecompressor().decompress(data, max_output_size=raw)
        yield from records_of(data)
def records_of(data):
    at = 0
    while at < len(data):
        kind, at = read_varint(data, at)
        length, at = read_varint(data, at)
        yield kind, data[at:at + length]
        at += length
def parsed(plain):
    """The bytes of all records in frames, as far as they can be read."""
    out = bytearray()
    try:
        for kind, body in parse(plain):
            out += record(kind, body)
            if len(out) > 256 * MIB: break                          # nobody reads so far
    except (IndexError, zstandard.ZstdError): pass
    return bytes(out)
def device_id(vault, public):
    return hashlib.blake2b(b"cue/1 device\0" + vault + public, digest_size=32).digest()[:16]

# ---- Directed cases. Each takes a vault. After "lie" no check that reads all may say that all is well; after "damage"
# no check at all may; after "whole" every check must. Further words are names that lists show (+) or do not show (-).
CASES, RULES = {}, set()
def case(f): CASES[f.__name__] = f; return f
def rules(prefix, table, said="damage"):
    """Many small cases, each of one broken rule: only the checks are run over them."""
    def named(make):
        def run(v):
            make(v)
            return said
        return run
    for name, make in table.items():
        CASES[f"{prefix}_{name}"] = named(make)
        RULES.add(f"{prefix}_{name}")
def victim(v):
    """A commit with packs and versions."""
    return next(c for c in v.commits if any(kind == PACKREC for kind, _ in c[3]))
def number(id, n): return id + struct.pack(">I", n)

@case
def nothing(v): return "whole"
@case
def twin(v):
    d, g, id, records = victim(v)
    mine, _ = v.pack(b"x" * 100)
    v.commit([record(COMMIT, commit())] + [record(PACKREC, mine)]
             + [record(VERSION, body) for kind, body in records if kind == VERSION], id=id)
    return "lie"
@case
def twin_empty(v):
    v.commit([record(COMMIT, commit())], id=victim(v)[2])
    return "lie"
@case
def twin_short(v):
    v.commit([record(COMMIT, commit()), record(VERSION, version())], id=victim(v)[2])
    return "lie"
@case
def twin_own_device(v):
    d, g, id, _ = victim(v)
    v.commit([record(COMMIT, commit(bytes([9] * 8)))], d, 999, id)
    return "lie"
@case
def twins_of_all(v):
    for n, (_, _, id, _) in enumerate(v.commits): v.commit([record(COMMIT, commit())], bytes([1] * 15 + [n]), 1, id)
    return "lie"
@case
def commit_times(v):
    for n, time in enumerate(TIMES):
        v.commit([record(COMMIT, commit(time=time, seen=[(b"\7" * 16, 3, b"\7" * 8)])),
                  record(DEVICE, device(bytes([n] * 16), time=time)),
                  record(VERSION, version(b"t%d" % n))], bytes([n] * 16))
@case
def commit_time_missing(v):
    for n, time in enumerate([-2**63, -62167219200000, YEAR_9999]):
        v.commit([record(COMMIT, commit(time=time, seen=[(b"\7" * 16, 3, b"\7" * 8)]))], bytes([n] * 16))
@case
def edited(v):
    v.commit([record(COMMIT, commit())] + [record(VERSION, version(b"e%d" % n, edited=t)) for n, t in enumerate(TIMES)])
@case
def mtimes(v):
    v.commit([record(COMMIT, commit())]
             + [record(VERSION, version(b"m%d" % n, members=[member(seconds=t, nano=999999999)]))
                for n, t in enumerate(TIMES)])
@case
def device_times(v): v.commit([record(COMMIT, commit()), record(DEVICE, device(b"\xff" * 16, time=2**63 - 1))])
@case
def sizes_of_members(v):
    for n, size in enumerate([2**53, 2**53 + 1, 2**62, 2**63 - 1]):
        v.commit([record(COMMIT, commit()), record(VERSION, version(b"s%d.rtfd" % n, 4, members=[
            FOLDER, member(b"a", size=size), member(b"b", size=size)]))], bytes([n] * 16))
@case
def sizes_of_files(v):
    v.commit([record(COMMIT, commit())]
             + [record(VERSION, version(b"f%d" % n, members=[member(size=2**53)])) for n in range(1100)])
@case
def sizes_beyond(v):
    for n, size in enumerate(EXTREME):
        v.commit([record(COMMIT, commit()), record(VERSION, version(b"f%d" % n, members=[member(size=size)]))],
                 bytes([n] * 16))
@case
def heads_at_the_ends(v):
    vid, project, body = v.heads()[0]
    for n, t in enumerate([-2**63, 2**63 - 1, -62167219200000, YEAR_9999]):
        v.commit([record(COMMIT, commit(time=t)), record(VERSION, version(b"novel.txt", flags=0, project=project,
                 parents=[vid], edited=t, members=[member(mode=0o600 + n)]))], bytes([n] * 16))
@case
def pack_lie_low(v):
    body = victim(v)[3]
    true = next(b for kind, b in body if kind == PACKREC)
    size, at = read_varint(true, 16)
    lie = pack(true[:16], size, [block([(os.urandom(32), 100)])])
    v.commit([record(COMMIT, commit()), record(PACKREC, lie)], bytes(15) + b"\1")
    return "lie"
@case
def pack_lie_size(v):
    true = next(b for kind, b in victim(v)[3] if kind == PACKREC)
    size, at = read_varint(true, 16)
    v.commit([record(COMMIT, commit()), record(PACKREC, true[:16] + varint(size + 4096) + true[at:])], bytes(15) + b"\1")
    return "lie"
@case
def pack_footer_far(v):
    mine, _ = v.pack(os.urandom(8 * MIB))
    size, _ = read_varint(mine, 16)
    v.commit([record(COMMIT, commit()), record(PACKREC, pack(mine[:16], size, [block([(b"\1" * 32, 1)])]))])
    return "lie"
@case
def chunk_lie_low(v):
    chunks = [chunk for body in v.known_packs for chunk in chunks_of(body)]
    records = [record(COMMIT, commit())]
    for id, length in chunks[:50]:
        lie, _ = v.pack(bytes([7]) * length, [(id, length)])
        records.append(record(PACKREC, lie))
    v.commit(records, bytes(15) + b"\1")
    return "lie"
@case
def chunk_lie_length(v):
    records = [record(COMMIT, commit())]
    for id, length in [chunk for body in v.known_packs for chunk in chunks_of(body)][:50]:
        lie, _ = v.pack(b"\7" * (length + 5), [(id, length + 5)])
        records.append(record(PACKREC, lie))
    v.commit(records, bytes(15) + b"\1")
    return "lie"
def chunks_of(body):
    _, at = read_varint(body, 16)
    blocks, at = read_varint(body, at)
    for _ in range(blocks):
        codec = body[at]
        stored, at = read_varint(body, at + 1)
        raw, at = read_varint(body, at)
        if codec == 2:
            bases, at = read_varint(body, at)
            at += 32 * bases
        count, at = read_varint(body, at)
        for _ in range(count):
            id = body[at:at + 32]
            length, at = read_varint(body, at + 32)
            yield id, length
def file_of(v, content_id, size, *records, path=b"delta.txt", **more):
    """A commit with a document of one chunk."""
    chunks = [(1, 0, content_id)]
    v.commit([record(COMMIT, commit()), *records,
              record(VERSION, version(path, members=[member(size=size, runs=chunks)]))], **more)
    return "damage"
@case
def delta_true(v):
    base = os.urandom(9000)
    text = base + b"one more sentence"
    whole, id = v.pack(base)
    delta, other = v.pack(text, codec=2, bases=[id], prefix=base)
    file_of(v, other, len(text), record(PACKREC, whole), record(PACKREC, delta))
    return "whole"
@case
def delta_base_missing(v):
    base = os.urandom(9000)
    delta, id = v.pack(base + b"x", codec=2, bases=[v.chunk_id(base)], prefix=base)
    return file_of(v, id, 9001, record(PACKREC, delta))
@case
def delta_on_delta(v):
    base = os.urandom(9000)
    whole, a = v.pack(base)
    delta, b = v.pack(base + b"x", codec=2, bases=[a], prefix=base)
    nested, c = v.pack(base + b"xy", codec=2, bases=[b], prefix=base + b"x")
    file_of(v, c, 9002, *(record(PACKREC, p) for p in (whole, delta, nested)))
    return "damage"
@case
def delta_on_itself(v):
    text = os.urandom(9000)
    delta, id = v.pack(text, codec=2, bases=[v.chunk_id(text)], prefix=text)
    file_of(v, id, 9000, record(PACKREC, delta))
    return "damage"
@case
def delta_other_base(v):
    base, other = os.urandom(9000), os.urandom(9000)
    whole, _ = v.pack(other, [(v.chunk_id(base), 9000)])
    delta, id = v.pack(base + b"x", codec=2, bases=[v.chunk_id(base)], prefix=base)
    file_of(v, id, 9001, record(PACKREC, whole), record(PACKREC, delta))
    return "lie"
@case
def delta_long_bases(v):
    """Some hundred bytes that name 4 times 16 MiB, again and again."""
    bases = [bytes([n]) * (16 * MIB - n) for n in range(4)]
    packs = [v.pack(base, codec=1) for base in bases]
    deltas = [v.pack(b"%d" % n * 40, codec=2, bases=[id for _, id in packs], prefix=b"".join(bases)[:1 << 20])
              for n in range(200)]
    v.commit([record(COMMIT, commit())] + [record(PACKREC, p) for p, _ in packs + deltas] + [
        record(VERSION, version(b"d%d" % n, members=[member(size=len(b"%d" % n) * 40, runs=[(1, 0, id)])]))
        for n, (_, id) in enumerate(deltas)])
    return "lie"
@case
def delta_bombs(v):
    """Deltas of a few bytes that open to 16 MiB each, all against the last block that nobody keeps."""
    bases = [v.pack(bytes([n]) * 16 * MIB, codec=1) for n in range(8)]
    deltas = [v.pack(bytes([n % 8]) * (16 * MIB - 1 - n), codec=2, bases=[bases[n % 8][1]], prefix=bytes([n % 8]) * 16 * MIB)
              for n in range(24)]
    v.commit([record(COMMIT, commit())] + [record(PACKREC, p) for p, _ in bases + deltas] + [
        record(VERSION, version(b"b%d" % n, members=[member(size=16 * MIB - 1 - n, runs=[(1, 0, id)])]))
        for n, (_, id) in enumerate(deltas)])
    return "whole"
@case
def inline_true(v):
    text = os.urandom(500)
    own = varint(1) + block([(v.chunk_id(text), 500)])
    file_of(v, v.chunk_id(text), 500, record(INLINE, own), inline=text)
    return "whole"
@case
def inline_other_bytes(v):
    own = varint(1) + block([(v.chunk_id(b"x" * 500), 500)])
    file_of(v, v.chunk_id(b"x" * 500), 500, record(INLINE, own), inline=b"y" * 500)
    return "lie"
@case
def kept_inline_lies(v):
    def change(records):
        d, g, id, _ = v.commits[0]
        lie = d + varint(g) + id + varint(1) + block([(os.urandom(32), 3)])
        return records[:1] + [(KEPT_INLINE, lie)] + [r for r in records[1:]]
    v.checkpoint_again(change)
    return "lie"
@case
def kept_inline_nowhere(v):
    """Nobody needs it: it costs nothing, and harms nobody."""
    def change(records):
        lie = os.urandom(16) + varint(2**64 - 1) + os.urandom(8) + varint(1) + block([(os.urandom(32), 3)])
        return records + [(KEPT_INLINE, lie)]
    v.checkpoint_again(change)
    return "whole"
def broken_inline(records, inline):
    return lambda v: v.commit([record(COMMIT, commit()), *records(v)], inline=inline)
OWN = varint(1) + block([(b"\1" * 32, 3)])
rules("inline", {
    "without_record": broken_inline(lambda v: [], b"abc"),
    "too_short": broken_inline(lambda v: [record(INLINE, OWN)], b"ab"),
    "too_long": broken_inline(lambda v: [record(INLINE, OWN)], b"abcd"),
    "none": broken_inline(lambda v: [record(INLINE, OWN)], b""),
    "twice": broken_inline(lambda v: [record(INLINE, OWN)] * 2, b"abc"),
    "over_64_kib": broken_inline(lambda v: [record(INLINE, varint(1) + block([(b"\1" * 32, 65537)]))], bytes(65537)),
    "no_block": broken_inline(lambda v: [record(INLINE, varint(0))], b""),
    "as_pack": broken_inline(lambda v: [record(PACKREC, pack(b"\1" * 8 + bytes(8), 4096, [block([(b"\1" * 32, 3)])]))], b""),
    "kept_in_a_commit": broken_inline(lambda v: [record(KEPT_INLINE, bytes(16) + b"\1" + bytes(8) + OWN)], b""),
})
def broken_bases(bases, codec=2, tail=b""):
    def make(v):
        body = os.urandom(16) + varint(4096) + varint(1) + bytes([codec]) + varint(1) + varint(1) + bases
        v.commit([record(COMMIT, commit()), record(PACKREC, body + varint(1) + bytes(32) + varint(1) + tail)])
    return make
rules("bases", {
    "none": broken_bases(varint(0)), "five": broken_bases(varint(5) + os.urandom(160)),
    "twice": broken_bases(varint(2) + bytes(64)), "far": broken_bases(varint(2**40)),
    "of_a_frame": broken_bases(varint(1) + bytes(32), codec=1), "unknown_codec": broken_bases(b"", codec=3),
})
@case
def foreign_parent(v):
    v.commit([record(COMMIT, commit()), record(VERSION, version(b"other", parents=[h[0] for h in v.heads()]))])
    return "lie"
@case
def self_parent(v):
    id = b"\5" * 8
    v.commit([record(COMMIT, commit())] + [
        record(VERSION, version(b"self", flags=0, project=project, parents=[number(id, n), vid]))
        for n, (vid, project, _) in enumerate(v.heads())], id=id)
    return "lie"
@case
def cycle(v):
    id = b"\5" * 8
    records = [record(COMMIT, commit())]
    for n, (vid, project, _) in enumerate(v.heads()):
        records += [record(VERSION, version(b"c", flags=0, project=project, parents=[vid, number(id, 2 * n + 1)])),
                    record(VERSION, version(b"c", flags=0, project=project, parents=[number(id, 2 * n)]))]
    v.commit(records, id=id)
    return "lie"
@case
def cycle_long(v):
    id, (vid, project, _) = b"\5" * 8, v.heads()[0]
    v.commit([record(COMMIT, commit())] + [
        record(VERSION, version(b"c%d" % n, flags=0, project=project, parents=[vid, number(id, (n + 1) % 5000)]))
        for n in range(5000)], id=id)
    return "lie"
@case
def delta_circle(v):
    id, (vid, project, _) = b"\5" * 8, v.heads()[0]
    v.commit([record(COMMIT, commit())] + [
        record(VERSION, version(b"d", flags=DELTA, project=project, parents=[number(id, (n + 1) % 3)], members=[]))
        for n in range(3)], id=id)
    return "lie"
@case
def checkpoint_lies(v):
    where = {id: d for d, _, id, _ in v.commits}
    heads = [h for h in v.heads() if not h[2][0] & DELTA and h[0][:8] in where][:1]
    v.checkpoint(len(v.commits), [record(COVERAGE, coverage(v.ends()))] + [
        record(KEPT, kept(vid, where[vid[:8]], version(b"lie.txt", flags=0, project=project, members=[member()])))
        for vid, project, _ in heads])
    return "lie"
@case
def checkpoint_numbers(v):
    d, g, id, _ = v.commits[-1]
    for n, e in enumerate(EXTREME):
        v.checkpoint(10**11 + n, [record(COVERAGE, coverage([(d, e, id)]))])
        v.checkpoint(10**10 + n, [record(COVERAGE, coverage([v.seen(d, g, id)])), record(KEPT, kept(
            number(id, min(e, 2**32 - 1)), d, version(b"k", flags=0, project=number(id, 0)),
            time=e - 2**63 if e < 2**64 else 0))])
@case
def frames(v):
    bomb = frame(record(99, bytes(60 * MIB)))
    v.commit([], frames=[frame(record(COMMIT, commit()))] + [bomb] * 100)
@case
def frames_of_versions(v):
    body = record(VERSION, version(b"", 2, flags=TOMBSTONE, project=bytes(12)))
    v.commit([], frames=[frame(record(COMMIT, commit()))] + [frame(body * 300_000)] * 4)
@case
def frames_kept(v):
    body = record(VERSION, version(b"a", members=[member(xattrs=[(b"a", bytes(MIB))])])) * 60
    v.commit([], frames=[frame(record(COMMIT, commit()))] + [frame(body)] * 8)
@case
def many_small_bombs(v):
    body = record(VERSION, version(b"a", members=[member(xattrs=[(b"a", bytes(MIB))])])) * 3
    for n in range(200): v.commit([record(COMMIT, commit()), body], bytes(14) + struct.pack(">H", n + 1))
@case
def checkpoint_frames(v):
    d, g, id, _ = v.commits[-1]
    v.put(f"checkpoints/{10**9:012}-{bytes(8).hex()}", CHECKPOINT, frame(
        record(COVERAGE, coverage([v.seen(d, g, id)]))) + frame(record(99, bytes(60 * MIB))) * 50)
@case
def runs(v):
    chunks = [(os.urandom(32), 1) for _ in range(1000)]
    mine = pack(os.urandom(16), 4096, [block(chunks)])
    v.commit([record(COMMIT, commit()), record(PACKREC, mine), record(VERSION, version(
        b"runs", members=[member(size=66_000_000, runs=[(1000, 1, b"")] * 66_000)]))])
@case
def runs_of_many(v):
    chunks = [(bytes(30) + struct.pack(">H", n), 1) for n in range(60_000)]
    mine = pack(os.urandom(16), 4096, [block(chunks)])
    v.commit([record(COMMIT, commit()), record(PACKREC, mine)] + [
        record(VERSION, version(b"r%d" % n, members=[member(size=960_000, runs=[(60_000, 1, b"")] * 16)]))
        for n in range(2000)])
@case
def long_heads(v):
    """Heads of one document that each name two million chunks, in an object whose size allows a sixteenth of that."""
    mine, _ = v.pack(bytes(2000), [(v.chunk_id(bytes(2)), 2)] * 1000)
    vid, project, _ = v.heads()[0]
    v.commit([record(COMMIT, commit()), record(PACKREC, mine), record(99, os.urandom(MIB))] + [
        record(VERSION, version(b"novel.txt", flags=0, project=project, parents=[vid], members=[member(
            size=4_000_000 - 2 * n, runs=[(1000 - n, 1, b"")] + [(1000, 1, b"")] * 1999)])) for n in range(16)])
@case
def long_head(v):
    """One of them, which is allowed."""
    mine, _ = v.pack(bytes(2000), [(v.chunk_id(bytes(2)), 2)] * 1000)
    vid, project, _ = v.heads()[0]
    v.commit([record(COMMIT, commit()), record(PACKREC, mine), record(VERSION, version(
        b"novel.txt", flags=0, project=project, parents=[vid], members=[member(
            size=4_000_000, runs=[(1000, 1, b"")] * 2000)]))])
    return "whole"
@case
def heads_of_ids(v):
    """Heads of one document that name a known chunk again and again, by its id."""
    id, length = next(chunk for body in v.known_packs for chunk in chunks_of(body))
    vid, project, _ = v.heads()[0]
    v.commit([record(COMMIT, commit()), record(99, os.urandom(MIB))] + [
        record(VERSION, version(b"novel.txt", flags=0, project=project, parents=[vid], members=[member(
            size=500_000 * length - n, runs=[(500_000, 0, id * 500_000)])])) for n in range(12)])
@case
def heads(v):
    vid, project, _ = v.heads()[0]
    v.commit([record(COMMIT, commit())] + [record(VERSION, version(
        b"novel.txt", flags=0, project=project, parents=[vid], members=[
            member(size=1, runs=[(1, 0, b"\7" * 30 + struct.pack(">H", n))])])) for n in range(3000)])
@case
def heads_alike(v):
    vid, project, _ = v.heads()[0]
    v.commit([record(COMMIT, commit())] + [record(VERSION, version(
        b"novel.txt", flags=0, project=project, parents=[vid]))] * 3000)
@case
def deltas(v):
    id = b"\5" * 8
    v.commit([record(COMMIT, commit()), record(VERSION, version(b"d.rtfd", 4, members=[FOLDER]))] + [
        record(VERSION, version(b"d.rtfd", 4, DELTA, number(id, 0), [number(id, n)], members=[
            member(b"%d" % (n % 10))])) for n in range(9000)], id=id)
@case
def deltas_of_many(v):
    id = b"\5" * 8
    full = [FOLDER] + [member(b"%d" % n) for n in range(10_000)]
    v.commit([record(COMMIT, commit()), record(VERSION, version(b"d.rtfd", 4, members=full))] + [
        record(VERSION, version(b"d.rtfd", 4, DELTA, number(id, 0), [number(id, n)], members=[
            member(b"%d" % (n % 10), mode=n % 512)])) for n in range(900)], id=id)
@case
def deltas_side_by_side(v):
    id = b"\5" * 8
    full = [FOLDER] + [member(b"%d" % n) for n in range(5_000)]
    v.commit([record(COMMIT, commit()), record(VERSION, version(b"d.rtfd", 4, members=full))] + [
        record(VERSION, version(b"d.rtfd", 4, DELTA, number(id, 0), [number(id, 0)], members=[
            member(b"x", mode=n % 512)])) for n in range(2000)], id=id)
@case
def parents(v):
    id = b"\5" * 8
    v.commit([record(COMMIT, commit()), record(VERSION, version(b"p"))] + [
        record(VERSION, version(b"p", flags=0, project=number(id, 0), parents=[
            number(id, p) for p in range(max(0, n - 200), n)])) for n in range(1, 2000)], id=id)
@case
def parents_doubled(v):
    id, (vid, project, _) = b"\5" * 8, v.heads()[0]
    v.commit([record(COMMIT, commit()), record(VERSION, version(b"p", flags=0, project=project, parents=[vid] * 50_000))])
@case
def members(v):
    v.commit([record(COMMIT, commit()), record(VERSION, version(
        b"m.rtfd", 4, members=[FOLDER] + [member(b"%x" % n) for n in range(400_000)]))])
@case
def seen(v):
    v.commit([record(COMMIT, commit(seen=[(struct.pack(">QQ", 0, n), 2**64 - 1, b"\1" * 8) for n in range(50_000)]))])
@case
def devices(v):
    for n in range(1000): v.commit([record(COMMIT, commit()), record(DEVICE, device(b"\7" * 14 + struct.pack(">H", n)))],
                                   b"\7" * 14 + struct.pack(">H", n))
@case
def seen_of_all(v):
    places = [(b"\7" * 14 + struct.pack(">H", n), 1, b"\7" * 6 + struct.pack(">H", n)) for n in range(300)]
    for d, g, id in places: v.commit([record(COMMIT, commit(seen=[p for p in places if p[0] != d]))], d, g, id)
@case
def same_slot(v):
    chunks = [(bytes(24) + struct.pack(">Q", n), 1) for n in range(120_000)]
    v.commit([record(COMMIT, commit()), record(PACKREC, pack(os.urandom(16), 4096, [block(chunks)]))])
@case
def deep(v):
    v.commit([record(COMMIT, commit())] + [
        record(VERSION, version(b"/".join([b"d"] * n), 2, members=[FOLDER])) for n in range(1, 2047)])
@case
def projects_of_one_name(v):
    v.commit([record(COMMIT, commit())] + [record(VERSION, version(b"same"))] * 3000)
@case
def block_bomb(v):
    mine, id = v.pack(bytes(16 * MIB), codec=1)
    v.commit([record(COMMIT, commit()), record(PACKREC, mine), record(VERSION, version(
        b"bomb", members=[member(size=16 * MIB * 20, runs=[(1, 1, b"")] * 20)]))])
@case
def generations(v):
    d = v.devices[0]
    for g in (2**31, 9_999_999_998, 9_999_999_999): v.commit([record(COMMIT, commit(b"\1" * 8))], d, g)
@case
def events(v):
    def event(id, when=b"2026-01-01T00:00:00Z", created=NOW, payload=b"{}", type=b"x"):
        return record(EVENT, lengthed(id) + lengthed(type) + lengthed(when) + svarint(created) + lengthed(payload))
    whens = [b"0000-01-01T00:00:00+23:59", b"9999-12-31T23:59:60-23:59", b"9999-12-31T23:59:59.999999999Z", b"x", b""]
    records = [record(BATCH, bytes(8) + svarint(NOW))]
    records += [event(b"w%d" % n, when) for n, when in enumerate(whens)]
    records += [event(b"c%d" % n, created=t) for n, t in enumerate(TIMES)]
    numbers = [b"1e999", b"-9223372036854775809", b"1e-999", b"18446744073709551616", b"0.1e309", b"[" * 64 + b"]" * 64]
    records += [event(b"n%d" % n, payload=p, type=t) for n, p in enumerate(numbers)
                for t in (b"x", b"garden.planted", b"garden.earned", b"writing.session")]
    v.batch(records)
    for n, e in enumerate(EXTREME):
        v.batch([record(BATCH, bytes(8) + svarint(TIMES[n % len(TIMES)])),
                 record(REPLACED, b"\1" * 16 + varint(e) + b"\1" * 8)], bytes([n + 1] * 16))
@case
def event_bomb(v):
    records = record(BATCH, bytes(8) + svarint(NOW)) + record(EVENT, bytes(60 * MIB))
    v.batch([], frames=[frame(records)] + [frame(record(EVENT, bytes(60 * MIB)))] * 3)

# -- Long pasts
def chain(v, length, parents, body=version, id=b"\5" * 8, more=()):
    """Versions of one new project, each with those parents (numbers) that `parents` gives for its number."""
    records = [record(VERSION, body(b"past.txt"))]
    for n in range(1, length):
        records.append(record(VERSION, body(
            b"past.txt", flags=0, project=number(id, 0), edited=NOW + n, members=[member(mode=n % 512)],
            parents=[number(id, p) for p in parents(n)])))
    v.commit([record(COMMIT, commit()), *records, *more], id=id)
def later(v, count, body, id=b"\6" * 8):
    v.commit([record(COMMIT, commit(seen=[(b"\xff" * 16, 1, b"\5" * 8)]))]
             + [record(VERSION, body(n)) for n in range(count)], b"\xfd" * 16, id=id)
@case
def heads_over_past(v):
    """A past of thousands of versions, and hundreds of heads that hang on all parts of it."""
    chain(v, 5000, lambda n: [n - 1])
    later(v, 400, lambda n: version(b"past.txt", flags=TOMBSTONE if n % 5 == 0 else 0, project=number(b"\5" * 8, 0),
                                    parents=[number(b"\5" * 8, n * 12)], members=[member(mode=0o600, seconds=n)]))
    return "whole"
@case
def heads_over_end(v):
    """The same, where all heads hang on the end."""
    chain(v, 5000, lambda n: [n - 1])
    later(v, 400, lambda n: version(b"past.txt", flags=TOMBSTONE if n % 5 == 0 else 0, project=number(b"\5" * 8, 0),
                                    parents=[number(b"\5" * 8, 4999)], members=[member(mode=0o600, seconds=n)]))
    return "whole"
@case
def few_heads_over_past(v):
    """As many heads as cue still compares with each other."""
    chain(v, 20000, lambda n: [n - 1])
    later(v, 16, lambda n: version(b"past.txt", flags=0, project=number(b"\5" * 8, 0),
                                   parents=[number(b"\5" * 8, 19999 - n)], members=[member(mode=0o600, seconds=n)]))
    return "whole"
@case
def ladder(v):
    """Two chains with parents in each other: the ways back double with every step."""
    chain(v, 8000, lambda n: [n - 1] if n < 3 else [n - 2, n - 1 if n % 2 else n - 3])
    return "whole"
@case
def ladder_of_deltas(v):
    """The same of differences, with a whole list every ninety steps."""
    def body(path, flags=NEW, project=b"", edited=NOW, parents=(), members=()):
        n = edited - NOW
        flags = NEW if n == 0 else 0 if n % 90 == 0 else DELTA
        return version(b"past.rtfd", 4, flags, project, parents, edited,
                       [member(b"a", mode=n % 512)] if flags & DELTA else [FOLDER, member(b"a")])
    chain(v, 4000, lambda n: [n - 1] if n < 3 else [n - 1, n - 2], body)
    return "whole"
@case
def tombstones(v):
    """A document that is deleted and comes back, thousands of times, and heads of both sorts at the end."""
    id = b"\5" * 8
    records = [record(VERSION, version(b"past.txt"))]
    for n in range(1, 6000):
        records.append(record(VERSION, version(b"past.txt", flags=TOMBSTONE if n % 2 else 0, project=number(id, 0),
                                               parents=[number(id, n - 1)], members=[member(mode=n % 512)])))
    v.commit([record(COMMIT, commit())] + records, id=id)
    later(v, 200, lambda n: version(b"past.txt", flags=TOMBSTONE if n % 2 else 0, project=number(id, 0),
                                    parents=[number(id, 5999 - n * 20)], members=[member(seconds=n)]))
    return "whole"
@case
def tombstones_alone(v):
    """Thousands of deletions of one document that know nothing of each other, and thousands that follow each other."""
    id = b"\5" * 8
    v.commit([record(COMMIT, commit()), record(VERSION, version(b"past.txt"))] + [record(VERSION, version(
        b"past.txt", flags=TOMBSTONE, project=number(id, 0), parents=[number(id, n - 1)]))
        for n in range(1, 4000)], id=id)
    later(v, 3000, lambda n: version(b"past.txt", flags=TOMBSTONE, project=number(id, 0), parents=[number(id, n)]))
    return "whole"
@case
def long_log(v):
    """A device with thousands of commits of nothing, each naming the one before."""
    d, before = b"\7" * 16, bytes(8)
    for n in range(1, 2001):
        id = b"\7" * 6 + struct.pack(">H", n)
        v.commit([record(COMMIT, commit(before, NOW + n, 1))], d, n, id)
        before = id
    return "whole"
@case
def runs_in_many_objects(v):
    """Small objects, each of which names as many chunks by number as one may."""
    for n in range(60):
        mine, _ = v.pack(bytes([n]) * 1000, [(v.chunk_id(bytes([n])), 1)] * 1000)
        v.commit([record(COMMIT, commit()), record(PACKREC, mine)] + [record(VERSION, version(
            b"runs%d.%d" % (n, k), members=[member(size=200_000, runs=[(1000, 1, b"")] * 200)])) for k in range(10)],
            bytes(14) + struct.pack(">H", n + 1))
    return "damage"
@case
def pack_lies_many(v):
    """Many records of one large pack, each of which is false in its last chunk alone."""
    data = os.urandom(8 * MIB)
    pieces = [data[at:at + 65536] for at in range(0, len(data), 65536)]
    mine, _ = v.pack(data, [(v.chunk_id(piece), len(piece)) for piece in pieces])
    for n in range(100):
        lie = bytearray(mine)
        lie[-35:-3] = os.urandom(32)
        v.commit([record(COMMIT, commit()), record(PACKREC, bytes(lie))], bytes(14) + struct.pack(">H", n + 1))
    return "lie"
@case
def key_slots(v):
    """Slots of strangers that cost something and do not open."""
    name = os.listdir(f"{v.folder}/keys")[0]
    with open(f"{v.folder}/keys/{name}", "rb") as file: true = file.read()
    for n in range(10):
        with open(f"{v.folder}/keys/{n:016x}", "wb") as file: file.write(true[:44] + os.urandom(16) + true[60:])
    return "whole"
@case
def thousand_slots(v):
    """A thousand slots of a stranger, which come after the true ones."""
    with open(f"{v.folder}/keys/{v.slot.hex()}", "rb") as file: true = bytearray(file.read())
    true[28] += 1
    for n in range(1000):
        with open(f"{v.folder}/keys/{n:016x}", "wb") as file: file.write(true)
    return "whole"

# -- Epochs (section 4)
def under(v, key):
    """A commit that this epoch's key sealed."""
    v.use(key)
    v.commit([record(COMMIT, commit())])
@case
def epoch_true(v):
    under(v, v.renew())
    return "whole"
@case
def epoch_fork(v):
    for key in (v.renew(), v.renew()): under(v, key)
    return "whole"
@case
def epoch_hundred(v):
    keys = [v.key]
    for number in range(2, 102): keys.append(v.renew(number, earlier=keys))
    under(v, keys[50])
    return "whole"
@case
def epoch_slot_back(v):
    """A slot that was removed, and whose file lies there again."""
    others = [slot for slot in v.slots() if slot[0] != v.slot]
    under(v, v.renew(slots=[v.listed()], removed=[slot[0] for slot in others]))
    return "whole"
@case
def epoch_of_the_keeper(v):
    """Sealed to the public halves by somebody who knows no key."""
    v.renew(earlier=[os.urandom(32)])
    return "lie"
@case
def epoch_unknown(v):
    """Objects of an epoch that is not there."""
    under(v, os.urandom(32))
    return "lie"
@case
def epoch_without_another(v):
    """The object between two is gone, and the newer one holds its key."""
    lost = os.urandom(32)
    v.renew(3, earlier=[v.key, lost])
    under(v, lost)
    return "whole"
@case
def epoch_of_a_slot_gone(v):
    """A slot came with an epoch that is not there."""
    lost = v.renew(2)
    os.remove(next(f"{v.folder}/epochs/{name}" for name in os.listdir(f"{v.folder}/epochs") if name[9] == "2"))
    under(v, lost)
    return "lie"
def epochs(**how): return lambda v: v.renew(**{key: make(v) for key, make in how.items()}) and None
OWN = bytes(range(32))
rules("epoch", {
    "loops": epochs(key=lambda v: OWN, earlier=lambda v: [v.key, OWN]), "alone": epochs(earlier=lambda v: []),
    "key_twice": epochs(earlier=lambda v: [v.key, v.key]), "first_other": epochs(earlier=lambda v: [OWN, v.key]),
    "slot_twice": epochs(slots=lambda v: v.slots() * 2), "number_1": epochs(number=lambda v: 1),
    "boxes_fewer": epochs(boxes=lambda v: []), "trailing": epochs(tail=lambda v: b"x"),
    "boxes_other": epochs(boxes=lambda v: [(id, sealed_box(OWN, public)) for id, public, _, _ in v.slots()]),
    "boxes_torn": epochs(boxes=lambda v: [(id, os.urandom(80)) for id, _, _, _ in v.slots()]),
    "boxes_low": epochs(boxes=lambda v: [(id, bytes(80)) for id, _, _, _ in v.slots()]),
    "keys_many": epochs(earlier=lambda v: [v.key] + [struct.pack("<Q", n) * 4 for n in range(1023)]),
    "slots_many": epochs(slots=lambda v: [(struct.pack("<Q", n), *v.listed()[1:]) for n in range(257)]),
    "removed_many": epochs(removed=lambda v: [struct.pack("<Q", n) for n in range(4097)]),
    "garbage": lambda v: elsewhere(f"epochs/{2:010}-{'f' * 16}", b"cueepoch" + v.id + bytes(6))(v),
    "large": lambda v: elsewhere(f"epochs/{2:010}-{'f' * 16}", bytes(300_000))(v)})

# -- Rules: each is broken once (docs/format.md, sections 2 to 11)
def one(kind, body, **how): return lambda v: v.commit([record(COMMIT, commit()), record(kind, body)], **how)
def ver(*arguments, **named): return one(VERSION, version(*arguments, **named))
def mem(**named): return ver(members=[member(**named)])
def head(**how): return lambda v: v.commit([record(COMMIT, commit(**how))])
def raw(*frames): return lambda v: v.commit([], frames=frames)
FIRST = record(COMMIT, commit())
ZSTD = lambda data: zstandard.ZstdCompressor(3).compress(data)
rules("commit", {
    "flags": head(flags=4), "flags_high": head(flags=128), "previous": head(previous=b"\1" * 8),
    "time_late": head(time=YEAR_9999 + 1), "time_early": head(time=-62167219200001),
    "no_previous": lambda v: v.commit([FIRST], generation=2),
    "previous_missing": lambda v: v.commit([record(COMMIT, commit(b"\1" * 8))], generation=2),
    "seen_missing": head(seen=[(b"\1" * 16, 1, b"\1" * 8)]),
    "seen_other_generation": lambda v: head(seen=[(v.commits[0][0], 7, v.commits[0][2])])(v),
    "seen_other_device": lambda v: head(seen=[(b"\1" * 16, v.commits[0][1], v.commits[0][2])])(v),
    "trailing": lambda v: v.commit([record(COMMIT, commit() + b"\0")]),
    "seen_count": lambda v: v.commit([record(COMMIT, commit()[:-1] + varint(2**63))]),
    "varint_long": lambda v: v.commit([record(COMMIT, commit()[:-1] + b"\x80\0")]),
    "varint_over_64": lambda v: v.commit([record(COMMIT, commit()[:-1] + b"\xff" * 9 + b"\2")]),
    "twice": lambda v: v.commit([FIRST, FIRST]), "not_first": lambda v: v.commit([record(VERSION, version()), FIRST]),
    "after_unknown": lambda v: v.commit([record(99, b"x"), FIRST]), "none": lambda v: v.commit([record(99, b"x")]),
    "empty": raw(b"\0\0"), "kept": one(KEPT, kept(bytes(12), bytes(16), version(project=bytes(12), flags=0))),
    "coverage": one(COVERAGE, b"\0"), "short": lambda v: v.commit([record(COMMIT, commit()[:-1])]),
    "record_length": lambda v: v.commit([FIRST, varint(99) + varint(100)])})
rules("device", {
    "name": one(DEVICE, device(b"\xff" * 16, b"n" * 1025)), "trailing": one(DEVICE, device(b"\xff" * 16) + b"\0"),
    "time": one(DEVICE, device(b"\xff" * 16, time=YEAR_9999 + 1)), "short": one(DEVICE, bytes(15))})
rules("frame", {
    "codec": raw(frame(FIRST) + b"\2" + varint(3) + lengthed(b"\x63\1x")),
    "codec_at_end": raw(frame(FIRST), SIGN, b"\2\0"),
    "raw": raw(frame(FIRST) + b"\1" + varint(64 * MIB + 1) + lengthed(b"x")),
    "length": raw(frame(FIRST) + b"\0" + varint(4) + lengthed(b"\x63\1x")),
    "stored": raw(frame(FIRST) + b"\0" + varint(3) + varint(2**40)),
    "two_of_zstd": raw(b"\1" + varint(2 * len(FIRST)) + lengthed(ZSTD(FIRST) + ZSTD(FIRST))),
    "after_zstd": raw(b"\1" + varint(len(FIRST)) + lengthed(ZSTD(FIRST) + b"x")),
    "skippable": raw(b"\1" + varint(len(FIRST)) + lengthed(b"\x50\x2a\x4d\x18\1\0\0\0x" + ZSTD(FIRST))),
    "more": raw(b"\1" + varint(len(FIRST) - 1) + lengthed(ZSTD(FIRST))),
    "less": raw(b"\1" + varint(len(FIRST) + 1) + lengthed(ZSTD(FIRST))),
    "no_zstd": raw(frame(FIRST) + b"\1" + varint(3) + lengthed(b"abc")),
    "cut_zstd": raw(b"\1" + varint(len(FIRST)) + lengthed(ZSTD(FIRST)[:-1])),
    "record_over_the_end": raw(frame(FIRST) + frame(b"\x63\x05x") + frame(b"xxxx"))})
rules("version", {
    "flags": ver(flags=NEW | 16), "flags_high": ver(flags=NEW | 128), "kind_0": ver(kind=0), "kind_5": ver(kind=5),
    "delta_of_nothing": ver(flags=NEW | DELTA), "delta_tombstone": lambda v: ver(
        flags=DELTA | TOMBSTONE, project=v.heads()[0][1], parents=[v.heads()[0][0]])(v),
    "path_absolute": ver(b"/x"), "path_dots": ver(b"a/../x"), "path_dot": ver(b"./x"), "path_empty_part": ver(b"a//x"),
    "path_end": ver(b"a/"), "path_nul": ver(b"a\0"), "path_part": ver(b"a" * 256),
    "path_long": ver(b"/".join([b"a" * 240] * 18)),
    "path_cue": ver(b".cue"), "path_in_cue": ver(b".cue/x"), "root_file": ver(b""),
    "root_bundle": ver(b"", 4, members=[FOLDER]),
    "trailing": one(VERSION, version() + b"\0"),
    "trailing_tombstone": lambda v: one(VERSION, version(flags=TOMBSTONE, project=v.heads()[0][1],
                                                        parents=[v.heads()[0][0]]) + b"\0")(v),
    "members_of_tombstone": lambda v: one(VERSION, version(flags=TOMBSTONE, project=v.heads()[0][1],
                                                          parents=[v.heads()[0][0]]) + varint(1) + member())(v),
    "parent_missing": lambda v: ver(flags=0, project=v.heads()[0][1], parents=[b"\1" * 12])(v),
    "parent_count": one(VERSION, b"\1" + varint(2**60)), "short": one(VERSION, version()[:-1]),
    "no_member": ver(members=[]), "two_members": ver(members=[member(), member(b"a")]),
    "member_path": ver(members=[member(b"a")]), "member_kind": ver(members=[FOLDER]),
    "members_count": ver(count=2**62), "bundle_empty": ver(b"x", 4, members=[]),
    "bundle_no_folder": ver(b"x", 4, members=[member()]), "bundle_no_root": ver(b"x", 4, members=[member(b"a")]),
    "bundle_twice": ver(b"x", 4, members=[FOLDER, member(b"a"), member(b"a")]),
    "bundle_outside": ver(b"x", 4, members=[FOLDER, member(b"a/b")]),
    "bundle_in_file": ver(b"x", 4, members=[FOLDER, member(b"a"), member(b"a/b")]),
    "bundle_path": ver(b"x", 4, members=[FOLDER, member(b"../a")])})
rules("member", {
    "kind_0": mem(kind=0), "kind_4": mem(kind=4), "mode": mem(mode=4096), "nanoseconds": mem(nano=10**9),
    "xattr_empty": mem(xattrs=[(b"", b"")]), "xattr_nul": mem(xattrs=[(b"a\0", b"")]),
    "xattr_long": mem(xattrs=[(b"a" * 256, b"")]), "xattr_large": mem(xattrs=[(b"a", bytes(MIB + 1))]),
    "xattr_order": mem(xattrs=[(b"b", b""), (b"a", b"")]), "xattr_twice": mem(xattrs=[(b"a", b""), (b"a", b"")]),
    "size": mem(size=2**53 + 1), "size_of_nothing": mem(size=1), "run_empty": mem(runs=[(0, 1, b"")]),
    "run_by_id_empty": mem(runs=[(0, 0, b"")]), "run_beyond": mem(size=1, runs=[(1, 1, b"")]),
    "run_count": mem(size=1, runs=[(2**63, 0, b"")]), "run_far": mem(size=1, runs=[(1, 2**63, b"")]),
    "chunk_nowhere": mem(size=1, runs=[(1, 0, b"\1" * 32)]),
    "link_empty": ver(kind=3, members=[member(kind=3, target=b"")]),
    "link_nul": ver(kind=3, members=[member(kind=3, target=b"a\0b")]),
    "link_long": ver(kind=3, members=[member(kind=3, target=b"a" * 4097)])})
def with_pack(f):
    """A commit with a true pack of 100 bytes, as `f` makes it of the pack's record and the id of its chunk."""
    def make(v):
        mine, id = v.pack(b"x" * 100)
        v.commit([record(COMMIT, commit())] + f(mine, id))
    return make
def remade(**how): return with_pack(lambda mine, id: [record(PACKREC, mine[:16] + varint(read_varint(mine, 16)[0])
                                                               + varint(1) + block([(id, 100)], **how))])
rules("pack", {
    "codec": remade(codec=2), "stored": remade(stored=99), "raw": remade(raw=101),
    "raw_large": remade(raw=16 * MIB + 1),
    "count": remade(count=2), "count_large": remade(count=2**62),
    "twice": with_pack(lambda mine, id: [record(PACKREC, mine)] * 2),
    "trailing": with_pack(lambda mine, id: [record(PACKREC, mine + b"\0")]),
    "no_block": with_pack(lambda mine, id: [record(PACKREC, mine[:18] + b"\0")]),
    "size": with_pack(lambda mine, id: [record(PACKREC, mine[:16] + varint(2**29 + 1) + mine[18:])]),
    "empty_chunk": with_pack(lambda mine, id: [record(PACKREC, mine[:18] + varint(1) + block([(id, 100), (id, 0)]))]),
    "after_its_version": with_pack(lambda mine, id: [record(VERSION, version(members=[member(
        size=100, runs=[(1, 1, b"")])])), record(PACKREC, mine)]),
    "missing": one(PACKREC, pack(b"\1" * 16, 4096, [block([(b"\1" * 32, 1)])])),
    "file_size": with_pack(lambda mine, id: [record(PACKREC, mine), record(VERSION, version(members=[member(
        size=101, runs=[(1, 1, b"")])]))])})
rules("pack_read", {                                                # only reading shows it
    "footer": lambda v: v.commit([FIRST, record(PACKREC, footer_lie(v))]),
    "codec": remade(codec=1),
    "more_blocks": with_pack(lambda mine, id: [record(PACKREC, mine[:18] + varint(2) + block([(id, 100)]) * 2)]),
    "wrong_id": with_pack(lambda mine, id: [record(PACKREC, mine[:18] + varint(1) + block([(b"\1" * 32, 100)]))])},
      "lie")
def footer_lie(v):
    """A pack whose footer has other lengths than its record, which is otherwise true."""
    data = b"x" * 50 + b"y" * 50
    mine, _ = v.pack(data)
    size, at = read_varint(mine, 16)
    return mine[:at] + varint(1) + block([(v.chunk_id(data[:50]), 50), (v.chunk_id(data[50:]), 50)])
def delta(*changes, base=(), kind=4):
    """A bundle with a folder and a file in it, and differences, each over the one before."""
    def make(v):
        id = b"\5" * 8
        first = version(b"d", 4, members=[FOLDER, member(b"f", kind=2), member(b"f/a"), member(b"b"), *base])
        v.commit([FIRST, record(VERSION, first)] + [record(VERSION, version(
            b"d", kind, DELTA, number(id, 0), [number(id, n)], members=put, removed=removed))
            for n, (removed, put) in enumerate(changes)], id=id)
    return make
rules("delta", {
    "removes_nothing": delta(([b"z"], [])), "removes_twice": delta(([b"b", b"b"], [])),
    "removes_folder": delta(([b"f"], [])), "removes_root": delta(([b""], [])), "removed_path": delta(([b"../b"], [])),
    "puts_twice": delta(([], [member(b"c"), member(b"c")])), "puts_outside": delta(([], [member(b"z/c")])),
    "folder_to_file": delta(([], [member(b"f")])), "root_to_file": delta(([], [member()])),
    "to_file": delta(([], []), kind=1), "too_large": delta(*[([], [member(b"s%d" % n, size=2**53)]) for n in range(2)]),
    "too_many": delta(*[([], [])] * 101),
    "of_no_version": lambda v: ver(b"d", 4, DELTA, v.heads()[0][1], [b"\1" * 12], members=[])(v),
    "of_another": lambda v: ver(b"d", 4, DELTA, v.heads()[0][1], [v.heads()[-1][0]], members=[])(v),
    "of_tombstone": lambda v: v.commit([FIRST, record(VERSION, version(b"d", 4, members=[FOLDER])), record(
        VERSION, version(b"d", 4, TOMBSTONE, number(b"\5" * 8, 0), [number(b"\5" * 8, 0)])), record(VERSION, version(
            b"d", 4, DELTA, number(b"\5" * 8, 0), [number(b"\5" * 8, 1)], members=[]))], id=b"\5" * 8),
    "of_tombstone_with_file": lambda v: v.commit([FIRST, record(VERSION, version(b"d", 4, members=[FOLDER])), record(
        VERSION, version(b"d", 4, TOMBSTONE, number(b"\5" * 8, 0), [number(b"\5" * 8, 0)])), record(VERSION, version(
            b"d", 4, DELTA, number(b"\5" * 8, 0), [number(b"\5" * 8, 1)], members=[member()]))], id=b"\5" * 8),
    "of_file": lambda v: v.commit([FIRST, record(VERSION, version(b"d", 1, members=[member()])), record(VERSION, version(
        b"d", 4, DELTA, number(b"\5" * 8, 0), [number(b"\5" * 8, 0)], members=[]))], id=b"\5" * 8),
    "wrong_between": delta(([b"f"], []), ([], [member(b"f", kind=2)]))})
def sealed(change, name=None, kind=LOG):
    """A right commit, whose sealed bytes are changed, or which is sealed as something else."""
    def make(v):
        true = v.commit([], b"e", id=b"\xee" * 8, frames=[frame(FIRST), SIGN, bytes(16384)])
        if kind != LOG:
            with open(os.path.join(v.folder, true), "rb") as file: data = file.read()
            v.put(true, kind, unseal(data[8:], v.records, context(v.id, LOG, true)))
        path = os.path.join(v.folder, true)
        with open(path, "rb") as file: data = file.read()
        if name: os.makedirs(os.path.dirname(os.path.join(v.folder, name)), exist_ok=True); os.unlink(path)
        with open(os.path.join(v.folder, name or true), "wb") as file: file.write(change(data))
    return make
rules("sealed", {
    "cut": sealed(lambda data: data[:-1]), "no_last_chunk": sealed(lambda data: data[:56 + 16400]),
    "more": sealed(lambda data: data + b"x"), "chunk_more": sealed(lambda data: data + data[-100:]),
    "tag": sealed(lambda data: data[:-1] + bytes([data[-1] ^ 1])), "salt": sealed(lambda data: b"\0" * 24 + data[24:]),
    "commitment": sealed(lambda data: data[:24] + b"\0" * 32 + data[56:]), "empty": sealed(lambda data: b""),
    "head": sealed(lambda data: data[:56]), "other_kind": sealed(lambda data: data, kind=EVENTS),
    "other_name": sealed(lambda data: data, f"log/{'d' * 32}/0000000001-{'e' * 16}"),
    "huge": lambda v: os.truncate(os.path.join(v.folder, v.commit([FIRST])), 5 << 30),
    "huge_events": lambda v: os.truncate(os.path.join(v.folder, v.batch([record(*BEGIN)])), 65 << 20),
    "checkpoint": lambda v: elsewhere(f"checkpoints/{1:012}-{'e' * 16}", os.urandom(1024))(v),
    "events": lambda v: v.put(f"events/{'e' * 32}/0000000001-{'e' * 16}", LOG, frame(record(BATCH, bytes(8) + b"\0")))})
def again(f, more=0): return lambda v: v.checkpoint_again(f, more)
def on_kept(f, which=0):
    """A change of one kept version: `f` takes its id, device, time as bytes, and the rest."""
    def change(records):
        seen = -1
        for kind, body in records:
            if kind == KEPT:
                seen += 1
                _, at = read_varint(body, 28)
                if seen == which: body = b"".join(f(body[:12], body[12:28], body[28:at], body[at:]))
            yield kind, body
    return again(change)
def drop(kind, which=0):
    def change(records):
        at = [n for n, (k, _) in enumerate(records) if k == kind][which]
        return records[:at] + records[at + 1:]
    return again(change)
rules("checkpoint", {
    "coverage_late": again(lambda records: records[1:2] + records[:1] + records[2:]),
    "coverage_twice": again(lambda records: records[:1] + records),
    "coverage_trailing": again(lambda records: [(COVERAGE, records[0][1] + b"\0")] + records[1:]),
    "none": again(lambda records: records[1:]), "commit": again(lambda records: records + [(COMMIT, commit())]),
    "version": again(lambda records: records + [(VERSION, version())]),
    "more_commits": again(lambda records: records, 1), "kept_twice": again(lambda records: records + records[-1:]),
    "pack_twice": again(lambda records: records[:1] + [r for r in records if r[0] == PACKREC][:1] + records[1:]),
    "head_missing": drop(KEPT), "pack_missing": again(lambda records: [r for r in records if r[0] != PACKREC]),
    "trailing": on_kept(lambda id, device, time, rest: (id, device, time, rest, b"\0")),
    "new": on_kept(lambda id, device, time, rest: (id, device, time, bytes([rest[0] | NEW]), rest[13:])),
    "flags": on_kept(lambda id, device, time, rest: (id, device, time, bytes([rest[0] | 64]), rest[1:])),
    "unsettled": on_kept(lambda id, device, time, rest: (id, device, time, bytes([rest[0] ^ UNSETTLED]), rest[1:])),
    "time": on_kept(lambda id, device, time, rest: (id, device, svarint(NOW), rest)),
    "time_late": on_kept(lambda id, device, time, rest: (id, device, svarint(YEAR_9999 + 1), rest)),
    "device": on_kept(lambda id, device, time, rest: (id, b"\1" * 16, time, rest)),
    "id": on_kept(lambda id, device, time, rest: (id[:8] + b"\0\0\xff\0", device, time, rest)),
    "project": on_kept(lambda id, device, time, rest: (id, device, time, rest[:1], b"\1" * 12, rest[13:])),
    "parents": on_kept(lambda id, device, time, rest: (id, device, time, rest[:13], bytes([rest[13] + 1]), b"\1" * 12,
                                                      rest[14:])),
    "covers_nothing": again(lambda records: [(COVERAGE, b"\0")] + records[1:]),
    "covers_missing": again(lambda records: [(COVERAGE, coverage([(b"\1" * 16, 1, b"\1" * 8)]))] + records[1:])})
def batch(*records, **how): return lambda v: v.batch([record(kind, body) for kind, body in records], **how)
def event(id=b"e", type=b"x", when=b"2026-01-01T00:00:00Z", created=NOW, payload=b"{}"):
    return lengthed(id) + lengthed(type) + lengthed(when) + svarint(created) + lengthed(payload)
BEGIN = BATCH, bytes(8) + svarint(NOW)
rules("batch", {
    "late": batch((EVENT, event()), BEGIN), "twice": batch(BEGIN, BEGIN), "none": batch((99, b"x")),
    "after_unknown": batch((99, b"x"), BEGIN), "trailing": batch((BATCH, BEGIN[1] + b"\0")),
    "time": batch((BATCH, bytes(8) + svarint(YEAR_9999 + 1))), "previous": batch((BATCH, b"\1" * 8 + svarint(NOW))),
    "no_previous": batch(BEGIN, generation=2),
    "previous_missing": batch((BATCH, b"\1" * 8 + svarint(NOW)), generation=2),
    "version": batch(BEGIN, (VERSION, version())), "commit": batch(BEGIN, (COMMIT, commit())),
    "replaced_short": batch(BEGIN, (REPLACED, bytes(24))), "replaced_long": batch(BEGIN, (REPLACED, bytes(26))),
    "events": lambda v: v.batch([record(*BEGIN), record(EVENT, event()) * 100_001])})
@case
def event_rules(v):
    """Events that are and are none, side by side: both readers must take the same ones."""
    times = [b"2026-01-01T00:00:00Z", b"9999-12-31T23:59:59-23:59", b"0000-01-01T00:00:00+23:59",
             b"2026-02-29T00:00:00Z",
             b"2024-02-29 23:59:60.123456789+0130", b"2026-01-01t00:00:00.5z", b"2026-01-01T00:00:00+02", b"2026-01-01",
             b"2026-01-01T24:00:00Z", b"2026-01-01T00:00:00", b"2026-01-01T00:00:00.Z", b"0000-02-29T00:00:00Z",
             b"2026-01-01T00:00:00.1234567890Z", b"2026-01-01T00:00:00+24:00", b"2026-01-01T00:00:00Z\n",
             b"1900-02-29T00:00:00Z",
             b"2026-01-01T00:00:61Z", b"2026-13-01T00:00:00Z", b"2026-01-00T00:00:00Z", b"2026-01-01T00:00:00+02:", b"",
             b"2026-01-01T00:00:00 Z", b"-001-01-01T00:00:00Z", b"2026-01-01T00:00:00.5" + b"0" * 50 + b"Z"]
    payloads = [b"{}", b"1e400", b"1e308", b"1e-400", b"1" * 400, b"1" * 300, b"1" * 5000, b"-0", b"01", b"1.", b".5",
                b"+1", b"NaN",
                b"Infinity", b"9223372036854775808", b"-9223372036854775809", b'{"a":1,"a":1}', b'{"a":1,"\\u0061":1}',
                '{"\u00e9":1,"e\u0301":1}'.encode(), b'"\\ud800"', b'"\\ud83d\\ude00"', b'"\\udc00"', b'"\\x"',
                b'"\xff"', b'"\t"',
                b"[1,]", b"{,}", b"", b" 1 ", b"1 2", b"\xef\xbb\xbf1", b"[" * 64 + b"]" * 64, b"[" * 65 + b"]" * 65,
                b"[" * 73,
                b"[" * 100_000, b'"' + b"x" * (MIB - 2) + b'"', b'"' + b"x" * (MIB - 1) + b'"', b" " * MIB + b"1",
                b" " * 2 * MIB + b"1",
                b'"' + b"\\u0041" * 180_000 + b'"', b'"' + b"\x7f" * 9 + b'"', b"null", b"truex", b"[1}", b'{"a"}',
                b'{1:1}']
    names = [b"", b"i" * 200, b"i" * 201, b"\xff", b"a\nb", b"\xc2\x85", b"\0", b"\x7f", "\u200b".encode(),
             b"\xed\xa0\x80"]
    events = [event(b"time %d" % n, when=when) for n, when in enumerate(times)]
    events += [event(b"payload %d" % n, payload=payload) for n, payload in enumerate(payloads)]
    events += [event(b"type %d" % n, type=name[:101]) for n, name in enumerate(names)] + [event(name) for name in names]
    events += [event(b"made %d" % n, created=time) for n, time in enumerate(TIMES)]
    events += [event(b"cut"), event(b"long") + b"\0", event(b"short")[:-1], b"", b"\xff" * 20]
    # Of two that differ the least counts, wherever they stand.
    events += [event(b"two", payload=b'{"n":%d}' % n) for n in (3, 1, 2)] + [event(b"two", type=b"w")]
    v.batch([record(*BEGIN)] + [record(EVENT, body) for body in events])
    v.batch([record(*BEGIN), record(EVENT, event(b"two", when=b"2025-12-31T23:30:00-01:00"))], b"\3" * 16)
    return "whole"
def slot(change):
    """The vault's own slot beside itself, changed."""
    def make(v):
        name = os.listdir(f"{v.folder}/keys")[0]
        with open(f"{v.folder}/keys/{name}", "rb") as file: true = file.read()
        with open(f"{v.folder}/keys/{'0' * 16}", "wb") as file: file.write(change(true))
    return make
def slot_at(at, form, value):
    return slot(lambda data: data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form):])
rules("slot", {
    "short": slot(lambda data: data[:261]), "long": slot(lambda data: data + bytes(4097)),
    "empty": slot(lambda data: b""),
    "magic": slot_at(0, "B", 0), "vault": slot_at(8, "B", 0), "reserved": slot_at(26, "<H", 1),
    "passes_few": slot_at(28, "<I", 2), "passes_many": slot_at(28, "<I", 17),
    "memory_little": slot_at(32, "<Q", 2**26 - 1024), "memory_much": slot_at(32, "<Q", 2**31 + 1024),
    "memory_odd": slot_at(32, "<Q", 2**26 + 1), "lanes": slot_at(40, "<I", 2)})
def elsewhere(name, what=b"x"):
    def make(v):
        os.makedirs(os.path.dirname(os.path.join(v.folder, name)), exist_ok=True)
        with open(os.path.join(v.folder, name), "wb") as file: file.write(what)
    return make
rules("right", {                                                    # what looks odd and breaks no rule
    "unknown_kind": one(99, b"x" * 100),
    "kinds_of_events": lambda v: v.commit([FIRST] + [record(kind, b"x") for kind in (7, 8, 9)]),
    "two_frames": raw(frame(FIRST) + frame(record(99, b"x"), codec=0), SIGN, b"\0\0" + b"x" * 99),
    "device_name": one(DEVICE, device(b"\xff" * 16, b"n" * 1024)), "device_of_another": one(DEVICE, device(b"\1" * 16)),
    "path": ver(b"/".join([b"a" * 255] * 16)), "xattrs": mem(xattrs=[(b"a" * 255, bytes(MIB)), (b"b", b"")]),
    "bundle_order": ver(b"x", 4, members=[member(b"f/a"), member(b"f", kind=2), FOLDER]),
    "bundle_link": ver(b"x", 4, members=[FOLDER, member(b"a", kind=3, target=b"b" * 4096)]),
    "deltas": delta(*[([], [])] * 99), "delta_folder": delta(([b"f", b"f/a"], [member(b"f")])),
    "delta_moves": delta(([b"b"], [member(b"b")]), ([b"f/a"], []), ([b"f"], [])),
    "parent_twice": lambda v: ver(flags=0, project=v.heads()[0][1], parents=[v.heads()[0][0]] * 2)(v),
    "seen_twice": lambda v: head(seen=[v.commits[0][:3], v.commits[0][:3]])(v),
    "checkpoint": again(lambda records: records), "replaced": lambda v: (
        batch(BEGIN, (REPLACED, place(v.own(b"\1" * 16), 3, b"\1" * 8)))(v),
        batch((BATCH, b"\1" * 8 + svarint(NOW)), device=b"\1" * 16, generation=4)(v)),
    "odd_events": batch(BEGIN, (99, b"x"), (EVENT, b"x"), (EVENT, event(payload=b"["))),
    "generation_0": lambda v: v.commit([FIRST], generation=0),
    "name_upper": elsewhere(f"log/{'F' * 32}/0000000001-{'f' * 16}"),
    "name_short": elsewhere(f"log/{'f' * 32}/1-{'f' * 16}"),
    "name_deep": elsewhere(f"log/{'f' * 32}/x/0000000001-{'f' * 16}"), "name_key": elsewhere("keys/x"),
    "name_epoch": elsewhere(f"epochs/{2:010}-x"), "epoch_0": elsewhere(f"epochs/{0:010}-{'f' * 16}"),
    "name_checkpoint": elsewhere(f"checkpoints/{9:012}-x"),
    "checkpoint_0": elsewhere(f"checkpoints/{0:012}-{'f' * 16}"),
    "name_checkpoint_deep": elsewhere(f"checkpoints/x/{9:012}-{'f' * 16}"), "tmp": elsewhere("tmp/x"),
    "pack_of_nobody": lambda v: v.pack(b"x" * 100)}, "whole")

# -- Signatures (section 12)
def signed(change, **how):
    """A right commit whose signature is other; `change` takes the vault, the name, the records and the true signature."""
    def make(v):
        def sign(v, name, records): return change(v, name, records, v.sign(v.own(b"s"), v.digest(LOG, name, records)))
        v.commit([FIRST, record(VERSION, version(b"signed.txt"))], b"s", sign=sign, **how)
    return make
def resigned(change):
    """… whose signature is the same, but for its bytes."""
    return signed(lambda v, name, records, true: record(SIGNATURE, change(true[2:])))
ORDER = 2**252 + 27742317777372353535851937790883648493
def plus_order(body): return body[:64] + ((int.from_bytes(body[64:], "little") + ORDER) % 2**256).to_bytes(32, "little")
SMALL = [bytes.fromhex(y)[:31] + bytes([bytes.fromhex(y)[31] | sign]) for sign in (0, 128) for y in (
    "00" * 32, "01" + "00" * 31, "ec" + "ff" * 30 + "7f", "ed" + "ff" * 30 + "7f", "ee" + "ff" * 30 + "7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")]
def small(key):
    """A signature that holds for a key of small order, if nobody looks: that of nothing, where the hash lets it."""
    def make(v):
        body, device = bytes([1]) + bytes(63), device_id(v.id, key)
        v.keys[device] = None, key
        for n in range(2000):
            id = struct.pack(">Q", n + 1)
            name = f"log/{device.hex()}/{1:010}-{id.hex()}"
            digest = v.digest(LOG, name, FIRST)
            hashed = hashlib.sha512(body[:32] + key + b"cue/1 signature\0" + digest).digest()
            if int.from_bytes(hashed, "little") % ORDER % 8 == 0: break
        v.commit([FIRST], device, id=id, sign=lambda *_: record(SIGNATURE, key + body))
    return make
rules("signature", {
    "none": signed(lambda *_: b""), "short": resigned(lambda b: b[:95]), "long": resigned(lambda b: b + b"\0"),
    "empty": resigned(lambda b: b""), "bits": resigned(lambda b: b[:95] + bytes([b[95] ^ 16])),
    "zeros": resigned(lambda b: b[:32] + bytes(64)),
    "other_key": resigned(lambda b: os.urandom(32) + b[32:]),
    "key_no_point": small(b"\2" + bytes(31)),
    "key_large": small(b"\xff" * 32),
    "plus_order": resigned(plus_order), "twice": signed(lambda v, name, records, true: true * 2),
    "not_last": signed(lambda v, name, records, true: true + record(99, b"x")),
    "then_a_version": signed(lambda v, name, records, true: true + record(VERSION, version(b"late.txt"))),
    "then_a_frame": lambda v: v.commit([], b"s", frames=[frame(FIRST), SIGN, frame(record(99, b"x"))]),
    "first": lambda v: v.commit([], b"s", frames=[SIGN, frame(FIRST)]),
    "of_another": signed(lambda v, name, records, true: v.sign(v.own(b"t"), v.digest(LOG, name, records))),
    "of_the_dead": lambda v: v.commit([FIRST], v.devices[0], sign=lambda v, name, records: v.sign(
        v.own(b"t"), v.digest(LOG, name, records))),
    "other_name": signed(lambda v, name, records, true: v.sign(v.own(b"s"), v.digest(LOG, name[:-1] + "g", records))),
    "other_kind": signed(lambda v, name, records, true: v.sign(v.own(b"s"), v.digest(EVENTS, name, records))),
    "other_records": signed(lambda v, name, records, true: v.sign(v.own(b"s"), v.digest(LOG, name, records + b"\x63\0"))),
    "over_records": signed(lambda v, name, records, true: record(SIGNATURE, v.keys[v.own(b"s")][1]
                                                                 + v.keys[v.own(b"s")][0].sign(records))),
    "over_digest": signed(lambda v, name, records, true: record(SIGNATURE, v.keys[v.own(b"s")][1]
                                                                + v.keys[v.own(b"s")][0].sign(v.digest(LOG, name, records)))),
    "device_not_of_key": lambda v: v.commit([FIRST], v.devices[0][:15] + b"\0", sign=lambda v, name, records: v.sign(
        v.own(b"s"), v.digest(LOG, name, records))),
    "of_batch": batch((BATCH, bytes(8) + svarint(NOW)), sign=lambda *_: b""),
    "of_batch_other": batch((BATCH, bytes(8) + svarint(NOW)), sign=lambda v, name, records: v.sign(
        v.own(b"t"), v.digest(EVENTS, name, records))),
    "of_checkpoint": lambda v: v.checkpoint_again(lambda records: records, sign=lambda *_: b""),
    "of_checkpoint_wrong": lambda v: v.checkpoint_again(lambda records: records, sign=lambda v, name, records: v.sign(
        v.own(b"t"), bytes(32))),
    "of_small_point": resigned(lambda b: b[:32] + SMALL[5] + b[64:]),
    "of_checkpoint_uncovered": lambda v: v.checkpoint_again(lambda records: records, signer=v.own(b"t")),
    **{f"small_{n}": small(key) for n, key in enumerate(SMALL)}})
rules("signature_right", {
    "in_frames": lambda v: v.commit([], b"s", frames=[frame(FIRST), frame(record(99, b"x")), SIGN]),
    "raw_frames": lambda v: v.commit([], b"s", frames=[frame(FIRST, codec=0), frame(record(99, b"x" * 200), codec=1), SIGN, bytes(9)]),
    "of_kinds_unknown": lambda v: v.commit([FIRST, record(2**63, b"x"), record(99, b"")], b"s"),
    "of_a_thief": lambda v: v.stolen and thief(v)}, "whole")
def thief(v, **how):
    """Another commit of a device of the vault, by somebody who has its key."""
    d, g, id, _ = max(c for c in v.commits if c[0] == v.stolen[0])
    v.commit([record(COMMIT, commit(how.get("previous", id))), record(VERSION, version(b"thief.txt"))], d, g + 1)

@case
def signature_of_no_secret(v):
    """A true key, and the secret number of the signature is 0: some take it and some do not; all must say the same."""
    seed = hashlib.blake2b(b"s", digest_size=32).digest()
    secret = bytearray(hashlib.sha512(seed).digest()[:32])
    secret[0], secret[31] = secret[0] & 248, secret[31] & 127 | 64
    def sign(v, name, records):
        public, zero = v.keys[v.own(b"s")][1], b"\1" + bytes(31)
        hashed = hashlib.sha512(zero + public + b"cue/1 signature\0" + v.digest(LOG, name, records)).digest()
        s = int.from_bytes(hashed, "little") * int.from_bytes(secret, "little") % ORDER
        return record(SIGNATURE, public + zero + s.to_bytes(32, "little"))
    v.commit([FIRST], b"s", sign=sign)

# -- The chain
def follows(v, label, count, *notes, first=1, before=bytes(8), shows=False):
    """Commits of one device, each after the other, the last with these records: their positions."""
    places = []
    for g in range(first, first + count):
        more = list(notes) if g == first + count - 1 else []
        if shows: more.append(record(VERSION, version(b"%s-%d.txt" % (label, g))))
        v.commit([record(COMMIT, commit(before, NOW + g)), *more], label, g)
        places.append(v.last)
        before = v.last[2]
    return places
rules("chain", {
    "first_with_digest": head(previous=bytes(8) + b"\1" * 32),
    "previous": lambda v: v.commit([record(COMMIT, commit(follows(v, b"c", 3)[-1][2] + b"\1" * 32))], b"c", 4),
    "seen": lambda v: head(seen=[(*follows(v, b"c", 3)[-1], b"\1" * 32)])(v),
    "seen_of_the_vault": lambda v: head(seen=[(*v.commits[0][:3], b"\1" * 32)])(v),
    "seen_two_ways": lambda v: head(seen=[(*v.commits[0][:3], b"\1" * 32), v.commits[0][:3]])(v),
    "first_with_zero_id": lambda v: v.commit([record(COMMIT, commit(bytes(8) + b"\1" * 32))], b"c", 4),
    "of_a_thief": lambda v: thief(v, previous=max(c for c in v.commits if c[0] == v.stolen[0])[2] + b"\1" * 32)
    if v.stolen else v.commit([]),
    "coverage": again(lambda records: [(COVERAGE, records[0][1][:-1] + bytes([records[0][1][-1] ^ 1]))] + records[1:]),
    "coverage_short": again(lambda records: [(COVERAGE, records[0][1][:-32])] + records[1:])})
rules("chain_right", {                                              # a digest of zero bytes says nothing
    "previous_zeros": lambda v: v.commit([record(COMMIT, commit(follows(v, b"c", 3)[-1][2] + bytes(32)))], b"c", 4),
    "seen_zeros": lambda v: head(seen=[(*v.commits[0][:3], bytes(32))])(v),
    "seen_zeros_and_true": lambda v: head(seen=[(*v.commits[0][:3], bytes(32)), v.commits[0][:3]])(v)}, "whole")
@case
def chain_absent_two_ways(v):
    """Two digests of a commit that is late: it is missing, and no more is known."""
    for n in (1, 2): v.commit([record(COMMIT, commit(seen=[(b"\1" * 16, 1, b"\1" * 8, bytes([n]) * 32)]))], b"c%d" % n)
    return "damage"
@case
def chain_true(v):
    last = follows(v, b"c", 30, shows=True)[-1]
    v.commit([record(COMMIT, commit(seen=[last]))], b"d")
    return "whole +c-30.txt"
@case
def chain_fork_true(v):
    places = follows(v, b"c", 3)
    for _ in range(3): follows(v, b"c", 3, first=4, before=places[-1][2], shows=True)
    return "whole +c-6.txt"

# -- Shut out
def out(target, batch=NOBODY): return record(SHUT_OUT, shut_out(target, batch))
@case
def shut_out_true(v):
    """What came before the last one counts, and nothing after it."""
    places = follows(v, b"c", 6, shows=True)
    follows(v, b"d", 1, out(places[2]))
    return "whole +c-3.txt -c-4.txt -c-6.txt"
@case
def shut_out_of_all(v):
    places = follows(v, b"c", 6, shows=True)
    follows(v, b"d", 1, out((places[0][0], 0, bytes(8))))
    return "whole -c-1.txt -c-6.txt"
@case
def shut_out_itself(v):
    places = follows(v, b"c", 3, shows=True)
    follows(v, b"c", 2, out(places[1]), first=4, before=places[2][2], shows=True)
    return "whole +c-2.txt -c-3.txt -c-5.txt"
@case
def shut_out_afterwards(v):
    """Its record came after the last commit that counts of it."""
    victim = follows(v, b"v", 2, shows=True)
    places = follows(v, b"c", 3, out(victim[0]))
    follows(v, b"d", 1, out(places[1]))
    return "whole +v-2.txt"
@case
def shut_out_before(v):
    """Its record was there before: it counts."""
    victim = follows(v, b"v", 2, shows=True)
    places = follows(v, b"c", 3, out(victim[0]))
    follows(v, b"d", 1, out(places[2]))
    return "whole -v-2.txt"
@case
def shut_out_each_other(v):
    a, b = follows(v, b"c", 2, shows=True), follows(v, b"d", 2, shows=True)
    follows(v, b"c", 1, out(b[0]), first=3, before=a[1][2])
    follows(v, b"d", 1, out(a[0]), first=3, before=b[1][2])
    return "whole +c-1.txt -c-2.txt +d-1.txt -d-2.txt"
def circle(v, count):
    """Each shuts out the next: (labels, the first two commits of each)."""
    labels = [b"c%d" % n for n in range(count)]
    places = [follows(v, label, 2, shows=True) for label in labels]
    for n, label in enumerate(labels):
        follows(v, label, 1, out(places[(n + 1) % count][0]), first=3, before=places[n][1][2])
    return labels, places
@case
def shut_out_circle_of_three(v):
    circle(v, 3)
    return "whole +c0-1.txt -c0-2.txt -c1-2.txt -c2-2.txt"
@case
def shut_out_circle_of_300(v):
    circle(v, 300)
    return "whole +c0-1.txt -c0-2.txt -c299-2.txt"
@case
def shut_out_circle_from_outside(v):
    """One outside of the circle sets aside the record of one in it."""
    _, places = circle(v, 2)
    follows(v, b"d", 1, out(places[0][1]))
    return "whole -c0-2.txt +c1-2.txt"
@case
def shut_out_chain(v):
    """Each takes back what the one after it said: every other one counts."""
    victim = follows(v, b"v", 2, shows=True)
    for n in range(5):
        target = victim[0] if n == 0 else (victim[0][0], 0, bytes(8))
        victim = follows(v, b"c%d" % n, 2, out(target), shows=True)
    return "whole -v-2.txt +c4-2.txt -c3-1.txt"
@case
def shut_out_gone_on_with(v):
    """Somebody went on with one version of two."""
    id = number(b"\5" * 8, 0)
    v.commit([FIRST, record(VERSION, version(b"one.txt")), record(VERSION, version(b"two.txt"))], b"c", id=b"\5" * 8)
    first = v.last
    follows(v, b"d", 1, out((first[0], 0, bytes(8))), record(VERSION, version(
        b"three.txt", flags=0, project=id, parents=[id], members=[member(mode=0o600)])))
    return "whole +three.txt -one.txt -two.txt"
@case
def shut_out_by_circle_of_parents(v):
    """What was set aside may not make itself count by going on with itself."""
    id = b"\5" * 8
    v.commit([FIRST, record(VERSION, version(b"one.txt")), record(VERSION, version(
        b"two.txt", flags=0, project=number(id, 0), parents=[number(id, 0)]))], b"c", id=id)
    follows(v, b"d", 1, out((v.last[0], 0, bytes(8))))
    return "whole -one.txt -two.txt"
@case
def shut_out_hides_no_parent(v):
    """A deletion by one that was shut out is none."""
    vid, project, _ = next(h for h in v.heads() if b"novel.txt" in h[2])
    v.commit([FIRST, record(VERSION, version(b"novel.txt", flags=TOMBSTONE, project=project, parents=[vid]))], b"c")
    follows(v, b"d", 1, out((v.last[0], 0, bytes(8))))
    return "whole +novel.txt"
@case
def shut_out_of_a_fork(v):
    places = follows(v, b"c", 2, shows=True)
    follows(v, b"c", 1, first=3, before=places[1][2], shows=True)
    other = follows(v, b"c", 2, first=3, before=places[1][2], shows=True)[0]
    follows(v, b"d", 1, out(other))
    return "whole +c-2.txt -c-4.txt"
@case
def shut_out_at_two(v):
    """Two say different last commits: what both say counts."""
    places = follows(v, b"c", 4, shows=True)
    follows(v, b"d", 1, out(places[2]))
    follows(v, b"e", 1, out(places[1]))
    return "whole +c-2.txt -c-3.txt"
def late(generation):
    """The named commit is not there: generations decide."""
    def make(v):
        places = follows(v, b"c", 4, shows=True)
        follows(v, b"d", 1, out((places[0][0], generation, b"\1" * 8)))
        return "whole +c-%d.txt" % min(4, generation - 1) + (f" -c-{generation}.txt" if generation < 5 else "")
    return make
CASES["shut_out_at_a_late_commit"], CASES["shut_out_at_a_commit_to_come"] = late(3), late(2**64 - 1)
@case
def shut_out_of_nobody(v):
    """A device that is not there."""
    follows(v, b"d", 1, out((b"\1" * 16, 0, bytes(8))))
    return "whole"
@case
def shut_out_with_a_hole(v):
    """One before the named commit is late: what came before it counts, and a fork from behind it does not."""
    places = follows(v, b"c", 6, shows=True)
    follows(v, b"c", 2, first=3, before=places[1][2])
    v.commit([record(COMMIT, commit(v.last[2])), record(VERSION, version(b"fork.txt"))], b"c", 5)
    follows(v, b"d", 1, out(places[4]))
    v.remove(places[2])
    return "damage +c-2.txt +c-4.txt +c-5.txt -c-6.txt -fork.txt"
@case
def shut_out_with_a_fork_before_a_hole(v):
    """As long as one is late, nobody knows which branch the named commit stands on."""
    places = follows(v, b"c", 5, shows=True)
    v.commit([record(COMMIT, commit(places[0][2])), record(VERSION, version(b"fork.txt"))], b"c", 2)
    follows(v, b"d", 1, out(places[4]))
    v.remove(places[2])
    return "damage +c-1.txt +c-5.txt +fork.txt"
@case
def shut_out_at_two_and_late(v):
    """Two records, one of which names a commit that is late."""
    places = follows(v, b"c", 6, shows=True)
    follows(v, b"d", 1, out(places[4]))
    follows(v, b"e", 1, out((places[0][0], 3, b"\1" * 8)))
    return "whole +c-2.txt -c-3.txt -c-5.txt"
@case
def shut_out_2000(v):
    """More than are looked at: the first 64 of each device, the last of which names the second commit."""
    places = follows(v, b"c", 4, shows=True)
    follows(v, b"d", 1, *[out((struct.pack(">QQ", 1, n), 0, bytes(8))) for n in range(2000)], out(places[0]))
    follows(v, b"e", 1, *[out(places[3])] * 63, *[out(places[1])] * 1000, out(places[0]))
    return "whole +c-2.txt -c-3.txt"
@case
def shut_out_more_in_many(v):
    """The first 64 of a device in many commits."""
    places = follows(v, b"c", 4, shows=True)
    last = bytes(8)
    for g in range(1, 66):
        v.commit([record(COMMIT, commit(last)), out(places[1] if g == 64 else places[0] if g == 65 else places[3])], b"d", g)
        last = v.last[2]
    return "whole +c-2.txt -c-3.txt"
@case
def shut_out_2000_circles(v):
    """Each of fifty devices shuts out all, itself too."""
    ids = [v.own(b"c%d" % n) for n in range(50)]
    for n in range(50): follows(v, b"c%d" % n, 1, *[out((id, 1, b"\1" * 8)) for id in ids], shows=True)
    return "whole -c0-1.txt -c7-1.txt"
@case
def shut_out_flood(v):
    """A device of a small id says very much, before another says what matters."""
    places = follows(v, b"c", 4, shows=True)
    label = min((b"flood %d" % n for n in range(2000)), key=v.own)
    follows(v, label, 1, *[out((struct.pack(">QQ", 1, n), 0, bytes(8))) for n in range(1024)])
    follows(v, b"e", 1, out(places[1]))
    return "whole +c-2.txt -c-3.txt"
@case
def shut_out_by_many(v):
    """Two thousand devices of somebody with the key, each with as many records as are looked at."""
    places = follows(v, b"c", 4, shows=True)
    for n in range(2000): v.commit([FIRST, *[out((places[0][0], 3, struct.pack(">Q", n * 64 + m + 1))) for m in range(63)], out(places[1])], b"f%d" % n)
@case
def shut_out_twins(v):
    """One that was shut out gives its commits the ids of all others."""
    for _, _, id, _ in list(v.commits): v.commit([FIRST], b"c", id=id)
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8))))
    return "whole +novel.txt"
@case
def shut_out_twin_of_the_record(v):
    """… also to the commit that shuts it out."""
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8))), shows=True)
    v.commit([FIRST, record(VERSION, version(b"twin.txt"))], b"c", id=v.last[2])
    return "whole +d-1.txt -twin.txt"
@case
def shut_out_twins_each_other(v):
    """Twins of which each shuts out the other: both are set aside."""
    for a, b in (b"cd", b"dc"):
        v.commit([FIRST, out((v.own(bytes([b])), 0, bytes(8))), record(VERSION, version(bytes([a]) + b".txt"))], bytes([a]), id=b"\5" * 8)
    return "damage -c.txt -d.txt"
@case
def shut_out_three_twins(v):
    """One of three is set aside: two are left, and neither counts."""
    for label in (b"c", b"e", b"g"): v.commit([FIRST, record(VERSION, version(b"twin-%s.txt" % label))], label, id=b"\5" * 8)
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8))))
    return "damage -twin-c.txt -twin-e.txt -twin-g.txt"
@case
def shut_out_twins_with_parents(v):
    """What is named of the twin that does not count is not missing."""
    v.commit([FIRST, record(VERSION, version(b"a.txt"))], b"e", id=b"\5" * 8)
    v.commit([FIRST, record(VERSION, version(b"b.txt"))], b"c", id=b"\5" * 8)
    twin = v.last
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8))))
    v.commit([record(COMMIT, commit(seen=[twin]))], b"h")
    return "whole +a.txt -b.txt"
@case
def shut_out_leaves_given_up(v):
    """What was given up is a head again, as what replaced it is set aside."""
    id = given_up(v, gone=False)
    packs = [body[:16] for kind, body in records_of(v.raw[v.own(b"c"), 1, b"\5" * 8]) if kind == PACKREC]
    follows(v, b"d", 1, record(RETIRED, retired([id], packs)))
    follows(v, b"e", 1, out((v.own(b"c"), 1, b"\5" * 8)))
    return "damage"
@case
def shut_out_long_past(v):
    """Of a device of many commits, at each of a thousand."""
    places = follows(v, b"c", 3000)
    follows(v, b"d", 1, *[out(places[3 * n]) for n in range(1000)])
    return "whole"
@case
def shut_out_batches(v):
    """Events up to the last batch count."""
    before, batches = bytes(8), []
    for g in range(1, 5):
        v.batch([record(BATCH, before + svarint(NOW)), record(EVENT, event(b"event %d" % g))], b"c", g)
        batches.append(v.last_batch)
        before = v.last_batch[2]
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8)), batches[1]))
    return "whole"
@case
def shut_out_batches_of_a_fork(v):
    """Two batches of one generation: only that on the way to the named one counts."""
    def batch_of(g, before):
        v.batch([record(BATCH, before + svarint(NOW)), record(EVENT, event(os.urandom(6).hex().encode()))], b"c", g)
        return v.last_batch
    first = batch_of(1, bytes(8))
    second = [batch_of(2, first[2]) for _ in range(2)]
    batch_of(3, second[0][2])
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8)), second[1]))
    return "whole"
@case
def shut_out_batch_leftovers(v):
    """What a batch that is passed over names as the one before it is not missing."""
    v.batch([record(BATCH, b"\1" * 8 + svarint(NOW)), record(EVENT, event(b"late"))], b"c", 3)
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8))))
    return "whole"
@case
def shut_out_batches_late(v):
    """The named batch is not there."""
    before = bytes(8)
    for g in range(1, 4):
        v.batch([record(BATCH, before + svarint(NOW)), record(EVENT, event(b"event %d" % g))], b"c", g)
        before = v.last_batch[2]
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8)), (v.own(b"c"), 9, b"\1" * 8)))
@case
def shut_out_damaged_leftovers(v):
    """What a device that was shut out names as seen is not missing."""
    v.commit([record(COMMIT, commit(seen=[(b"\1" * 16, 5, b"\1" * 8)]))], b"c")
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8))))
    return "whole"
@case
def shut_out_contradicts(v):
    """… nor does it contradict anybody."""
    v.commit([record(COMMIT, commit(seen=[(*v.commits[0][:3], b"\1" * 32)]))], b"c")
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8))))
    return "whole +novel.txt"
@case
def shut_out_contradicted(v):
    """One that counts says another digest of one that does not."""
    places = follows(v, b"c", 2)
    follows(v, b"d", 1, out(places[0]))
    v.commit([record(COMMIT, commit(seen=[(*places[1], b"\1" * 32)]))], b"e")
    return "damage"
@case
def shut_out_settings(v):
    v.commit([FIRST, record(SETTINGS, settings()), record(PINNED, pinned(bytes(12)))], b"c")
    follows(v, b"d", 1, out((v.own(b"c"), 0, bytes(8))))
    return "whole"
@case
def shut_out_the_vault(v):
    """A new device shuts out all that were there."""
    follows(v, b"c", 1, *[out((d, 0, bytes(8))) for d in v.devices])
    return "whole -novel.txt"
@case
def shut_out_and_back(v):
    """… and another takes it back."""
    bad = follows(v, b"c", 1, *[out((d, 0, bytes(8))) for d in v.devices])
    follows(v, b"d", 1, out((bad[0][0], 0, bytes(8))))
    return "whole +novel.txt"

# -- Runs
def inline_commits(v, label=b"r", count=4):
    """Commits of one device with a document each, whose content stands in them."""
    before, places = bytes(8), []
    for g in range(1, count + 1):
        text = b"%s %d\n" % (label, g) * 20
        own = record(INLINE, varint(1) + block([(v.chunk_id(text), len(text))]))
        file = record(VERSION, version(b"%s-%d.txt" % (label, g), members=[member(size=len(text), runs=[(1, 1, b"")])]))
        v.commit([record(COMMIT, commit(before)), own, file], label, g, inline=text)
        places.append(v.last)
        before = v.last[2]
    return places
def in_run(**how):
    """A run beside its commits, of which something is not so: each value is made of the vault and the positions."""
    def make(v):
        places = inline_commits(v)
        v.run(places, **{key: value(v, places) for key, value in how.items()})
    return make
def as_listed(v, places): return [(g, id, v.digests[d, g, id]) for d, g, id in places]
def swapped(things): return [things[1], things[0], *things[2:]]
@case
def run_beside(v):
    v.run(inline_commits(v))
    return "whole +r-1.txt +r-4.txt"
@case
def run_alone(v):
    places = inline_commits(v)
    v.run(places)
    v.remove(*places)
    return "whole +r-1.txt +r-4.txt"
@case
def run_in_place_of_some(v):
    places = inline_commits(v)
    v.run(places[:3])
    v.remove(*places[1:3])
    return "whole +r-1.txt +r-4.txt"
@case
def runs_overlap(v):
    places = inline_commits(v)
    v.run(places[:3]); v.run(places[1:])
    v.remove(*places)
    return "whole +r-1.txt +r-4.txt"
@case
def run_of_a_fork(v):
    places = follows(v, b"c", 2, shows=True)
    more = [follows(v, b"c", 1, first=3, before=places[1][2], shows=True)[0] for _ in range(2)]
    v.run(places + sorted(more, key=lambda p: p[2]))
    v.remove(*places, *more)
    return "whole +c-3.txt"
@case
def run_of_the_vault(v):
    """All commits of the vault's first device, by another."""
    first = max(v.devices, key=[c[0] for c in v.commits].count)
    places = sorted((c[:3] for c in v.commits if c[0] == first), key=lambda p: p[1:])
    v.run(places)
    v.remove(*places)
    return "whole +novel.txt"
@case
def run_without_its_blocks(v):
    places = inline_commits(v)
    v.run(places, packs=[])
    v.remove(*places)
    return "damage"
@case
def run_of_retired_blocks(v):
    """The blocks of a version that was given up are gone."""
    places = inline_commits(v, count=1)
    id = number(places[0][2], 0)
    v.commit([record(COMMIT, commit(places[0][2])), record(RETIRED, retired([id], commits=places)), record(VERSION, version(
        b"later.txt", flags=0, project=id, parents=[id]))], b"r", 2)
    v.run(places, packs=[])
    v.remove(*places)
    return "whole +later.txt"
@case
def run_in_two_forms(v):
    """One id, one generation, two commits: one stands alone, where it is read, and one in a run."""
    v.commit([FIRST, record(VERSION, version(b"one.txt"))], b"r", id=b"\5" * 8)
    place = v.last
    alone = open(f"{v.folder}/log/{place[0].hex()}/{1:010}-{'05' * 8}", "rb").read()
    v.commit([FIRST, record(VERSION, version(b"two.txt"))], b"r", id=b"\5" * 8)
    v.run([place])
    with open(f"{v.folder}/log/{place[0].hex()}/{1:010}-{'05' * 8}", "wb") as file: file.write(alone)
    return "damage +one.txt -two.txt"
@case
def runs_in_two_forms(v):
    for text in (b"one.txt", b"two.txt"):
        v.commit([FIRST, record(VERSION, version(text))], b"r", id=b"\5" * 8)
        v.run([v.last])
    v.remove(v.last)
    return "damage -one.txt -two.txt"
@case
def runs_in_two_forms_one_broken(v):
    """A run that breaks a rule says nothing of a commit."""
    for text, how in ((b"one.txt", {}), (b"two.txt", {"sign": lambda *_: b""})):
        v.commit([FIRST, record(VERSION, version(text))], b"r", id=b"\5" * 8)
        v.run([v.last], **how)
    v.remove(v.last)
    return "damage +one.txt -two.txt"
@case
def runs_one_broken(v):
    """A commit of its own is gone, one run is damage, and another has it."""
    places = inline_commits(v)
    v.run(places, sign=lambda *_: b"")
    v.run(places)
    v.remove(*places)
    return "damage +r-1.txt +r-4.txt"
@case
def run_cut_alone(v):
    """The list at its front opens, and the run does not."""
    places = follows(v, b"c", 500, shows=True)
    name = v.run(places)
    v.remove(*places)
    with open(f"{v.folder}/{name}", "r+b") as file: file.truncate(os.path.getsize(file.name) - 9)
    return "damage"
@case
def run_lists_very_many(v):
    """Short objects whose first records list more commits than they can hold."""
    listed = b"".join(varint(1) + struct.pack(">Q", n + 1) + bytes(32) for n in range(100_000))
    for n in range(20):
        device = v.own(b"many %d" % n)
        v.put_records(RUN, f"log/{device.hex()}/{1:010}-{1:010}-{'e' * 16}", device,
                      record(RUN_RECORD, varint(100_000) + listed), None, b"\0")
    return "damage"
@case
def run_beside_a_broken_commit(v):
    """The commit stands by itself too, and does not open there."""
    places = inline_commits(v)
    v.run(places)
    with open(f"{v.folder}/log/{places[1][0].hex()}/{2:010}-{places[1][2].hex()}", "r+b") as file: file.truncate(999)
    return "damage +r-2.txt"
@case
def run_broken_beside(v):
    """The run is damage, and takes nothing."""
    places = inline_commits(v)
    v.run(places, sign=lambda *_: b"")
    return "damage +r-2.txt"
@case
def run_of_other_bytes(v):
    places = inline_commits(v)
    v.run(places, packs=[v.pack_of(places, lambda stored: b"x" * len(stored))])
    v.remove(*places)
    return "lie"
@case
def run_long(v):
    places = follows(v, b"c", 5000)
    v.run(places)
    v.remove(*places)
    return "whole"
@case
def run_bomb(v):
    """A run whose commits open to much more than it has."""
    body = record(VERSION, version(b"a", members=[member(xattrs=[(b"a", bytes(MIB))])]))
    places = []
    for n in range(60):
        v.commit([FIRST, body], b"r", id=struct.pack(">Q", n + 1))
        places.append(v.last)
    v.run(places)
    v.remove(*places)
    return "damage"
def one_commit(v, *records, label=b"i", **how):
    v.commit(list(records) or [FIRST], label, **how)
    return v.last
rules("run", {
    "unsigned": in_run(sign=lambda v, p: lambda *_: b""),
    "no_commit": in_run(listed=lambda v, p: [], inner=lambda v, p: []),
    "digest": in_run(listed=lambda v, p: [(g, id, b"\1" * 32) for g, id, _ in as_listed(v, p)]),
    "digests_swapped": in_run(listed=lambda v, p: [(g, id, d[2]) for (g, id, _), d in zip(as_listed(v, p), as_listed(v, p)[::-1])]),
    "id": in_run(listed=lambda v, p: [(g, b"\1" * 8, d) for g, _, d in as_listed(v, p)[:1]] + as_listed(v, p)[1:]),
    "generation": in_run(listed=lambda v, p: as_listed(v, p)[:-1] + [(5, *as_listed(v, p)[-1][1:])]),
    "order": in_run(listed=lambda v, p: swapped(as_listed(v, p)), inner=lambda v, p: swapped([v.raw[x] for x in p])),
    "order_of_commits": in_run(inner=lambda v, p: swapped([v.raw[x] for x in p])),
    "twice": in_run(listed=lambda v, p: as_listed(v, p)[:1] * 2 + as_listed(v, p)[1:],
                    inner=lambda v, p: [v.raw[x] for x in p[:1] + p]),
    "fewer": in_run(inner=lambda v, p: [v.raw[x] for x in p[:-1]]),
    "more": in_run(inner=lambda v, p: [v.raw[x] for x in p + p[:1]]),
    "unlisted": in_run(listed=lambda v, p: as_listed(v, p)[:-1]),
    "ends": in_run(name=lambda v, p: f"log/{p[0][0].hex()}/{1:010}-{9:010}-{'e' * 16}"),
    "begins": in_run(name=lambda v, p: f"log/{p[0][0].hex()}/{2:010}-{4:010}-{'e' * 16}"),
    "of_another_device": in_run(name=lambda v, p: f"log/{v.own(b'x').hex()}/{1:010}-{4:010}-{'e' * 16}"),
    "with_another_device": lambda v: (lambda a, b: v.run([a], listed=[(1, a[2], v.digests[a])], inner=[v.raw[b]]))(
        one_commit(v, label=b"i"), one_commit(v, label=b"j")),
    "inner_unsigned": lambda v: v.run([one_commit(v, sign=lambda *_: b"")]),
    "inner_no_commit": lambda v: v.run([one_commit(v, record(99, b"x"))]),
    "inner_empty": in_run(inner=lambda v, p: [b""] + [v.raw[x] for x in p[1:]]),
    "inner_cut": in_run(inner=lambda v, p: [v.raw[p[0]][:-1]] + [v.raw[x] for x in p[1:]]),
    "inner_more": in_run(inner=lambda v, p: [v.raw[p[0]] + record(99, b"x")] + [v.raw[x] for x in p[1:]]),
    "inner_length": lambda v: v.run([one_commit(v)], inner=[], tail=[record(RUN_COMMIT, lengthed(v.raw[v.last]))]),
    "inner_trailing": lambda v: v.run([one_commit(v)], inner=[], tail=[record(RUN_COMMIT, v.raw[v.last] + b"\0")]),
    "inner_frames": lambda v: v.run([one_commit(v)], inner=[], tail=[record(RUN_COMMIT, b"\0" + frame(v.raw[v.last]))]),
    "inner_run": lambda v: v.run([one_commit(v)], inner=[record(RUN_RECORD, b"\0")]),
    "count": lambda v: v.run([one_commit(v)], listed=[], inner=[], tail=[record(RUN_RECORD, varint(2**60))]),
    "not_first": lambda v: v.put_records(RUN, f"log/{v.own(b'i').hex()}/{1:010}-{1:010}-{'e' * 16}", v.own(b"i"), record(99, b"x"), None, b"\0"),
    "listed_twice": in_run(tail=lambda v, p: [record(RUN_RECORD, b"\0")]),
    "a_commit_record": in_run(tail=lambda v, p: [FIRST]),
    "a_version": in_run(tail=lambda v, p: [record(VERSION, version())]),
    "inline": in_run(tail=lambda v, p: [record(INLINE, OWN_BLOCK)]),
    "of_a_run": in_run(tail=lambda v, p: [record(KEPT_NOTE, kept_note(NOBODY, 0, PLAN, b"\0"))]),
    "settings": in_run(tail=lambda v, p: [record(SETTINGS, settings())]),
    "own_blocks": in_run(before=lambda v, p: b"x"),
    "pack_first": lambda v: (lambda p: v.put_records(
        RUN, f"log/{p[0].hex()}/{1:010}-{1:010}-{'e' * 16}", p[0], record(PACKREC, v.pack(b"x")[0]) + record(
            RUN_RECORD, b"\1\1" + p[2] + v.digests[p]) + record(RUN_COMMIT, v.raw[p]), None, b"\0"))(one_commit(v)),
    "pack_twice": in_run(packs=lambda v, p: [v.pack_of(p)] * 2),
    "pack_trailing": in_run(packs=lambda v, p: [v.pack_of(p) + b"\0"]),
    "pack_no_block": in_run(packs=lambda v, p: [pack(b"\1" * 16, 4096, [])]),
    "pack_missing": in_run(packs=lambda v, p: [pack(b"\1" * 16, 4096, [block([(b"\1" * 32, 9)])])]),
    "pack_of_inline": in_run(packs=lambda v, p: [p[0][2] + bytes(8) + v.pack_of(p)[16:]]),
    "commit_inline_over_64_kib": lambda v: v.run([one_commit(v, FIRST, record(INLINE, varint(1) + block([(b"\1" * 32, 65537)])))],
                                                 packs=[]),
    "over_100000": lambda v: v.run([one_commit(v)], listed=[(1, struct.pack(">Q", n + 1), bytes(32)) for n in range(100_001)])})
OWN_BLOCK = varint(1) + block([(b"\1" * 32, 3)])
rules("run_right", {
    "of_itself": in_run(signer=lambda v, p: p[0][0]), "unknown_kind": in_run(tail=lambda v, p: [record(99, b"x")]),
    "twice_there": lambda v: [v.run(p) for p in [inline_commits(v)] * 2],
    "some_blocks": in_run(packs=lambda v, p: [v.pack_of(p[:1])]), "no_blocks": in_run(packs=lambda v, p: []),
    "more_packs": in_run(packs=lambda v, p: [v.pack_of(p), v.pack_of(p), v.pack(b"x" * 99)[0]]),
    "pack_at_the_end": in_run(packs=lambda v, p: [], tail=lambda v, p: [record(PACKREC, v.pack_of(p))]),
    "pack_of_the_vault": in_run(packs=lambda v, p: [v.known_packs[0]]),
    "kind_23": in_run(tail=lambda v, p: [record(23, b"x")]), "kind_8": in_run(tail=lambda v, p: [record(EVENT, b"x")]),
    "name_0": lambda v: elsewhere(f"log/{'f' * 32}/{0:010}-{1:010}-{'f' * 16}")(v),
    "name_short": lambda v: elsewhere(f"log/{'f' * 32}/{1:010}-{1:09}-{'f' * 16}")(v)}, "whole")
rules("run_read", {                                                 # only reading shows it
    "chunk": in_run(packs=lambda v, p: [v.pack(b"abc", [(b"\1" * 32, 3)])[0]])}, "lie")

# -- What was given up (section 14)
def given_up(v, *notes, gone=True, remove=True, versions=None, packs=None):
    """Two versions of a document, the first of which is given up with its pack."""
    mine, first = v.pack(os.urandom(5000))
    later, second = v.pack(os.urandom(5000))
    id = number(b"\5" * 8, 0)
    file = [member(size=5000, runs=[(1, 1, b"")])]
    v.commit([FIRST, record(PACKREC, mine), record(VERSION, version(b"past.txt", members=file))], b"c", id=b"\5" * 8)
    given = record(RETIRED, retired([id] if versions is None else versions, [mine[:16]] if packs is None else packs))
    v.commit([record(COMMIT, commit(b"\5" * 8)), record(PACKREC, later), *([given] if gone else []), *notes, record(
        VERSION, version(b"past.txt", flags=0, project=id, parents=[id], members=file))], b"c", 2, b"\6" * 8)
    if remove: os.unlink(f"{v.folder}/packs/{mine[:16].hex()[:2]}/{mine[:16].hex()}")
    return id
PAST = number(b"\5" * 8, 0)
SNAPSHOT = b"\5" * 8
def gave_up(said, *notes, **how):
    def make(v):
        given_up(v, *notes, **how)
        return said
    return make
for name_, make_ in {
        "true": gave_up("whole +past.txt"), "not_removed": gave_up("whole +past.txt", remove=False),
        "nothing_but_removed": gave_up("damage", gone=False), "pack_alone": gave_up("damage", versions=[]),
        "version_alone": gave_up("damage", packs=[]), "pinned": gave_up("damage", record(PINNED, pinned(PAST))),
        "pinned_snapshot": gave_up("damage", record(PINNED, pinned(SNAPSHOT))),
        "pinned_other": gave_up("whole +past.txt", record(PINNED, pinned(b"\1" * 12)), record(PINNED, pinned(b"\1" * 8))),
        "unpinned": gave_up("whole +past.txt", record(PINNED, pinned(PAST)), record(UNPINNED, many([number(b"\6" * 8, 0)]))),
        "unpinned_other": gave_up("damage", record(PINNED, pinned(PAST)), record(UNPINNED, many([number(b"\6" * 8, 1), number(b"\1" * 8, 0)]))),
        "unpinned_one_of_two": gave_up("damage", record(PINNED, pinned(PAST)), record(PINNED, pinned(SNAPSHOT)),
                                       record(UNPINNED, many([number(b"\6" * 8, 0)]))),
        "acknowledged": gave_up("whole +past.txt", record(ACKNOWLEDGED, many([number(b"\6" * 8, 0), bytes(12)])))}.items():
    CASES[f"retired_{name_}"] = make_
@case
def retired_heads(v):
    """Whatever a record says: a head is there."""
    v.commit([FIRST, record(RETIRED, retired([id for id, _, _ in v.heads()]))])
    return "whole +novel.txt +large.txt"
@case
def retired_everything(v):
    v.commit([FIRST, record(RETIRED, retired([id for id, _, _ in v.versions], [body[:16] for body in v.known_packs],
                                             [c[:3] for c in v.commits]))])
    return "whole +novel.txt +large.txt"
@case
def retired_everything_gone(v):
    """… and the packs are gone with it."""
    v.commit([FIRST, record(RETIRED, retired([id for id, _, _ in v.versions], [body[:16] for body in v.known_packs]))])
    for body in v.known_packs:
        if os.path.exists(path := f"{v.folder}/packs/{body[:16].hex()[:2]}/{body[:16].hex()}"): os.unlink(path)
    return "damage"
@case
def retired_by_one_shut_out(v):
    given_up(v, gone=False)
    packs = [body[:16] for kind, body in records_of(v.raw[v.own(b"c"), 1, b"\5" * 8]) if kind == PACKREC]
    v.commit([FIRST, record(RETIRED, retired([PAST], packs))], b"e")
    follows(v, b"d", 1, out((v.last[0], 0, bytes(8))))
    return "damage"
@case
def retired_base_of_a_delta(v):
    """A delta that nobody needs is there, its base is not."""
    base = os.urandom(9000)
    whole, id = v.pack(base)
    changed, other = v.pack(base + b"x", codec=2, bases=[id], prefix=base)
    past = [number(b"\5" * 8, n) for n in range(2)]
    v.commit([FIRST, record(PACKREC, whole), record(PACKREC, changed),
              record(VERSION, version(b"past.txt", members=[member(size=9000, runs=[(1, 1, b"")])])),
              record(VERSION, version(b"past.txt", flags=0, project=past[0], parents=past[:1],
                                      members=[member(size=9001, runs=[(1, 2, b"")])])),
              record(VERSION, version(b"past.txt", flags=0, project=past[0], parents=past[1:])),
              record(RETIRED, retired(past, [whole[:16]]))], id=b"\5" * 8)
    os.unlink(f"{v.folder}/packs/{whole[:16].hex()[:2]}/{whole[:16].hex()}")
    return "whole +past.txt"
@case
def retired_commit_gone(v):
    """No run has it."""
    places = follows(v, b"c", 3)
    follows(v, b"d", 1, record(RETIRED, retired(commits=places)))
    v.remove(places[1])
    return "damage"
@case
def retired_100000(v):
    packs = [bytes(8) + struct.pack(">Q", n + 1) for n in range(50_000)]
    v.commit([FIRST, record(RETIRED, retired([number(b"\1" * 8, n) for n in range(100_000)], packs))])
    return "whole"
@case
def pins_many(v):
    """Pins of every snapshot, again and again, and something that is given up."""
    v.commit([FIRST, record(RETIRED, retired([v.versions[0][0]])), *[record(PINNED, pinned(c[2])) for c in v.commits] * 300])
    return "whole"
rules("retired_right", {
    "nothing": one(RETIRED, retired()),
    "absent": one(RETIRED, retired([b"\1" * 12], [b"\1" * 16], [(b"\1" * 16, 1, b"\1" * 8)])),
    "twice": one(RETIRED, retired([b"\1" * 12] * 2)), "acknowledged": one(ACKNOWLEDGED, many([b"\1" * 12])),
    "acknowledged_nothing": one(ACKNOWLEDGED, b"\0"), "unpinned": one(UNPINNED, many([b"\1" * 12])),
    "pinned": one(PINNED, pinned(b"\1" * 12, b"l" * 255)), "pinned_snapshot": one(PINNED, pinned(b"\1" * 8)),
    "plan": one(PLAN, lengthed(b"x" * 16384)), "plan_empty": one(PLAN, lengthed(b""))}, "whole")
rules("note", {
    "pin_kind_0": one(PINNED, pinned(b"\1" * 12, what=0)), "pin_kind_3": one(PINNED, pinned(b"\1" * 12, what=3)),
    "pin_short": one(PINNED, b"\1" + bytes(11)), "pin_label": one(PINNED, pinned(b"\1" * 12, b"l" * 256)),
    "pin_trailing": one(PINNED, pinned(b"\1" * 12) + b"\0"), "retired_count": one(RETIRED, varint(2**60)),
    "retired_short": one(RETIRED, retired()[:-1]), "retired_trailing": one(RETIRED, retired() + b"\0"),
    "unpinned_count": one(UNPINNED, varint(2**60)), "unpinned_trailing": one(UNPINNED, b"\0\0"),
    "acknowledged_count": one(ACKNOWLEDGED, b"\2" + bytes(12)), "acknowledged_trailing": one(ACKNOWLEDGED, b"\0\0"),
    "shut_out_short": one(SHUT_OUT, shut_out(NOBODY)[:-1]), "shut_out_trailing": one(SHUT_OUT, shut_out(NOBODY) + b"\0"),
    "kept_in_a_commit": one(KEPT_NOTE, kept_note(NOBODY, 0, PLAN, b"\0")), "run_in_a_commit": one(RUN_RECORD, b"\0"),
    "run_commit_in_a_commit": one(RUN_COMMIT, b"\0"),
    "shut_out_generation_alone": one(SHUT_OUT, shut_out((b"\1" * 16, 3, bytes(8)))),
    "shut_out_id_alone": one(SHUT_OUT, shut_out((b"\1" * 16, 0, b"\1" * 8))),
    "shut_out_batch_generation_alone": one(SHUT_OUT, shut_out((b"\1" * 16, 0, bytes(8)), (b"", 3, bytes(8)))),
    "shut_out_batch_id_alone": one(SHUT_OUT, shut_out((b"\1" * 16, 0, bytes(8)), (b"", 0, b"\1" * 8))),
    **{f"{name}_in_a_batch": batch((BATCH, bytes(8) + svarint(NOW)), (kind, body)) for name, kind, body in (
        ("pack", INLINE, OWN_BLOCK), ("settings", SETTINGS, settings()), ("plan", PLAN, b"\0"), ("run", RUN_RECORD, b"\0"),
        ("kept", KEPT_NOTE, kept_note(NOBODY, 0, PLAN, b"\0")))},
    **{f"{name}_in_a_checkpoint": again(lambda records, kind=kind, body=body: records + [(kind, body)]) for name, kind, body in (
        ("commit", RUN_COMMIT, b"\0"), ("settings", SETTINGS, settings()), ("plan", PLAN, b"\0"), ("run", RUN_RECORD, b"\0"))},
    "plan_long": one(PLAN, lengthed(bytes(16385))), "plan_trailing": one(PLAN, lengthed(b"x") + b"\0"),
    "plan_short": one(PLAN, b"\2x"), "plan_nothing": one(PLAN, b"")})
rules("note_right", {
    "plan_of_anything": one(PLAN, lengthed(b"x")), "plan_16_kib": one(PLAN, lengthed(bytes(16384))), "kind_23": one(23, OWN_BLOCK),
    **{f"kind_{n}": one(n, b"x") for n in (7, 8, 9, 0)},
    "kind_8_in_a_checkpoint": again(lambda records: records + [(EVENT, b"x")]),
    "kind_23_in_a_checkpoint": again(lambda records: records + [(23, b"x")]),
    "kind_23_in_a_batch": batch((BATCH, bytes(8) + svarint(NOW)), (23, b"x"))}, "whole")

# -- Settings (section 13)
def title(text): return settings(json=b'{"title":"' + text + b'"}')
rules("settings", {
    "json_long": one(SETTINGS, settings(json=b'{"x":"' + b"x" * (16385 - 8) + b'"}')),
    "trailing": one(SETTINGS, settings() + b"\0"), "short": one(SETTINGS, settings()[:-1]),
    "parents_count": one(SETTINGS, b"p" * 12 + varint(2**60)), "time": one(SETTINGS, settings(time=YEAR_9999 + 1))})
rules("settings_bad", {                                             # these set nothing, and are no damage
    "json_none": one(SETTINGS, settings(json=b"")),
    "json_deep": one(SETTINGS, settings(json=b'{"x":' + b"[" * 8000 + b"]" * 8000 + b"}")),
    "json_list": one(SETTINGS, settings(json=b"[]")), "json_null": one(SETTINGS, settings(json=b"null")),
    "json_twice": one(SETTINGS, settings(json=b'{"a":1,"a":1}')),
    "json_twice_escaped": one(SETTINGS, settings(json=b'{"a":1,"\\u0061":1}')),
    "json_utf8": one(SETTINGS, settings(json=b'{"a":"\xff"}')),
    "json_surrogate": one(SETTINGS, settings(json=b'{"a":"\\ud800"}')),
    "json_spaces": one(SETTINGS, settings(json=b'{"a": 1}')),
    "json_order": one(SETTINGS, settings(json=b'{"b":1,"a":1}')),
    "json_number": one(SETTINGS, settings(json=b'{"a":1.0}')), "json_large": one(SETTINGS, settings(json=b'{"a":1e400}')),
    "json_cut": one(SETTINGS, settings(json=b'{"a":1')), "json_more": one(SETTINGS, settings(json=b"{}{}"))}, "whole")
rules("settings_right", {
    "true": one(SETTINGS, title(b"x")),
    "json_16_kib": one(SETTINGS, settings(json=b'{"x":"' + b"x" * (16384 - 8) + b'"}')),
    "of_the_vault": lambda v: one(SETTINGS, settings(v.heads()[0][1]))(v),
    "parent_absent": one(SETTINGS, settings(parents=[b"\1" * 12])),
    "title_long": one(SETTINGS, title(b"t" * 1025)),
    "values": one(SETTINGS, settings(json=b'{"archived":3,"deadline":"x","nudgeHour":99,"nudgeMode":"z"}')),
    "of_itself": one(SETTINGS, settings(parents=[number(b"\5" * 8, 0)]), id=b"\5" * 8),
    "parent_twice": one(SETTINGS, settings(parents=[b"\1" * 12] * 2))}, "whole")
@case
def settings_bad_and_good(v):
    """Of two that replace nothing one is bad, and the newer."""
    v.commit([FIRST, record(SETTINGS, settings(time=NOW, json=b'{"title":"good"}')), record(SETTINGS, settings(time=NOW + 9, json=b"[]"))])
    return "whole"
@case
def settings_circle(v):
    id = b"\5" * 8
    v.commit([FIRST] + [record(SETTINGS, settings(parents=[number(id, (n + 1) % 3)])) for n in range(3)], id=id)
    return "whole"
@case
def settings_chain(v):
    id = b"\5" * 8
    v.commit([FIRST] + [record(SETTINGS, settings(parents=[number(id, n - 1)] if n else [])) for n in range(20_000)], id=id)
    return "whole"
@case
def settings_of_another(v):
    """A parent of another project."""
    id = b"\5" * 8
    v.commit([FIRST, record(SETTINGS, settings()), record(SETTINGS, settings(b"q" * 12, [number(id, 0)]))], id=id)
    return "whole"
@case
def settings_100000(v):
    v.commit([FIRST] + [record(SETTINGS, settings(struct.pack(">IQ", 1, n))) for n in range(100_000)])
@case
def settings_of_one_100000(v):
    v.commit([FIRST] + [record(SETTINGS, settings())] * 100_000)

# -- What a checkpoint keeps of all this
def noted(change, *notes):
    """A checkpoint of one more commit, which has these records; `change` makes other kept records of the true ones."""
    def make(v):
        v.commit([FIRST, record(DEVICE, device(v.own(b"n"))), *[record(*n) for n in notes]], b"n", id=b"\5" * 8)
        kept, numbers = [], {}
        for kind, body in notes:
            kept.append([v.last, numbers.setdefault(kind, 0), kind, body])
            numbers[kind] += 1
        def changed(records):
            count, at = read_varint(records[0][1], 0)
            ends = varint(count + 1) + records[0][1][at:] + end(*v.seen(*v.last))
            return [(COVERAGE, ends), (DEVICE, device(v.own(b"n")))] + records[1:] + [
                (KEPT_NOTE, kept_note(*note)) for note in change(v, kept)]
        v.checkpoint_again(changed, 1)
    return make
NOTES = [(PLAN, lengthed(b"x")), (SETTINGS, settings()), (PINNED, pinned(b"\1" * 12)), (RETIRED, retired())]
def first_as(at, value):
    return noted(lambda v, kept: [[value if n == at else part for n, part in enumerate(kept[0])]] + kept[1:], *NOTES)
rules("kept_note", {
    "kind_12": first_as(2, SIGNATURE),
    "kind_20": first_as(2, KEPT_NOTE),
    "kind_4": first_as(2, VERSION),
    "kind_other": first_as(2, UNPINNED),
    "number": first_as(1, 1),
    "number_large": first_as(1, 2**64 - 1),
    "body": first_as(3, lengthed(b"y")),
    "body_torn": first_as(3, b"\5x"),
    "not_covered": first_as(0, (bytes(16), 1, b"\1" * 8)), "missing": noted(lambda v, kept: kept[1:], *NOTES),
    "all_missing": noted(lambda v, kept: [], *NOTES), "twice": noted(lambda v, kept: kept + kept[:1], *NOTES),
    "before_versions": again(lambda records: records[:1] + [(KEPT_NOTE, kept_note(NOBODY, 0, PLAN, b"\0"))] + records[1:]),
    "short": again(lambda records: records + [(KEPT_NOTE, bytes(20))]),
    "shut_out_missing": noted(lambda v, kept: [], (SHUT_OUT, shut_out((b"\1" * 16, 0, bytes(8))))),
    "plan_first": noted(lambda v, kept: kept[:1], (PLAN, lengthed(b"a")), (PLAN, lengthed(b"b"))),
    "plans_all": noted(lambda v, kept: kept, (PLAN, lengthed(b"a")), (PLAN, lengthed(b"b"))),
    "settings_replaced": noted(lambda v, kept: kept, (SETTINGS, settings()), (SETTINGS, settings(parents=[number(b"\5" * 8, 0)])))})
rules("kept_note_right", {
    "shut_out": noted(lambda v, kept: kept, (SHUT_OUT, shut_out((b"\1" * 16, 0, bytes(8))))),
    "true": noted(lambda v, kept: kept, *NOTES), "order": noted(lambda v, kept: kept[::-1], *NOTES),
    "plan_last": noted(lambda v, kept: kept[1:], (PLAN, lengthed(b"a")), (PLAN, lengthed(b"b"))),
    "settings_bad": noted(lambda v, kept: kept, (SETTINGS, settings(json=b"[]"))),
    "settings_replaced": noted(lambda v, kept: kept[1:], (SETTINGS, settings()), (SETTINGS, settings(parents=[number(b"\5" * 8, 0)])))}, "whole")

# ---- Random cases
class Chaos:
    """Numbers and ids that are mostly right, and sometimes at their ends or those of something else."""
    def __init__(self, v, r): self.v, self.r = v, r
    def odd(self, share=0.08): return self.r.random() < share
    def n(self, usual): return self.r.choice(EXTREME) if self.odd() else usual
    def time(self): return self.r.choice(TIMES) if self.odd(0.3) else NOW + self.r.randrange(10**6)
    def bytes(self, n): return self.r.randbytes(n)
    def vid(self):
        if self.odd(0.2): return number(self.id, self.r.randrange(12))
        return self.bytes(12) if self.odd() else self.r.choice(self.v.versions)[0]
    def project(self): return self.vid() if self.odd(0.2) else self.r.choice(self.v.versions)[1]
    def device(self): return self.bytes(16) if self.odd(0.4) else self.r.choice(self.v.devices)
    def seen(self):
        d, g, id, _ = self.r.choice(self.v.commits)
        return self.device() if self.odd() else d, self.n(g), self.bytes(8) if self.odd() else id
    def chunk(self):
        known = list(chunks_of(self.r.choice(self.v.known_packs)))
        id, length = self.r.choice(known)
        return self.bytes(32) if self.odd(0.3) else id, self.n(length)
    def path(self):
        usual = [b"novel.txt", b"bundle.rtfd", b"folder", b"folder/in.txt", b"", b"x", b"a/b/c", b"link"]
        odd = [b"..", b".cue", b"a" * 255, b"\xff\xfe", b"a\nb", b"/".join([b"a"] * 2000), b"novel.txt/x", b"a\0"]
        return self.r.choice(odd if self.odd() else usual)
    def run(self):
        if self.odd(0.3): return self.n(1), 0, self.chunk()[0]
        return self.n(self.r.randrange(1, 4)), self.n(self.r.randrange(1, 6)), b""
    def member(self, path=b"", kind=None):
        kind = kind or self.r.choice([1, 1, 1, 2, 3])
        xattrs = sorted((self.bytes(2), self.bytes(3)) for _ in range(self.r.choice([0, 0, 1, 2])))
        if self.odd():
            xattrs = self.r.choice([xattrs[::-1], xattrs * 2, [(b"", b"")], [(b"a" * 256, b"")], [(b"a\0", b"")]])
        target = self.r.choice([b"", b"a\0b", b"a" * 4097]) if self.odd() else self.path() or b"x"
        return member(path, kind, self.n(0o644), self.time() // self.r.choice([1, 1000]), self.n(5), xattrs,
                      self.n(self.r.randrange(100)), [self.run() for _ in range(self.r.randrange(3))], target)
    def version(self):
        kind = self.r.choice([1, 1, 2, 3, 4, 4])
        flags = self.r.choice([NEW, 0, 0, 0, TOMBSTONE, DELTA, UNSETTLED, self.r.randrange(256) if self.odd() else 0])
        if kind == 4 or flags & DELTA:
            members = ([] if flags & DELTA else [FOLDER]) + [
                self.member(self.r.choice([b"a", b"b", b"c", b"a/b", b"data.txt", b"TXT.rtf"])) for _ in range(self.r.randrange(5))]
        else: members = [self.member(kind=kind)]
        return version(self.path(), kind, flags, b"" if flags & NEW else self.project(),
                       [self.vid() for _ in range(self.r.choice([0, 1, 1, 1, 2, 5]))], self.time(), members,
                       [self.r.choice([b"a", b"b", b"TXT.rtf", b""]) for _ in range(self.r.choice([0, 0, 1, 2]))],
                       self.n(len(members)))
    def past(self):
        """Versions of one project whose parents are any of those before, and now and then of those that come."""
        first, size = number(self.id, 0), self.r.choice([5, 40, 300])
        near, bundle = self.r.choice([2, 10, size]), self.odd(0.5)
        for n in range(size):
            flags = NEW if n == 0 else self.r.choice([0, 0, TOMBSTONE, DELTA if bundle else 0, UNSETTLED])
            parents = [self.r.randrange(max(0, n - near), n) for _ in range(self.r.choice([1, 1, 2, 3]) if n else 0)]
            parents = [number(self.id, parent) for parent in parents]
            if self.odd(0.002): parents.append(number(self.id, self.r.randrange(size)))
            members = [member(b"a" if bundle else b"", mode=self.r.randrange(512))]
            if bundle and not flags & DELTA: members.append(FOLDER)
            yield record(VERSION, version(b"past.rtfd" if bundle else b"past.txt", 4 if bundle else 1, flags,
                                          b"" if n == 0 else first, parents, NOW + n, members))
    def pack(self):
        if self.odd(0.4): return self.mutate(self.r.choice(self.v.known_packs))
        blocks = []
        for _ in range(self.r.randrange(1, 3)):
            chunks = [self.chunk() for _ in range(self.r.randrange(1, 5))]
            total = min(sum(n for _, n in chunks), 2**63)
            blocks.append(block(chunks, self.r.choice([0, 1]), self.n(total), self.n(total), self.n(len(chunks))))
        id = self.r.choice(self.v.known_packs)[:16] if self.odd(0.5) else self.bytes(16)
        return pack(id, self.n(4096), blocks)
    def mutate(self, data):
        data = bytearray(data)
        for _ in range(self.r.randrange(1, 4)):
            if not data: break
            at = self.r.randrange(len(data))
            way = self.r.randrange(5)
            if way == 0: data[at] ^= 1 << self.r.randrange(8)
            elif way == 1: data[at] = self.r.choice([0, 1, 127, 128, 255])
            elif way == 2: data[at:at + 1] = varint(self.r.choice(EXTREME))
            elif way == 3: del data[at:at + self.r.randrange(1, 20)]
            else: data[at:at] = data[at:at + self.r.randrange(1, 20)]
        return bytes(data)
    def body(self, kind):
        if kind == PACKREC: return self.pack()
        if kind == DEVICE:
            return device(self.device(), self.bytes(1025 if self.odd() else self.r.randrange(20)), self.time())
        if kind == 99: return self.bytes(self.r.randrange(50))
        if kind in range(SHUT_OUT, KEPT_NOTE):
            body = self.note(kind)
            return self.mutate(body) if self.odd() else body
        return self.version()
    def note(self, kind):
        numbers = [number(self.seen()[2], self.r.randrange(3)) for _ in range(self.r.choice([0, 1, 2]))]
        if kind == SHUT_OUT: return shut_out((self.v.own(self.device()), *self.seen()[1:]), NOBODY)
        if kind == RETIRED:
            packs = [body[:16] for body in self.v.known_packs if self.odd(0.1)]
            gone = [self.seen() for _ in range(self.r.randrange(2))]
            return retired([self.vid() for _ in range(self.r.randrange(4))], packs, gone)
        if kind == PINNED: return pinned(self.vid() if self.odd(0.5) else self.seen()[2], self.path()[:255])
        if kind in (UNPINNED, ACKNOWLEDGED): return many(numbers)
        if kind == SETTINGS: return settings(self.project(), numbers, self.time(), self.r.choice(
            [b"{}", b'{"title":"x"}', b'{"archived":1,"deadline":-1}', b"[]", b'{"a": 1}', b'{"title":"\xff"}', b""]))
        return lengthed(self.bytes(9))
    def run_of_commits(self):
        d = self.r.choice(self.v.devices)
        places = [c[:3] for c in self.v.commits if c[0] == d]
        at = self.r.randrange(len(places))
        places = places[at:at + self.r.randrange(1, 20)]
        inner = [self.v.raw[p] for p in places]
        if self.odd(0.2): inner[0] = self.mutate(inner[0])
        self.v.run(places, inner=inner)
        if self.odd(0.5): self.v.remove(*places)
    def object(self):
        self.id = self.r.choice(self.v.commits)[2] if self.odd(0.1) else self.bytes(8)
        often = ["again", "checkpoint", "events", "past", "kept", "run"]
        what = self.r.choice(["commit"] * 6 + often * 2 + ["frames", "slot"])
        if what == "past": self.v.commit([record(COMMIT, commit()), *self.past()], self.device(), 1, self.id)
        elif what == "frames":
            # Right records in frames that are not.
            d, g, id, records = self.r.choice(self.v.commits)
            plain = b"".join(record(kind, body) for kind, body in records)
            at = self.r.randrange(len(plain))
            two = frame(plain[:at]) + frame(plain[at:], self.n(len(plain) - at))
            plain = two if self.odd(0.3) else frame(plain, codec=0)
            self.v.commit([], self.bytes(16), g, self.bytes(8), frames=[self.mutate(plain)])
        elif what == "slot":
            name = self.r.choice(os.listdir(f"{self.v.folder}/keys"))
            with open(f"{self.v.folder}/keys/{name}", "rb") as file: data = bytearray(file.read())
            # Not the numbers of the derivation: what they may cost is minutes.
            data[self.r.choice([*range(28), *range(40, len(data))])] ^= 1 << self.r.randrange(8)
            with open(f"{self.v.folder}/keys/{self.bytes(8).hex()}", "wb") as file: file.write(data)
        elif what == "kept":
            def change(records):
                at = self.r.randrange(len(records))
                way = self.r.randrange(4)
                if way == 0: return records[:at] + records[at + 1:]
                if way == 1: return records[:at + 1] + records[self.r.randrange(len(records)):]
                return [(kind, self.mutate(body) if n == at else body) for n, (kind, body) in enumerate(records)]
            self.v.checkpoint_again(change, self.n(0) % 10**11)
        elif what == "run": self.run_of_commits()
        elif what == "commit":
            d = self.device()
            g = self.r.choice([1, 2, 3, 50, 9_999_999_999])
            records = [record(COMMIT, commit(bytes(8) if g == 1 else self.bytes(8), self.time(), self.n(1) & 255,
                                             [self.seen() for _ in range(self.r.choice([0, 0, 1, 3]))]))]
            kinds = [DEVICE, PACKREC, VERSION, VERSION, VERSION, 99, self.r.randrange(SHUT_OUT, KEPT_NOTE)]
            kinds = self.r.choices(kinds, k=self.r.randrange(1, 8))
            if not self.odd(): kinds.sort()
            records += [record(kind, self.body(kind)) for kind in kinds]
            self.v.commit(records, d, g, self.id)
        elif what == "again":
            d, g, id, records = self.r.choice(self.v.commits)
            at = self.r.randrange(len(records))
            out = [record(kind, self.mutate(body) if n == at else body) for n, (kind, body) in enumerate(records)]
            self.v.commit(out, d if self.odd(0.5) else self.bytes(16), g, self.bytes(8))
        elif what == "checkpoint":
            ends = self.v.ends()
            covered = varint(self.n(len(ends))) + b"".join(end(d, self.n(g), *more) for d, g, *more in ends)
            where = {id: d for d, _, id, _ in self.v.commits}
            records = [record(COVERAGE, covered)] + [record(PACKREC, p) for p in self.v.known_packs if not self.odd(0.1)]
            for vid, project, body in self.v.heads():
                if self.odd(0.1): continue
                whole = self.version() if self.odd(0.2) or body[0] & (DELTA | NEW) else body
                records.append(record(KEPT, kept(vid, where[vid[:8]], whole, self.time())))
            self.v.checkpoint(len(self.v.commits) if not self.odd() else self.r.choice([1, 10**11]), records)
        else:
            records = [record(BATCH, (bytes(8) if not self.odd() else self.bytes(8)) + svarint(self.time()))]
            for _ in range(self.r.randrange(1, 8)):
                payload = self.r.choice([b"{}", b"1e400", b'{"amount":9223372036854775807}', b'{"words":-1e300}',
                                         b'{"a":1,"a":1}', b'"\\ud800"', b"[1,]", b'"\xff"', b" 1 ", b"NaN", b"1.",
                                         b"-0", b"01", b'"\t"',
                                         b"[" * 64 + b"]" * 64, b"[" * 65 + b"]" * 65, b"[" * 20000, b"1" * 400, b"",
                                         b"[" * 70 + b"]" * 70, b'"\\u0000"', b'{"plot":18446744073709551615}'])
                type = self.r.choice([b"x", b"words.written", b"garden.planted", b"garden.harvested", b"garden.watered"])
                id = self.bytes(4).hex().encode()
                if self.odd(0.2):
                    id = self.r.choice([b"", b"i" * 200, b"i" * 201, b"\xff", b"a\nb", b"\xc2\x85", b"same"])
                if self.odd(0.1): type = self.r.choice([b"", b"t" * 100, b"t" * 101, b"\xff", b"\0"])
                when = self.r.choice([b"2026-01-01T00:00:00Z"] * 3 + [
                    b"9999-12-31T23:59:59-23:59", b"0000-01-01T00:00:00+23:59", b"2026-02-29T00:00:00Z", b"2026-01-01",
                    b"2024-02-29 23:59:60.123456789+0130", b"2026-01-01t00:00:00.5z", b"2026-01-01T00:00:00+02",
                    b"2026-01-01T24:00:00Z", b"2026-01-01T00:00:00", b"2026-01-01T00:00:00.Z", b"0000-02-29T00:00:00Z",
                    b"2026-01-01T00:00:00.1234567890Z", b"2026-01-01T00:00:00+24:00", b"2026-01-01T00:00:00Z\n"])
                body = lengthed(id) + lengthed(type) + lengthed(when) + svarint(self.time()) + lengthed(payload)
                records.append(record(EVENT, self.mutate(body) if self.odd(0.2) else body))
            if self.odd(0.3):
                d, g, id = self.seen()
                records.append(record(REPLACED, d + varint(g) + id + (b"x" if self.odd() else b"")))
            if self.odd(0.3): records.append(record(99, self.bytes(5)))
            self.v.batch(records, self.bytes(16), self.r.choice([1, 1, 1, 2]))

# ---- Running
class Bench:
    def __init__(self, args):
        self.args, self.cue = args, os.path.abspath(args.cue)
        self.reader = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cue-read.py")
        self.root = tempfile.mkdtemp(prefix="fuzz-vault-")
        self.findings, self.runs, self.worst, self.seeds = [], 0, {}, list(map(bytes.fromhex, args.device_seed))
        self.base = os.path.join(self.root, "base")
        self.make_base()
    def environment(self, home):
        return {**os.environ, "CUE_HOME": home, "CUE_PASSPHRASE": PASSPHRASE, "NO_COLOR": "1", "TZ": "UTC",
                "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}
    def cue_ok(self, home, *arguments):
        subprocess.run([self.cue, *arguments], env=self.environment(f"{self.base}/{home}"), check=True,
                       stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    def make_base(self):
        """Two devices, every kind of document, deltas, a deletion, a conflict, and enough commits for a checkpoint."""
        b = self.base
        os.makedirs(f"{b}/lib/folder"); os.makedirs(f"{b}/lib/bundle.rtfd"); os.makedirs(f"{b}/lib2")
        def write(name, text):
            with open(f"{b}/{name}", "w") as file: file.write(text)
        write("lib/novel.txt", "It was a dark night.\n" * 50); write("lib/folder/in.txt", "in\n")
        write("lib/gone.txt", "soon gone\n"); os.symlink("novel.txt", f"{b}/lib/link")
        for name in ("TXT.rtf", "a", "b"): write(f"lib/bundle.rtfd/{name}", name * 40)
        self.cue_ok("home", "init", f"{b}/lib", "--vault", f"{b}/vault", "--kdf-memory", "64", "--name", "one")
        self.cue_ok("home", "backup", f"{b}/lib")
        for n in range(34):
            # Some commits have packs, the others hold their blocks themselves.
            if n < 6: write("lib/large.txt", random.Random(n).randbytes(70000).hex())
            write("lib/bundle.rtfd/a", "a" * n); write("lib/novel.txt", f"It was a dark night {n}.\n" * 50)
            self.cue_ok("home", "backup", f"{b}/lib")
        os.unlink(f"{b}/lib/gone.txt")
        self.cue_ok("home", "backup", f"{b}/lib", "--allow-deletions")
        self.cue_ok("home2", "init", f"{b}/lib2", "--vault", f"{b}/vault", "--name", "two")
        self.cue_ok("home2", "sync", f"{b}/lib2")
        write("lib2/novel.txt", "Theirs.\n" * 9); self.cue_ok("home2", "sync", f"{b}/lib2")
        write("lib/novel.txt", "Mine.\n" * 9); self.cue_ok("home", "backup", f"{b}/lib")
        self.seeds += self.steal(b)
        if not self.seeds: print("no key of a device was found: nothing is signed as one of the vault", flush=True)
        # The library knows where its vault lies by its absolute path, so cases take turns in one place.
        self.saved = os.path.join(self.root, "saved")
        shutil.copytree(b, self.saved, symlinks=True)
    def steal(self, folder):
        """The keys with which the devices sign, out of copies of their stores."""
        seeds = []
        for above, _, names in os.walk(folder):
            if "store.db" not in names: continue
            with tempfile.TemporaryDirectory() as copy:
                for name in names:
                    if name.startswith("store.db"): shutil.copy(os.path.join(above, name), copy)
                store = sqlite3.connect(f"{copy}/store.db")
                try: found = store.execute("SELECT value FROM meta WHERE key = 'device seed'").fetchall()
                except sqlite3.Error: found = []
                store.close()
            for (text,) in found:
                seeds.append(bytes.fromhex(text if isinstance(text, str) else text.decode()))
        return seeds
    def commands(self):
        b, c = self.base, self.cue
        lib, vault = f"{b}/lib", f"{b}/vault"
        here = ["--library", lib]
        readers = [(f"cue-read {what}", [sys.executable, self.reader, vault, what])
                   for what in ("list", "check", "events")]
        return [("ls", [c, "ls", *here, "--json"]), ("ls -a", [c, "ls", *here, "--all"]),
               ("log", [c, "log", *here]), ("log NAME", [c, "log", "novel.txt", *here]),
               ("cat", [c, "cat", "novel.txt", *here]), ("diff", [c, "diff", "novel.txt", *here]),
               ("check", [c, "check", "--vault", vault]),
               ("check --read-data", [c, "check", "--vault", vault, "--read-data"]),
               *readers,
               ("restore", [c, "restore", "--vault", vault, "--to", f"{b}/out"]),
               ("conflicts", [c, "conflicts", lib]), ("status", [c, "status", lib]), ("backup", [c, "backup", lib]),
               ("sync", [c, "sync", lib]), ("events list", [c, "events", "list", *here]),
               ("garden", [c, "garden", "show", *here]),
               ("join", [c, "init", f"{b}/lib3", "--vault", vault, "--name", "three"]),
               ("first sync", [c, "sync", f"{b}/lib3"]),
               # What the device knows now must be what the vault says now.
               ("events export", [c, "events", "export", "--library", f"{b}/lib3"]),
               ("cue-read events, later", readers[2][1])]
    def run(self, label, make, seed=None):
        # Restored folders may be deeper than Python's own way of removing them.
        subprocess.run(["rm", "-rf", self.base], check=True)
        shutil.copytree(self.saved, self.base, symlinks=True)
        os.makedirs(f"{self.base}/lib3")
        said, *names = self.forge(make).split() or [""]
        size, codes, ids = {}, {}, {}
        for name, command in self.commands():
            if name in self.args.skip or label in RULES and "check" not in name: continue
            self.runs += 1
            home = f"{self.base}/home3" if name in ("join", "first sync", "events export") else f"{self.base}/home"
            began = time.monotonic()
            with tempfile.TemporaryFile() as out:
                process = subprocess.Popen(command, env=self.environment(home), stdout=out, stderr=out,
                                           stdin=subprocess.DEVNULL, cwd=self.base)
                took, status, usage = self.wait(process, began)
                out.seek(0)
                text = out.read(1 << 26 if "events" in name else 1 << 20).decode("utf-8", "replace")
            memory = usage.ru_maxrss / 1024
            code = os.waitstatus_to_exitcode(status)
            cpu = usage.ru_utime + usage.ru_stime
            size[name] = (cpu, memory)
            if (cpu, memory) > self.worst.get(name, (0, 0, ""))[:2]: self.worst[name] = (cpu, memory, label)
            problem = None
            if label == "nothing" and code not in (0, 3, 4): problem = f"ends with {code}: {text.strip()[-300:]}"
            elif took >= 6 * self.args.seconds: problem = f"did not end in {took:.0f} s"
            elif cpu >= self.args.seconds: problem = f"took {cpu:.1f} s of CPU"
            elif code < 0: problem = f"died by {signal.Signals(-code).name}: {text.strip()[-300:]}"
            elif memory > self.args.memory: problem = f"took {memory:.0f} MiB"
            elif "Traceback" in text: problem = f"a traceback: {text.strip()[-300:]}"
            elif name.startswith("cue-read") and code not in (0, 6):
                problem = f"ends with {code}: {text.strip()[-300:]}"
            elif said == "whole" and "check" in name and code: problem = f"said damage: {text.strip()[-300:]}"
            elif said == "damage" and "check" in name and not code or (
                    said == "lie" and name in ("check --read-data", "cue-read check") and not code):
                problem = "said that all is well"
            if name in ("ls", "cue-read list") and not problem:
                wrong = [word for word in names if (word[1:] in text) != (word[0] == "+")]
                if wrong: problem = f"does not show as it should: {' '.join(wrong)}"
            codes[name] = None if problem else code
            if "events" in name: ids[name] = {self.told(line) for line in text.splitlines() if line.startswith("{")}
            if problem: self.find(label, name, problem)
        pair = codes.get("check --read-data"), codes.get("cue-read check")
        if None not in pair and (pair[0] == 0) != (pair[1] == 0): self.find(label, "both checks", f"end with {pair}")
        pair = ids.get("events export"), ids.get("cue-read events, later")
        # A first sync in this vault ends with questions: 4.
        if codes.get("first sync") in (0, 3, 4) and codes.get("events export") == 0 and pair[0] ^ pair[1]:
            only = [sorted(pair[n] - pair[1 - n])[:5] for n in (0, 1)]
            self.find(label, "events", f"{only[0]} only cue knows, {only[1]} only cue-read.py")
        if self.args.verbose:
            print(f"{label}: " + ", ".join(f"{n} {t:.1f} s {m:.0f} MiB" for n, (t, m) in size.items()), flush=True)
    def told(self, line):
        """An event as one of the two prints it, without what a log adds."""
        try: return json.dumps({**json.loads(line), "created_at": None}, sort_keys=True)[:3000]
        except ValueError: return line[:3000]
    def find(self, label, name, problem):
        self.findings.append((label, name, problem))
        print(f"FOUND  {label}: {name}: {problem}", flush=True)
    def forge(self, make):
        """In a process of its own: the memory of this one would count as that of the programs it starts."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                said = make(Vault(f"{self.base}/vault", self.seeds))
                os.write(writer, (said or "").encode())
                os._exit(0)
            except BaseException as error:
                print(f"the case itself failed: {error!r}", file=sys.stderr, flush=True)
                os._exit(1)
        os.close(writer)
        with os.fdopen(reader) as file: said = file.read()
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]): sys.exit(2)
        return said
    def wait(self, process, began):
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            took = time.monotonic() - began
            if pid:
                process.returncode = 0
                return took, status, usage
            if took >= 6 * self.args.seconds: os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.005)

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cue", default=".build/release/cue")
    parser.add_argument("--minutes", type=float, default=0, help="for how long random cases follow the directed ones")
    parser.add_argument("--most", type=int, default=10**9, help="at most so many random cases")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--random", type=int, default=None, help="only this random case of the seed")
    parser.add_argument("--only", default=None, help="only these directed cases; '' for none")
    parser.add_argument("--skip", default="", help="commands that are not run, by name, with commas")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--memory", type=float, default=256, help="MiB")
    parser.add_argument("--device-seed", metavar="HEX", action="append", default=[],
                        help="sign as this device of the vault too")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.skip = set(filter(None, args.skip.split(",")))
    if args.list: return print("\n".join(CASES))
    seed = args.seed if args.seed is not None else int.from_bytes(os.urandom(4), "big")
    print(f"seed {seed}", flush=True)
    bench = Bench(args)
    try:
        chosen = list(CASES) if args.only is None and args.random is None else []
        for word in filter(None, (args.only or "").split(",")):
            chosen += [word] if word in CASES else [name for name in CASES if name.startswith(word)]
        for name in chosen: bench.run(name, CASES[name])
        end, count = time.monotonic() + 60 * args.minutes, 0
        numbers = [args.random] if args.random is not None else range(args.most)
        for number in numbers:
            if args.random is None and time.monotonic() >= end: break
            def make(v):
                r = random.Random(f"{seed}/{number}")
                chaos = Chaos(v, r)
                for _ in range(r.choice([1, 1, 2, 5])): chaos.object()
            bench.run(f"random {number}", make)
            count += 1
        print(f"{len(chosen)} directed and {count} random cases, {bench.runs} runs, {len(bench.findings)} findings; seed {seed}")
        for name, (took, memory, label) in bench.worst.items():
            print(f"  longest {name:18} {took:6.2f} s {memory:6.0f} MiB  ({label})")
    finally: subprocess.run(["rm", "-rf", bench.root])
    sys.exit(1 if bench.findings else 0)

if __name__ == "__main__": main()
