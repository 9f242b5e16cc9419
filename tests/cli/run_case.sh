#!/bin/sh
# Runs one golden test: run_case.sh HDBINSPECT FIXTURES CASE.sh [--update]
# The case runs in an empty folder with `hdbinspect` in PATH and $FIXTURES set. Its output on
# standard output, then "[exit N]", must equal CASE.out. --update writes CASE.out instead.
set -eu
program=$1
FIXTURES=$2
script=$3
expected=${script%.sh}.out
helpers=$(cd "$(dirname "$0")" && pwd)/helpers.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/empty"
ln -s "$program" "$work/bin/hdbinspect"
PATH="$work/bin:$PATH"
TERM=dumb
LC_ALL=C
export FIXTURES PATH TERM LC_ALL
cd "$work/empty"
status=0
sh -uc '. "$1"; . "$2"' sh "$helpers" "$script" >"$work/out" 2>"$work/err" </dev/null || status=$?
echo "[exit $status]" >>"$work/out"
# The expected output must not have paths of this machine.
sed "s#$FIXTURES/##g" "$work/out" >"$work/actual"
if [ "${4:-}" = --update ]; then
  cp "$work/actual" "$expected"
  exit 0
fi
if ! diff -u "$expected" "$work/actual"; then
  echo "--- standard error was:"
  cat "$work/err"
  exit 1
fi
