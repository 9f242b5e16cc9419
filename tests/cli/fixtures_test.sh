#!/bin/sh
# The golden files of the draft are what make_fixtures writes, and make.sh refuses to write a frozen
# version.
# fixtures_test.sh MAKE_FIXTURES FIXTURES
set -eu
program=$1
fixtures=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/made"
"$program" "$work/made"
if ! grep -qx v0 "$fixtures/frozen"; then
  # Compressed bytes depend on the version of zstd; uncompressed bytes are equal on every
  # machine.
  for name in before_stored ages/age_1 ages/age_2 ages/age_3 ages/age_4 ages/age_5; do
    cmp "$work/made/$name.hdb" "$fixtures/v0/$name.hdb"
  done
fi
for file in "$work"/made/*.hdb "$work"/made/ages/*.hdb "$work"/made/invalid/*.hdb; do
  name=${file#"$work"/made/}
  test -f "$fixtures/v0/$name" || { echo "fixtures/v0 lacks $name"; exit 1; }
done
cp "$fixtures/make.sh" "$work/"
echo v7 >"$work/frozen"
if "$work/make.sh" "$program" v7 2>"$work/message"; then
  echo "make.sh wrote a frozen version"
  exit 1
fi
grep -q frozen "$work/message"
test ! -e "$work/v7"
"$work/make.sh" "$program" v8 >/dev/null
test -f "$work/v8/empty.hdb"
echo "cases=9 failures=0"
