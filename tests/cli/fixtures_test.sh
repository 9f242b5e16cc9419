#!/bin/sh
# The golden files are what make_fixtures writes, and make.sh changes no file of a frozen version.
# fixtures_test.sh MAKE_FIXTURES FIXTURES
set -eu
program=$1
fixtures=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/made"
"$program" "$work/made"
# Compressed bytes depend on the version of zstd; uncompressed bytes are equal on every machine.
for name in before_stored dropped_unknown ages/age_1 ages/age_2 ages/age_3_with_versions \
  ages/age_4_with_versions ages/age_5_with_versions series/auto-1 series/auto-2; do
  cmp "$work/made/$name.hdb" "$fixtures/v0.10/$name.hdb"
done
for file in "$work"/made/*.hdb "$work"/made/*/*.hdb; do
  name=${file#"$work"/made/}
  test -f "$fixtures/v0.10/$name" || { echo "fixtures/v0.10 lacks $name"; exit 1; }
done
cp "$fixtures/make.sh" "$work/"
"$work/make.sh" "$program" v7 >/dev/null
echo v7 >"$work/frozen"
rm "$work/v7/empty.hdb"
"$work/make.sh" "$program" v7 >/dev/null
test -f "$work/v7/empty.hdb" || { echo "make.sh does not add files to a frozen version"; exit 1; }
rm "$work/v7/empty.hdb"
echo changed >>"$work/v7/before.hdb"
cp "$work/v7/before.hdb" "$work/changed.hdb"
if "$work/make.sh" "$program" v7 2>"$work/message"; then
  echo "make.sh changed a frozen version"
  exit 1
fi
grep -q "frozen, but before.hdb would change" "$work/message"
cmp "$work/v7/before.hdb" "$work/changed.hdb"
test ! -e "$work/v7/empty.hdb" || { echo "make.sh wrote a file after an error"; exit 1; }
for version in v0 v0.10; do
  grep -qx "$version" "$fixtures/frozen" || { echo "the files of $version are not frozen"; exit 1; }
done
echo "cases=11 failures=0"
