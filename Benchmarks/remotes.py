#!/usr/bin/env python3
"""cue beside restic and rclone crypt on one S3 server: a first backup, an unchanged one, one after a day's edits, a restore
(compared byte by byte), and a check.

    remotes.py FOLDER --endpoint http://127.0.0.1:8333 --key KEY --secret SECRET [--delay 50] [--cue PATH] [--tools cue,restic,rclone]

Between each tool and the server stands a proxy in this process that delays what the tool sends by so many milliseconds, and
counts requests and bytes. CPU is that of the tool. `make test-s3` shows how a server is started.
"""
import argparse, asyncio, json, os, random, resource, shutil, subprocess, sys, tempfile, threading, time
from urllib.parse import urlparse


class Proxy:
    """Passes bytes on, those of the tool after a delay; one thread of its own."""

    def __init__(self, target, delay):
        self.target, self.delay, self.requests, self.up, self.down = target, delay, 0, 0, 0
        self.loop, ready = asyncio.new_event_loop(), threading.Event()

        async def main():
            server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 20)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()
            await server.serve_forever()

        threading.Thread(target=lambda: self.loop.run_until_complete(main()), daemon=True).start()
        ready.wait()

    async def serve(self, reader, writer):
        try:
            there, back = await asyncio.open_connection(*self.target, limit=1 << 20)
            await asyncio.gather(self.send(reader, back), self.bring(there, writer))
        except OSError:
            pass
        finally:
            writer.close()

    async def send(self, reader, writer):
        queue = asyncio.Queue(maxsize=256)

        async def forward():
            while True:
                due, data = await queue.get()
                wait = due - self.loop.time()
                if wait > 0: await asyncio.sleep(wait)
                if not data: break
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof(): writer.write_eof()

        task = asyncio.ensure_future(forward())
        try:
            while True:
                data = await reader.read(1 << 18)
                self.up += len(data)
                # Counted this way as a search by pattern takes seconds for what a backup sends. Sealed bytes do not have it.
                self.requests += data.count(b" HTTP/1.1\r\n")
                await queue.put((self.loop.time() + self.delay, data))
                if not data: break
            await task
        except OSError:
            task.cancel()

    async def bring(self, reader, writer):
        try:
            while data := await reader.read(1 << 18):
                self.down += len(data)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass

    def take(self):
        found = (self.requests, self.up, self.down)
        self.requests = self.up = self.down = 0
        return found


def edit(folder, seed):
    """A day's work: a sentence more in one file of fifty, and one new file."""
    chance = random.Random(seed)
    names = sorted(os.path.join(p, f) for p, _, fs in os.walk(folder) for f in fs if not p.endswith(".cue"))
    for name in chance.sample(names, max(1, len(names) // 50)):
        with open(name, "r+b") as file:
            file.seek(0, 2)
            file.write(b"\nOne more sentence of the day %d.\n" % chance.randrange(1 << 30))
    with open(os.path.join(folder, "new of the day.md"), "w") as file: file.write("new\n" * 500)


def touch_memory(folder, size=2 << 30):
    """Writes a file and removes it. A virtual machine takes memory from its host when it is first used, which takes longer
    than all else where the folders of the tools lie in memory; so each step begins with memory that is there."""
    name = os.path.join(folder, "memory")
    with open(name, "wb") as file:
        for _ in range(size >> 20): file.write(bytes(1 << 20))
    os.unlink(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder"); parser.add_argument("--endpoint", required=True); parser.add_argument("--key", required=True)
    parser.add_argument("--secret", required=True); parser.add_argument("--bucket", default="vault")
    parser.add_argument("--delay", type=float, default=0); parser.add_argument("--cue", default=".build/release/cue")
    parser.add_argument("--tools", default="cue,restic,rclone"); parser.add_argument("--json")
    a = parser.parse_args()
    address = urlparse(a.endpoint)
    proxy = Proxy((address.hostname, address.port), a.delay / 1000)
    endpoint, run, rows = f"http://127.0.0.1:{proxy.port}", f"bench-{time.time_ns()}", {}
    for tool in a.tools.split(","):
        work = tempfile.mkdtemp(prefix="cue-remotes-")
        source, out = work + "/source", work + "/out"
        shutil.copytree(a.folder, source, symlinks=True)
        os.mkdir(out)
        env = dict(os.environ, AWS_ACCESS_KEY_ID=a.key, AWS_SECRET_ACCESS_KEY=a.secret, CUE_HOME=work + "/home",
                   CUE_PASSPHRASE="correct horse battery staple", RESTIC_PASSWORD="correct horse", XDG_CACHE_HOME=work + "/cache",
                   RESTIC_CACHE_DIR=work + "/cache", AWS_REGION="us-east-1")
        env.pop("AWS_CA_BUNDLE", None)
        place = f"s3://{a.bucket}/{run}/{tool}?endpoint={endpoint}"
        restic = ["restic", "-q", "-o", "s3.bucket-lookup=path", "-r", f"s3:{endpoint}/{a.bucket}/{run}/{tool}"]
        rclone = ["rclone", "--config", work + "/rclone.conf", "-q"]
        commands = {
            "cue": {"init": [a.cue, "init", source, "--vault", place], "first": [a.cue, "backup", source],
                    "restore": [a.cue, "restore", "--vault", place, "--to", out], "check": [a.cue, "check", source, "--read-data"]},
            "restic": {"init": restic + ["init"], "first": restic + ["backup", source],
                       "restore": restic + ["restore", "latest", "--target", out], "check": restic + ["check", "--read-data"]},
            "rclone": {"init": ["sh", "-c", " ".join(rclone) + f" config create s s3 provider=Other endpoint={endpoint} access_key_id={a.key} "
                                f"secret_access_key={a.secret} force_path_style=true >/dev/null && " + " ".join(rclone)
                                + f" config create c crypt remote=s:{a.bucket}/{run}/rclone password=$(rclone obscure hello) >/dev/null"],
                       "first": rclone + ["sync", source, "c:"], "restore": rclone + ["copy", "c:", out],
                       "check": rclone + ["check", "--download", source, "c:"]},
        }[tool]
        for step in ["init", "first", "unchanged", "edited", "restore", "check"]:
            if step == "edited": edit(source, 7)
            if step == "edited": time.sleep(1)
            touch_memory(work)
            proxy.take()
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run(commands.get(step, commands["first"]), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            requests, up, down = proxy.take()
            rows.setdefault(step, {})[tool] = dict(
                wall=wall, cpu=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, requests=requests, up=up,
                down=down, memory=after.ru_maxrss // 1024, ok=done.returncode == 0)
            if done.returncode: print(tool, step, done.stderr.decode()[-400:], file=sys.stderr)
            row = rows[step][tool]
            print(f"{tool:8} {step:10} {row['wall']:7.2f} s  {row['cpu']:6.2f} s CPU  {requests:6} requests  {up / 1e6:8.1f} MB up  "
                  f"{down / 1e6:8.1f} MB down", flush=True)
            if step == "restore":
                root = out + source if tool == "restic" else out
                same = subprocess.run(["diff", "-r", "-x", ".cue", source, root], stdout=subprocess.DEVNULL).returncode == 0
                print(f"{tool:8} restored {'the same' if same else 'NOT the same'}", flush=True)
        shutil.rmtree(work, ignore_errors=True)
    if a.json:
        with open(a.json, "w") as file: json.dump(rows, file, indent=1)


main()
