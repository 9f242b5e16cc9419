#!/bin/sh
# Checks that the library exports exactly the calls that the header declares.
#   check_exports.sh LIBRARY HEADER [OBJDUMP]     OBJDUMP reads a DLL
set -eu
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $1 in
  *.dll) "$3" -p "$1" | awk '/Name Pointer] Table/, /^$/ { if (/^\t\[ *[0-9]+\]/) print $NF }' ;;
  *) nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' ;;
esac | tr -d '\r' | sort > "$work/found"
# A declaration may be broken after the name of the call, never before it.
sed -n 's/^HDB_C_API .*[ *]\(hdb_[a-z0-9_]*\)(.*/\1/p' "$2" | sort > "$work/declared"
if ! diff "$work/declared" "$work/found"; then
  echo "check_exports.sh: the library (>) and the header (<) differ" >&2
  exit 1
fi
[ -s "$work/found" ]
echo "exports: cases=$(wc -l < "$work/found") failures=0"
