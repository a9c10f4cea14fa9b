#!/usr/bin/env python3
"""Puts into a vault what no command writes yet: make-frozen-vault.py VAULT SNAPSHOT..., with CUE_PASSPHRASE.

A new device pins the snapshots, gives up old versions, puts the commits in which they stood into a run, and removes their
objects and the content that nobody needs any more. It also takes the place of a batch of events that is lost. Needs what tools/fuzz-vault.py needs, whose writer it uses."""
import importlib.machinery, os, sys
kit = importlib.machinery.SourceFileLoader(
    "kit", os.path.join(os.path.dirname(os.path.abspath(__file__)), "fuzz-vault.py")).load_module()

def main():
    folder, *snapshots = sys.argv[1:]
    passphrase = os.environ["CUE_PASSPHRASE"]
    read = kit.reader.Vault(folder, passphrase.encode())
    v = kit.Vault(folder, passphrase=passphrase, epochs=read.epochs)
    v.use(read.newest[0].key)
    # The old commits: half of those of the first device, but for its first ones.
    places = [c[:3] for c in v.commits]
    first = max(v.devices, key=[p[0] for p in places].count)
    old = sorted((p for p in places if p[0] == first and 5 <= p[1] <= 24), key=lambda p: p[1:])
    there = {p[2] for p in old}
    heads = {h.id for h in read.heads_of(read.commits)}
    shown = {h.id for c in read.snapshots if any(c.id.hex().startswith(s) for s in snapshots)
             for h in read.heads_of(read.reach([c.position]))}
    past = [x for x in read.order if x.id[:8] in there and x.id not in heads | shown and not x.flags & kit.TOMBSTONE]
    past.sort(key=lambda x: (read.commits[x.id[:8]].position[1], x.id))
    pinned, unpinned = past[3], past[5]
    given_up = [x for x in past if x is not pinned]
    # What the others need, and the bases of all blocks that stay.
    needed = {id for x in read.order if x not in given_up and not x.flags & kit.TOMBSTONE
              for m in read.members(x).values() if m.kind == kit.reader.FILE for id in m.chunks}
    blocks = []                                                     # (the pack, ids of chunks, bases)
    for pack in read.packs:
        ids = [[] for _ in pack.blocks]
        for id, owner in zip(pack.ids, pack.owners): ids[owner].append(id)
        blocks += [(pack, set(ids[n]), block[4]) for n, block in enumerate(pack.blocks)]
    def stays(pack, ids): return not (pack.commit in old or pack.id in gone) or ids & needed
    packs = {pack.id for pack, _, _ in blocks if not pack.commit}
    gone, size = packs, -1
    while size < len(needed):
        size = len(needed)
        gone = {id for id in packs if not any(ids & needed for pack, ids, _ in blocks if pack.id == id)}
        for pack, ids, bases in blocks:
            if stays(pack, ids): needed.update(bases)
    content = v.pack_of(old, wanted=lambda block: bool(set(block[1]) & needed))
    time = max(c.time for c in read.commits.values()) + 1000
    lone = [kit.pinned(bytes.fromhex(s), b"a state to keep") for s in snapshots]
    lone += [kit.pinned(pinned.id, b"as it was read aloud"), kit.pinned(unpinned.id)]
    id, later = os.urandom(8), os.urandom(8)
    records = [(kit.DEVICE, kit.device(v.own(b"frozen"), b"the device that prunes", time))]
    records += [(kit.PINNED, body) for body in lone]
    v.commit([kit.record(kit.COMMIT, kit.commit(time=time, flags=0, seen=v.ends()))]
             + [kit.record(*one) for one in records], b"frozen", 1, id)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures/plan-1/ada.plan"), "rb") as file: plan = file.read()
    v.commit([kit.record(kit.COMMIT, kit.commit(id, time + 1000, 0)),
              kit.record(kit.UNPINNED, kit.many([kit.number(id, len(lone) - 1)])),
              kit.record(kit.RETIRED, kit.retired([x.id for x in given_up], sorted(gone), old)),
              kit.record(kit.PLAN, kit.lengthed(plan))], b"frozen", 2, later)
    v.commit([kit.record(kit.COMMIT, kit.commit(later, time + 2000, 0)),
              kit.record(kit.ACKNOWLEDGED, kit.many([kit.number(later, 0)]))], b"frozen", 3)
    v.run(old, b"frozen", packs=[content])
    v.remove(*old)
    # One pack that was given up is there still: a reader may use it, and needs it for nothing.
    for pack in sorted(gone)[1:]: os.unlink(f"{folder}/{kit.reader.pack_name(pack)}")
    # The first batch of events of another device is lost, and the new device still knows what was in it.
    name, lost = next((name, p) for name, p in read.log("events") if p[0] != first and p[1] == 1)
    events = [kit.record(kind, body) for kind, body in kit.parse(v.opened(kit.EVENTS, name)) if kind == kit.EVENT]
    v.batch([kit.record(kit.BATCH, bytes(8) + kit.svarint(time)), kit.record(kit.REPLACED, kit.place(*lost)), *events], b"frozen")
    os.unlink(f"{folder}/{name}")
    print(f"{len(given_up)} versions and {len(gone)} packs given up, {len(old)} commits in a run")

main()
