#!/usr/bin/env bash
# Runs the tests. Those that fail run once more, alone: one that passes then is flaky, is named as such at the end, and
# is to be mended; one that fails again fails the run. What failed, and why, stands at the end with the runner's closing
# line, because the tests run side by side and a failure stands somewhere in ten thousand lines.
#   tools/test.sh COMMAND [ARGUMENT ...]
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p .build
log=.build/tests.log
results=.build/tests.xml

# The tests that failed, a line each: as the runner's --filter wants them, or with a space before a sentence for people.
failed() {
  python3 - "${results%.xml}-swift-testing.xml" "$1" <<'PYTHON'
import re, sys, xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).iter("testcase"):
    if case.find("failure") is None: continue
    suite, name = case.get("classname"), case.get("name")
    # The runner puts a dot before a function that is in no suite.
    print(f"^{re.escape(suite)}[./]{re.escape(name)}(/|$)" if sys.argv[2] == "filters" else f"  {suite}/{name}")
PYTHON
}

explain() {
  grep -aE -A 2 'recorded an issue|error: ' "$1" |
    grep -avE '(started|passed after .* seconds)\.$|^--$|Test run with ' | cut -c -600 | head -60
}

closing_line() { grep -aE '^. Test run with ' "$1" | tail -1; }

rm -f "${results%.xml}"*.xml
"$@" --xunit-output "$results" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
[ "$code" = 0 ] && exit 0

printf '\nWhat failed (all of it is in %s):\n' "$log"
explain "$log"
filters=()
while IFS= read -r filter; do filters+=(--filter "$filter"); done < <(failed filters 2>/dev/null)
# Without a result of each test the run did not come to its end: a build that failed, or a crash.
if [ "${#filters[@]}" = 0 ] || [ "${#filters[@]}" -gt 40 ]; then
  closing_line "$log"
  exit "$code"
fi
names=$(failed names)

printf '\nOnce more, alone:\n'
again=.build/tests-again.log
"$1" test --skip-build --no-parallel "${filters[@]}" >"$again" 2>&1
code=$?
# A filter that finds nothing would pass as well.
if [ "$code" = 0 ] && ! grep -aq "^. Test run with $((${#filters[@]} / 2)) test" "$again"; then
  printf 'Not all of these were found again:\n%s\n' "$names"
  closing_line "$log"
  exit 1
fi
if [ "$code" = 0 ]; then
  printf 'Flaky: failed beside the others, and passed alone. Mend these next:\n%s\n' "$names"
else
  printf 'Failed again (all of it is in %s):\n' "$again"
  explain "$again"
fi
closing_line "$again"
exit "$code"
