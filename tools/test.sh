#!/usr/bin/env bash
# Runs the tests. Where some fail it says at the end which and why, then the runner's closing line once more:
# the tests run side by side, and a failure stands somewhere in ten thousand lines.
#   tools/test.sh COMMAND [ARGUMENT ...]
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p .build
log=.build/tests.log

"$@" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
if [ "$code" != 0 ]; then
  printf '\nWhat failed (all of it is in %s):\n' "$log"
  grep -aE -A 2 'recorded an issue|error: ' "$log" |
    grep -avE '(started|passed after .* seconds)\.$|^--$|Test run with ' | cut -c -600 | head -60
  grep -aE '^. Test run with ' "$log" | tail -1
fi
exit "$code"
