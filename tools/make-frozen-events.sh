#!/usr/bin/env bash
# Makes fixtures/events-1/vault anew, of fixtures/events-1/events.jsonl: two devices, each with a part of the events, one of
# them in two batches. Run once for a format, never again. Needs the release build.
set -euo pipefail
cue=$(realpath "$1")
here=$(cd "$(dirname "$0")/.." && pwd)
out=$here/fixtures/events-1
[ ! -e "$out/vault" ] || { echo "$out/vault is there already; a frozen vault is not made anew" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUE_PASSPHRASE='two lamps on the quay'
on() { CUE_HOME=$work/home-$1 "$cue" "${@:2}"; }
for device in first second; do
    mkdir "$work/$device"
    on "$device" init --quiet "$work/$device" --vault "$work/vault" --name "the $device device" --kdf-memory 64 >"$work/code" 2>/dev/null
done
part() { sed -n "$2p" "$out/events.jsonl" | on "$1" events import --quiet - --library "$work/$1"; on "$1" sync --quiet "$work/$1"; }
part first 1,3
part second 4,5
part first '6,$'
on second sync --quiet "$work/second"
on second events export --library "$work/second" | diff "$out/events.jsonl" -
[ "$(find "$work/vault/events" -type f | wc -l)" = 3 ]
"$cue" check --quiet --read-data --vault "$work/vault"
cp -a "$work/vault" "$out/vault"
rmdir "$out/vault/tmp" 2>/dev/null || true
