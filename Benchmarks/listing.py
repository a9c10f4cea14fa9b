#!/usr/bin/env python3
"""How long the names of a large vault take: time, CPU and memory of a pull that lists everything, and of the next one.

    listing.py [--objects 1000000] [--devices 10] [--delay MS]

A server in this process speaks as much of S3 as a listing needs. Half of the objects are commits, of so many devices; half are packs.
It counts requests and bytes; --delay is what each answer waits. `cue-listing` lists as a pull does: the log, the packs, and the log
again with the cursor of the first time. It is built with

    CUE_PARTS=cue-listing swift build -c release --scratch-path Benchmarks/.build --product cue-listing
"""
import argparse, bisect, http.server, json, os, random, subprocess, sys, threading, time, urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = 1000


def names(objects, devices):
    r = random.Random(7)
    hexadecimal = lambda digits: f"{r.getrandbits(4 * digits):0{digits}x}"
    log = [f"v/log/{device}/{number:010}-{hexadecimal(16)}" for device in (hexadecimal(32) for _ in range(devices))
           for number in range(1, objects // 2 // devices + 1)]
    packs = [f"v/packs/{name[:2]}/{name}" for name in (hexadecimal(32) for _ in range(objects - len(log)))]
    return sorted(log + packs)


class Bucket(http.server.BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        prefix, after = query.get("prefix", ""), query.get("start-after", "")
        start = max(bisect.bisect_left(self.all, prefix), bisect.bisect_right(self.all, after))
        keys = min(PAGE, int(query.get("max-keys", PAGE)))
        page = self.all[start:start + keys + 1]
        while page and not page[-1].startswith(prefix): page.pop()
        more = len(page) > keys
        entries = "".join(
            f"<Contents><Key>{name}</Key><LastModified>2026-11-25T11:00:00.000Z</LastModified><ETag>&quot;{name[-32:]}&quot;</ETag>"
            f"<Size>{4096 + index}</Size><StorageClass>STANDARD</StorageClass></Contents>" for index, name in enumerate(page[:keys]))
        body = (f'<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>vault</Name>'
                f"<Prefix>{prefix}</Prefix><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>{str(more).lower()}</IsTruncated>"
                f"{entries}</ListBucketResult>").encode()
        self.count["requests"] += 1
        self.count["bytes"] += len(body)
        if self.delay: time.sleep(self.delay)
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_): pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--devices", type=int, default=10)
    parser.add_argument("--delay", type=float, default=0)
    options = parser.parse_args()
    Bucket.all, Bucket.count, Bucket.delay = names(options.objects, options.devices), {"requests": 0, "bytes": 0}, options.delay / 1000
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    program = subprocess.Popen([f"{HERE}/.build/release/cue-listing", f"http://127.0.0.1:{server.server_port}"], stdout=subprocess.PIPE, text=True,
                               bufsize=1, env={k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")})
    print(f"{options.objects:,} objects, {options.devices} devices, {options.delay:g} ms\n\n| step | names | requests | MB | wall s | CPU s | peak MiB |\n"
          "| --- | --: | --: | --: | --: | --: | --: |")
    before = dict(Bucket.count)
    for line in program.stdout:
        step, now = json.loads(line), dict(Bucket.count)
        print(f"| {step['step']} | {step['names']:,} | {now['requests'] - before['requests']:,} | {(now['bytes'] - before['bytes']) / 1e6:.1f} "
              f"| {step['wall']:.2f} | {step['cpu']:.2f} | {step['peak'] / 1024:.0f} |", flush=True)
        before = now
    sys.exit(program.wait())


if __name__ == "__main__": main()
