#!/usr/bin/env python3
"""Prints events of a garden, one JSON object a line: tools/make-events.py 1000000 > events.jsonl. The same number gives the same events."""
import datetime, json, random, sys

count, chance = int(sys.argv[1]), random.Random(1)
time, growing = datetime.datetime(2020, 1, 1), []
for number in range(count):
    time += datetime.timedelta(seconds=chance.randint(1, 300))
    text = time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{chance.randint(0, 999):03d}Z"
    what = chance.random()
    if not growing or what < 0.05:
        growing.append(f"sprout-{number}")
        kind, payload = "sprout_planted", {
            "sproutId": growing[-1], "twigId": f"branch-{chance.randint(0, 7)}-twig-{chance.randint(0, 7)}",
            "title": f"Chapter {number}", "season": "2w", "environment": "fertile", "soilCost": 2, "leafId": "leaf-1"}
    elif what < 0.08:
        sprout = growing.pop(chance.randrange(len(growing)))
        kind, payload = "sprout_harvested", {
            "sproutId": sprout, "result": chance.randint(1, 5), "capacityGained": 0.01}
    elif what < 0.2:
        kind, payload = "sun_shone", {
            "twigId": "branch-0-twig-1", "twigLabel": "x", "content": f"The sun shone on page {number}"}
    else:
        kind, payload = "sprout_watered", {
            "sproutId": chance.choice(growing[-50:]), "content": f"Wrote about the lamp and the sea {number}"}
    print(json.dumps({"type": kind, "payload": payload, "client_id": f"{text}-{number:08x}", "client_timestamp": text},
                     separators=(",", ":")))
