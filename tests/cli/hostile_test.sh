#!/bin/sh
# Random bytes, truncations and flipped bytes: no command ends by a signal, validate never calls a
# damaged file valid.
# hostile_test.sh HDBINSPECT FIXTURES
set -eu
program=$1
file=$2/v0/three_tables.hdb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
size=$(wc -c <"$file")
cases=0
failures=0
check() {  # check NAME: `bad.hdb` must be refused by validate (1) and by the others with 1, 2 or 3
  cases=$((cases + 1))
  status=0
  "$program" validate bad.hdb >out 2>&1 || status=$?
  if [ "$status" -eq 0 ] || [ "$status" -gt 3 ] || [ ! -s out ]; then
    echo "$1: validate ended with $status"
    failures=$((failures + 1))
  fi
  for command in "info --blocks" "dump" "diff $file"; do
    status=0
    # shellcheck disable=SC2086  # the words of the command are to be split
    "$program" $command bad.hdb >out 2>&1 || status=$?
    if [ "$status" -gt 3 ]; then
      echo "$1: $command ended with $status"
      failures=$((failures + 1))
    fi
  done
}
case ${HDB_TEST_SCALE:-1} in 0*) stride=485 ;; *) stride=97 ;; esac  # short runs try a fifth
at=0
while [ "$at" -lt "$size" ]; do
  head -c "$at" "$file" >bad.hdb
  check "cut at $at"
  cp "$file" bad.hdb
  # A byte that differs from the present one.
  old=$(dd if="$file" bs=1 skip="$at" count=1 2>/dev/null | od -An -tu1 | tr -d ' ')
  # shellcheck disable=SC2059  # the octal escape is the format
  printf "\\$(printf %03o $(((old + 85) % 256)))" |
    dd of=bad.hdb bs=1 seek="$at" conv=notrunc 2>/dev/null
  check "byte $at changed"
  at=$((at + stride))
done
for kind in 1 64 4096 100000; do
  head -c "$kind" /dev/urandom >bad.hdb
  check "$kind random bytes"
done
{ head -c 64 "$file"; head -c 4096 /dev/urandom; tail -c 64 "$file"; } >bad.hdb
check "random bytes between a header and a footer"
echo "cases=$cases failures=$failures"
test "$failures" -eq 0
