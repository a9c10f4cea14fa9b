#!/usr/bin/env bash
# Makes fixtures/vault-1 anew: a vault of format 2 that every later version must read. Run once for a format, never again:
# the committed bytes are the promise. Needs the release build, and what tools/fuzz-vault.py needs. Every kind of record is in it.
set -euo pipefail
cue=$(realpath "$1")
here=$(cd "$(dirname "$0")/.." && pwd)
out=$here/fixtures/vault-1
[ ! -e "$out" ] || { echo "$out is there already; a frozen vault is not made anew" >&2; exit 1; }
work=$(mktemp -d)
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
export CUE_HOME=$work/home CUE_PASSPHRASE='frozen in 2026'
cp -a "$here/fixtures/library" "$work/library"
python3 "$here/tools/make-fixtures.py" --extras "$work/library" >/dev/null
# Enough for several chunks, and little enough to keep for ever.
find "$work/library" -type f -size +200k -exec truncate -s 200000 {} +
code=$("$cue" init --quiet "$work/library" --vault "$work/vault" --name "the first device" --kdf-memory 64)
"$cue" backup --quiet "$work/library"
# What came back, once it was compared with what was there.
state() {
    "$cue" restore --quiet --vault "$work/vault" --to "$work/out-$1"
    python3 "$here/tools/compare-trees.py" "$work/library" "$work/out-$1" --ignored .DS_Store --ignored '._*' --ignored '~$*' \
        --ignored '.~lock.*' --ignored '*.tmp' --ignored '*.swp' --ignored 'Scratch/loose*' --ignored '*.bak'
    python3 "$here/tools/compare-trees.py" --list "$work/out-$1" >"$work/state-$1"
}
state 1
first=$("$cue" log --library "$work/library" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["snapshots"][0]["snapshot"])')
# What is written from here on has another key, and one more passphrase opens all of it.
printf 'another in 2026\n' >"$work/another"
chmod 600 "$work/another"
"$cue" key add --quiet --library "$work/library" --label 'the second device' --new-passphrase-file "$work/another" --kdf-memory 64 2>/dev/null
"$cue" key renew --quiet --library "$work/library"
# Another device, and a third one that is shut out; what that stored meanwhile comes later.
on() { CUE_HOME=$work/home-$1 "$cue" "${@:2}" --quiet; }
other() {
    mkdir "$work/library-$1"
    on "$1" init "$work/library-$1" --vault "$work/vault" --name "the $1 device"
    on "$1" sync "$work/library-$1"
    printf 'By the %s device.\n' "$1" >"$work/library-$1/Journal/$1.md"
    on "$1" sync "$work/library-$1"
}
other second
other third
"$cue" sync --quiet "$work/library"
cp -a "$work/vault" "$work/meanwhile"
printf 'Too late.\n' >>"$work/library-third/Journal/third.md"
printf 'Too late.\n' >"$work/library-third/Journal/late.md"
on third sync "$work/library-third"
mv "$work/vault" "$work/late"
mv "$work/meanwhile" "$work/vault"
"$cue" device shut-out --quiet 'the third device' --library "$work/library"
cp -an "$work/late/." "$work/vault"
# What two devices set for projects, and what happened.
"$cue" project set --quiet 'Short stories' --title 'Stories for the winter' --deadline 2027-01-31 --library "$work/library"
python3 "$here/tools/make-events.py" 20 >"$work/events.jsonl"
"$cue" events import --quiet "$work/events.jsonl" --library "$work/library"
"$cue" sync --quiet "$work/library"
on second sync "$work/library-second"
on second project set 'Short stories' --nudge daily --at 18:30 --library "$work/library-second"
on second sync "$work/library-second"
# Enough saves for a checkpoint. They make deltas, in commits and in none but them; a few others make packs.
scene=$(find "$work/library/Novel.scriv" -name content.rtf | sort | sed -n 5p)
for save in $(seq 40); do
    sed -i '$ d' "$scene"
    printf 'And the light went on turning, for the %sth time.\\\n}\n' "$save" >>"$scene"
    printf 'Line %s of a page that grows.\n' "$save" >>"$work/library/Journal/growing.md"
    "$cue" backup --quiet "$work/library"
    case $save in 6|9|12)
        python3 -c "import random; print(random.Random($save).randbytes(70000).hex())" >"$work/library/Journal/numbers.md"
        "$cue" backup --quiet "$work/library" ;;
    esac
done
# A day's work: a scene edited, a document renamed, one deleted, one new.
scene=$(find "$work/library/Novel.scriv" -name content.rtf | sort | sed -n 3p)
printf 'and the light went on turning.}\n' >>"$scene"
mv "$work/library/Salt and Iron/02 Salt.md" "$work/library/Salt and Iron/02 Salt and bread.md"
rm "$work/library/Salt and Iron/05 Nineteenth of June.md"
printf '# A new page\n' >"$work/library/Journal/new.md"
"$cue" sync --quiet "$work/library"
state 2
second=$("$cue" log --library "$work/library" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["snapshots"][0]["snapshot"])')
python3 "$here/tools/make-frozen-vault.py" "$work/vault" "$first" "$second"
"$cue" check --read-data --vault "$work/vault"
python3 "$here/tools/cue-read.py" "$work/vault" check
for state in 1 2; do
    at=$([ $state = 1 ] && echo "$first" || echo "$second")
    "$cue" restore --quiet --vault "$work/vault" --to "$work/again-$state" --at "$at"
    python3 "$here/tools/compare-trees.py" --list "$work/again-$state" | cmp - "$work/state-$state"
done
mkdir -p "$out"
cp -a "$work/vault" "$out/vault"
rmdir "$out/vault/tmp" 2>/dev/null || true
cp "$work/state-1" "$work/state-2" "$out/"
printf '{"passphrase": "%s", "another": "another in 2026", "recovery_code": "%s", "snapshots": ["%s", "%s"]}\n' "$CUE_PASSPHRASE" "$code" "$first" "$second" >"$out/secrets.json"
