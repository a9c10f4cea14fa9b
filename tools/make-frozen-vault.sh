#!/usr/bin/env bash
# Makes fixtures/vault-1 anew: a vault of format 2 that every later version must read. Run once for a format, never again:
# the committed bytes are the promise. Needs the release build.
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
# Enough saves for a checkpoint. They make deltas, in commits and in none but them.
scene=$(find "$work/library/Novel.scriv" -name content.rtf | sort | sed -n 5p)
for save in $(seq 40); do
    sed -i '$ d' "$scene"
    printf 'And the light went on turning, for the %sth time.\\\n}\n' "$save" >>"$scene"
    printf 'Line %s of a page that grows.\n' "$save" >>"$work/library/Journal/growing.md"
    "$cue" backup --quiet "$work/library"
done
# A day's work: a scene edited, a document renamed, one deleted, one new.
scene=$(find "$work/library/Novel.scriv" -name content.rtf | sort | sed -n 3p)
printf 'and the light went on turning.}\n' >>"$scene"
mv "$work/library/Salt and Iron/02 Salt.md" "$work/library/Salt and Iron/02 Salt and bread.md"
rm "$work/library/Salt and Iron/05 Nineteenth of June.md"
printf '# A new page\n' >"$work/library/Journal/new.md"
"$cue" backup --quiet "$work/library"
state 2
second=$("$cue" log --library "$work/library" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["snapshots"][0]["snapshot"])')
mkdir -p "$out"
cp -a "$work/vault" "$out/vault"
rmdir "$out/vault/tmp" 2>/dev/null || true
cp "$work/state-1" "$work/state-2" "$out/"
printf '{"passphrase": "%s", "another": "another in 2026", "recovery_code": "%s", "snapshots": ["%s", "%s"]}\n' "$CUE_PASSPHRASE" "$code" "$first" "$second" >"$out/secrets.json"
