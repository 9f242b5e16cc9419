#!/bin/sh
# What every command prints with --json fits the JSON Schemas in schema/json, and every schema is met.
# json_test.sh HDBINSPECT FIXTURES JSON_CHECK SCHEMAS
set -eu
program=$1
files=$2/v0
check=$3
schemas=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$files/three_tables.hdb" "$work/damaged.hdb"
printf X | dd of="$work/damaged.hdb" bs=1 seek=3000 conv=notrunc 2>/dev/null
mkdir "$work/host" "$work/client"
cp "$files/before.hdb" "$work/host/1.hdb"
cp "$files/before.hdb" "$work/client/1.hdb"
cp "$files/before.hdb" "$work/host/2.hdb"
cp "$files/after.hdb" "$work/client/2.hdb"
cp "$files/resources.hdb" "$work/no_texture.hdb"
printf X | dd of="$work/no_texture.hdb" bs=1 seek=6448 conv=notrunc 2>/dev/null
cp "$files/three_tables.hdb" "$work/no_header.hdb"
printf X | dd of="$work/no_header.hdb" bs=1 seek=20 conv=notrunc 2>/dev/null
types=
for schema in "$schemas"/*.schema.json; do
  types="$types $(basename "$schema" .schema.json)"
done
run() { "$program" --json "$@" || [ $? -eq 1 ]; }
{
  for file in "$files"/*.hdb; do
    run info --blocks "$file"
    run ls "$file"
    run schema "$file"
    run dump "$file" --limit 20
    run validate --level=deep "$file"
    run convert --estimate "$file"
  done
  run get --refs "$files/every_field.hdb" things:0@1
  run get "$files/every_field.hdb" things:1@1 things:1@1.weapons things:1@1.real
  run diff "$files/before.hdb" "$files/later_version.hdb"
  run diff "$files/before.hdb" "$files/three_tables.hdb"
  run diff --first "$work/host" "$work/client"
  run validate "$work/damaged.hdb"
  "$program" --json validate "$work/missing.hdb" "$files/invalid/newer_version.hdb" 2>/dev/null || [ $? -eq 2 ]
  run explain
  for file in "$work/damaged.hdb" "$files/resources.hdb" "$work/no_texture.hdb" "$work/no_header.hdb"; do
    run repair "$file" --dry-run --force --lost "$work/lost.ndjson"
    cat "$work/lost.ndjson"
  done
  run repair "$work/damaged.hdb" -o "$work/repaired.hdb"
} >"$work/lines"
# shellcheck disable=SC2086  # one word a type
"$check" "$schemas" $types <"$work/lines"
