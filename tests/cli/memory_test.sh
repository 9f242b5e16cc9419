#!/bin/sh
# --max-memory: work that needs more is refused with a message; other work has the same results.
# memory_test.sh HDBINSPECT LARGE_FILE
set -eu
program=$1
large=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cases=0
failures=0
fail() { echo "$1"; cat "$work/err"; failures=$((failures + 1)); }
refused() {  # refused COMMAND...: a limit, in 2
  cases=$((cases + 1))
  status=0
  "$program" --max-memory=16M "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq 2 ] || fail "$*: ended with $status"
  grep -q "HDB-E060[12]" "$work/err" || fail "$*: names no limit"
  grep -q "^  next    give a --max-memory larger than 16M$" "$work/err" ||
    grep -q "^  next    give a larger --max-memory$" "$work/err" ||
      fail "$*: does not say what to do"
}
fits() {  # fits COMMAND...: as without a limit
  cases=$((cases + 1))
  "$program" "$@" >"$work/wanted" 2>"$work/err" || fail "$*: fails without a limit"
  "$program" --max-memory=160M "$@" >"$work/out" 2>"$work/err" || fail "$*: does not fit"
  cmp -s "$work/wanted" "$work/out" || fail "$*: prints something else"
}
refused validate "$large"
refused dump "$large"
refused convert "$large" -o "$work/new.hdb"
refused convert --estimate "$large"
refused export "$large" -o "$work/new.hdb"
[ ! -e "$work/new.hdb" ] || fail "a refused command left its output"
fits validate "$large"
fits dump --limit 1000 "$large"
fits convert --estimate "$large"
fits diff "$large" "$large"
fits info "$large"
echo "cases=$cases failures=$failures"
test "$failures" -eq 0
