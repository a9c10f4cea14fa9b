#!/usr/bin/env bash
# A day with cue, told in numbers: back up a library, edit it, bring every state back, and compare byte by byte.
#
#     tools/demo.sh CUE_BINARY          (make demo calls it after the release build)
#
# Needs bash, coreutils, findutils and python3. Works in a temporary folder that is gone afterwards. Exit code 0 only if all is the same.
set -euo pipefail

fail() { printf '\nFAILED: %s\n' "$1" >&2; exit 1; }

[ $# -eq 1 ] || { echo "usage: $0 CUE_BINARY" >&2; exit 2; }
cue=$(realpath -- "$1")
[ -x "$cue" ] || { echo "$0: there is no program at $1 (build it first: make build)" >&2; exit 2; }
command -v python3 >/dev/null || { echo "$0: needs python3 (3.9 or newer), which compares the folders" >&2; exit 2; }
here=$(cd -- "$(dirname -- "$0")" && pwd)

work=$(mktemp -d "${TMPDIR:-/tmp}/cue-demo.XXXXXX")
finish() { chmod -R u+rwX "$work" 2>/dev/null || true; rm -rf -- "$work"; }   # some folders are read-only on purpose
trap finish EXIT
trap 'exit 130' INT TERM

# Nothing of the user's own cue is touched or read.
for name in ${!CUE_@}; do unset "$name"; done
export HOME="$work/home" CUE_HOME="$work/state" NO_COLOR=1
unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME
mkdir "$HOME"
passphrase='a gull remembers the bridge'
export CUE_PASSPHRASE="$passphrase"
device='Desk at the north window'
library="$work/The Writing Library – été"
vault="$work/vault"
ignored=(--ignored .DS_Store --ignored '._*' --ignored '~$*' --ignored '.~lock.*' --ignored '*.tmp' --ignored '*.swp'
         --ignored '*.bak' --ignored 'Scratch/loose*')   # the last two: fixtures/library/.cueignore

# --- small helpers ---------------------------------------------------------------------------------------------------
step=0 entries=0 restores=0
say() { step=$((step + 1)); printf '%2d. %s\n' "$step" "$1"; }
commas() { local n=$1 out=; while [ "$n" -ge 1000 ]; do out=$(printf ',%03d' $((n % 1000)))$out; n=$((n / 1000)); done; echo "$n$out"; }
size() { local b=$1; if [ "$b" -ge 1048576 ]; then echo "$((b / 1048576)).$((b % 1048576 * 10 / 1048576)) MiB"; elif [ "$b" -ge 1024 ]; then echo "$((b / 1024)) KiB"; else echo "$b bytes"; fi; }
files_in() { { find "$1" -type f -printf x 2>/dev/null || true; } | wc -c; }
bytes_in() { { find "$1" -type f -printf '%s\n' 2>/dev/null || true; } | python3 -c 'import sys; print(sum(map(int, sys.stdin)))'; }
json() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get(sys.argv[2], ""))' "$@"; }
# run WHAT COMMAND…: runs it, sets $took; anything but exit code 0 ends the demo with the program's own words
run() {
    local what=$1 start code=0; shift
    sync -f "$work"   # so that no step pays for the writing of the one before
    start=$(date +%s%N)
    "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    local ms=$((($(date +%s%N) - start) / 1000000))
    took="$((ms / 1000)).$(printf '%02d' $((ms % 1000 / 10))) s"
    [ "$code" -eq 0 ] || { cat "$work/out" "$work/err" >&2; fail "$what ended with exit code $code."; }
}
backup() { run "the backup" "$cue" backup "$library" --json; cp "$work/out" "$work/backup.json"; }
# same ORIGINAL RESTORED: compares names, kinds, bytes, modes, times (ns), link targets, empty folders and attributes
same() {
    local result
    result=$(python3 "$here/compare-trees.py" "$1" "$2" "${ignored[@]}") || { echo "$result" | tail -n 40 >&2; fail "what came back is not what was there ($3)."; }
    result=${result##*$'\n'}; compared=${result%% *}
    entries=$((entries + compared)); restores=$((restores + 1))
    chmod -R u+rwX "$2"; rm -rf -- "$2"
}
# elsewhere COMMAND…: as on a new machine, where nothing is known but what the command says
elsewhere() { rm -rf "$work/elsewhere"; CUE_HOME="$work/elsewhere" "$@"; }

# --- the library -----------------------------------------------------------------------------------------------------
cp -a "$here/../fixtures/library" "$library"
python3 "$here/make-fixtures.py" --extras "$library"
real=
for tree in /usr/share/doc /usr/share/perl /usr/share/man /usr/include /usr/lib/python3 /usr/share; do
    [ -d "$tree" ] || continue
    n=$(files_in "$tree")
    [ "$n" -ge 1000 ] && [ "$n" -le 30000 ] && [ "$(bytes_in "$tree")" -le $((150 * 1048576)) ] || continue
    real=$tree; break
done
if [ -n "$real" ]; then
    mkdir "$library/Reference"
    cp -a "$real" "$library/Reference/" 2>/dev/null || true   # what this user may not read is not in the library
fi
say "A library of $(commas "$(files_in "$library")") files, $(size "$(bytes_in "$library")"): the fixtures, the odd corners of a file system${real:+, and $real}."

# --- a day -----------------------------------------------------------------------------------------------------------
run "init" "$cue" init "$library" --vault "$vault" --name "$device"
code=$(python3 - "$work/out" "$work/err" <<'PY'
import re, sys
found = re.search(r"(?:[0-9A-HJKMNP-TV-Z]{4}[-\s]+){8}[0-9A-HJKMNP-TV-Z]{4}", "\n".join(open(p, errors="replace").read() for p in sys.argv[1:]))
print(re.sub(r"\s+", "-", found.group()) if found else "")
PY
)
[ -n "$code" ] || fail "init printed no recovery code (nine groups of four characters)."
say "A vault and its two keys, a passphrase and a recovery code: $took."

backup; first=$(json "$work/backup.json" snapshot)
say "First backup: $took, the vault holds $(size "$(bytes_in "$vault")"). Snapshot $first."

backup
[ "$(json "$work/backup.json" new)" = 0 ] && [ "$(json "$work/backup.json" changed)" = 0 ] || fail "a backup with nothing changed found something changed: $(cat "$work/backup.json")"
say "Second backup, nothing changed: $took, $(size "$(json "$work/backup.json" added_bytes)") added."

cp -a "$library" "$work/yesterday"
scene=$(python3 -c 'import glob, sys; print(sorted(glob.glob(sys.argv[1] + "/Novel.scriv/Files/Data/*/content.rtf"))[2])' "$library")
printf '{\\rtf1\\ansi\\ansicpg1252\\uc1 The scene is new from its first word. Nobody had warned the caf\\'"'"'e9.\\par\n}' >"$scene"
printf '\nAnd that was the second time the tide was late.\n' >>"$library/Salt and Iron/02 Salt.md"
mv "$library/Short stories/The Clockmaker's Apprentice.md" "$library/Short stories/The forty-fifth clock.md"
rm "$library/Journal/2024/2024-10-28.txt"
printf '# The boat back\n\nIt left at six, with nobody on it.\n' >"$library/Salt and Iron/06 The boat back.md"
chmod 600 "$library/Letter to the editor.docx"
before=$(bytes_in "$vault")
backup; second=$(json "$work/backup.json" snapshot)
[ "$second" != "$first" ] || fail "a backup after edits gave the same snapshot again."
say "A day's work (a scene rewritten, a chapter longer, one document renamed, one deleted, one new, one mode changed): $took, the vault grew by $(size $(($(bytes_in "$vault") - before)))."

# --- everything back -------------------------------------------------------------------------------------------------
out="$work/restored"
run "the restore of the latest state" "$cue" restore --vault "$vault" --to "$out"
same "$library" "$out" "the latest state"
say "The latest state restored: $took, $(commas "$compared") entries compared."

run "the restore of snapshot $first" "$cue" restore --vault "$vault" --at "$first" --to "$out"
same "$work/yesterday" "$out" "snapshot $first"
say "Yesterday's state restored (--at $first): $took, $(commas "$compared") entries compared."

run "the restore on another machine" elsewhere "$cue" restore --vault "$vault" --to "$out"
same "$library" "$out" "on another machine"
say "On another machine, with the vault and the passphrase and nothing else: $took, $(commas "$compared") entries compared."

CUE_PASSPHRASE="$code" run "the restore with the recovery code" elsewhere "$cue" restore --vault "$vault" --to "$out"
same "$library" "$out" "with the recovery code"
say "The passphrase forgotten, with the recovery code: $took, $(commas "$compared") entries compared."

status=0; CUE_PASSPHRASE="not the passphrase" elsewhere "$cue" restore --vault "$vault" --to "$out" >"$work/out" 2>"$work/err" </dev/null || status=$?
[ "$status" -eq 5 ] || fail "with a wrong passphrase the exit code is $status, not 5."
[ -z "$(ls -A "$out" 2>/dev/null)" ] || fail "with a wrong passphrase something was restored."
say "With a wrong passphrase: refused."

run "the check" "$cue" check "$library" --read-data
say "Every byte in the vault read and proved (check --read-data): $took."

# --- what the vault shows --------------------------------------------------------------------------------------------
python3 - "$vault" "$here/../fixtures/library" "$library" "$passphrase" "$device" "$code" >"$work/search" <<'PY' || { cat "$work/search" >&2; fail "the vault shows something that it must not show."; }
import os, re, sys
vault, fixtures, library, *secrets = sys.argv[1:]
needles = {os.fsencode(s) for s in secrets} | {os.fsencode(os.path.basename(library)), os.fsencode(library)}
plain = bytearray()
for folder, folders, files in os.walk(os.fsencode(fixtures)):
    needles |= {n for n in files + folders}
    for name in files:
        text = open(os.path.join(folder, name), "rb").read()
        plain += text + name + b"".join(folders)
        lines = [l for l in re.split(rb"[\r\n]+", text) if len(l) >= 24 and max(l) >= 97]
        needles |= {l[:24] for l in lines[:2]}                       # the beginning of a document
        needles |= set(re.findall(rb"<Title>([^<]+)", text))         # titles in the binder
needles = {n for n in needles if len(n) >= 8}                        # eight bytes do not occur by chance
assert sum(n in plain for n in needles) > 40, "the search itself is broken: it does not find the fixtures in the fixtures"
found, read, objects = [], 0, 0
for folder, folders, files in os.walk(os.fsencode(vault)):
    for name in files:
        path = os.path.join(folder, name)
        data = os.path.relpath(path, os.fsencode(vault)) + b"\n" + open(path, "rb").read()
        read += len(data); objects += 1
        found += [(n, path) for n in needles if n in data]
for n, path in found: print("found", n, "in", path)
print(len(needles), read, objects)
sys.exit(1 if found else 0)
PY
read -r needles read objects < <(tail -n 1 "$work/search")
say "Searched all $(size "$read") of the vault ($(commas "$objects") objects and their names) for $needles known sentences, titles and names: none is there."

if [ -f "$here/cue-read.py" ] && [ -n "${PYTHON:-}" ]; then
    run "tools/cue-read.py" "$PYTHON" "$here/cue-read.py" "$vault" restore "$out"
    same "$library" "$out" "tools/cue-read.py"
    say "Without cue at all, by the page docs/format.md (tools/cue-read.py): $took, $(commas "$compared") entries compared."
else
    say "tools/cue-read.py (reads a vault without cue) not tried: it needs the Python packages cryptography, argon2-cffi and zstandard."
fi

printf '\nEverything came back the same: %s restores, %s entries compared, 0 differences.\n' "$restores" "$(commas "$entries")"
