#!/bin/sh
# The output of every command with --json fits the JSON Schemas in schema/json, and every schema is
# used.
# json_test.sh HDBINSPECT FIXTURES JSON_CHECK.py SCHEMAS
set -eu
program=$1
files=$2/v0
check=$3
schemas=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hdbinspect() { "$program" "$@"; }
. "$(dirname "$0")/helpers.sh"
cp "$files/three_tables.hdb" "$work/damaged.hdb"
hit "$work/damaged.hdb" "$(block "$work/damaged.hdb" "units > free list") + 80"
mkdir "$work/host" "$work/client"
cp "$files/before.hdb" "$work/host/1.hdb"
cp "$files/before.hdb" "$work/client/1.hdb"
cp "$files/before.hdb" "$work/host/2.hdb"
cp "$files/after.hdb" "$work/client/2.hdb"
cp "$files/resources.hdb" "$work/no_texture.hdb"
hit "$work/no_texture.hdb" "$(block "$work/no_texture.hdb" "textures > group 0") + 536"
cp "$files/three_tables.hdb" "$work/no_header.hdb"
hit "$work/no_header.hdb" 20
# A thumbnail and a block of an unknown type, put into a file by hand.
block='{"type":"exact_block","v":1,"block_type":201,"flags":2,"group":0,"part":0,'
block=$block'"raw_bytes":2,"hex":"0102"}'
"$program" dump --exact "$files/empty.hdb" |
  sed -e 's/"thumbnail_bytes":0/"thumbnail_bytes":3/; s/"blocks":0/"blocks":1/' \
    -e '1a {"type":"exact_thumbnail","v":1,"first":0,"hex":"00ff7f"}' \
    -e "/exact_end/i $block" |
  "$program" -q import - -o "$work/by_hand.hdb"
# Extensions of a later version.
extensions='"extensions":[{"tag":99,"flags":0,"bytes":"00"}],'
"$program" dump --exact "$files/before.hdb" |
  sed -e "s/\"record\":{\"kind\":\"struct\",/&$extensions/" \
    -e "s/\"type\":\"exact_table\",\"v\":1,/&$extensions/" |
  "$program" -q import - -o "$work/extended.hdb"
types=
for schema in "$schemas"/*.schema.json; do
  types="$types $(basename "$schema" .schema.json)"
done
run() {
  echo " $* " >>"$work/ran"
  "$program" --json "$@" 2>>"$work/messages" || [ $? -eq 1 ] || tail -n 1 "$work/messages" >&2
}
# Runs that end with exit status 2 and an object on standard error.
fails() {
  "$program" --json "$@" 2>>"$work/messages" || [ $? -eq 2 ]
}
{
  for file in "$files"/*.hdb "$work/by_hand.hdb" "$work/extended.hdb"; do
    run info --blocks "$file"
    run ls "$file"
    run schema "$file"
    "$program" schema --format=json "$file" | tr -d '\n'
    echo
    run dump "$file" --limit 20
    run dump "$file" --count
    run validate -v --level=deep "$file"
    run convert --estimate "$file"
    run dump --exact "$file" | tee "$work/exact"
    run import --force "$work/exact" -o "$work/imported.hdb"
  done
  run get --refs "$files/every_field.hdb" things:0@1
  run get "$files/every_field.hdb" things:1@1 things:1@1.weapons things:1@1.real
  run set "$files/before.hdb" monsters:1@1.hp=5 -o "$work/set.hdb"
  run sql "$files/every_field.hdb" 'select *, -9007199254740993 from things join saves'
  run export "$files/before.hdb" "$files/after.hdb" -o "$work/saves.sqlite"
  run diff "$files/before.hdb" "$files/later_version.hdb"
  run diff "$files/before.hdb" "$files/three_tables.hdb"
  run info "$files/../v0.10/dropped.hdb"
  run info "$files/../v0.10/dropped_unknown.hdb"
  run schema "$files/../v0.10/type_names.hdb"
  run dump --exact "$files/../v0.10/type_names.hdb"
  run diff "$files/../v0.10/dropped.hdb" "$files/../v0.10/dropped_later.hdb"
  run diff --abs 1e6 --nan-equal "$files/before.hdb" "$files/after.hdb"
  run compat --values "$files/before.hdb" "$files/later_version.hdb"
  run convert --estimate --schema "$files/later_version.hdb" "$files/before.hdb"
  run compat "$files/before.hdb" "$files/later_version.hdb"
  run compat "$files/before.hdb" "$files/retyped.hdb"
  run compat "$files/before.hdb" "$files/three_tables.hdb"
  run schema -t monsters "$files/before.hdb" "$files/three_tables.hdb"  # a remark
  run diff --first "$work/host" "$work/client"
  run validate "$work/damaged.hdb" "$work/host"
  fails validate "$work/missing.hdb" "$files/invalid/newer_version.hdb"
  fails info "$work/missing.hdb"
  fails dump -w 'hp <' "$files/before.hdb"
  fails bogus
  fails info --bogus "$files/before.hdb"
  run report "$files/three_tables.hdb" -o "$work/one.html"
  run report "$files/before.hdb" "$files/after.hdb" -o "$work/two.html"
  run open "$files/before.hdb" -o "$work/page.html"
  for name in monsters:0@1 monsters:1@1 monsters:1 'monsters:0@1.pos.*'; do
    run log "$files/series" "$name"
    run blame "$files/series" "$name"
  done
  run log "$files/series"
  run log --leaks --grew 1 "$files/series"
  mkdir "$work/watched"
  (sleep 2 && cp "$files/before.hdb" "$work/watched") &
  run watch "$work/watched" -n 1 2>/dev/null
  run bisect "$files/series" 'hp < 0'
  run bisect "$files/series" 'hp < -100'
  run grep "$files/series" 'hp < 0 or awake'
  run grep --count "$files/series" awake
  run plot "$files/series" monsters:0@1 -o "$work/plot.html"
  run plot "$files/series" monsters -o "$work/counts.html"
  git init -q "$work/repository"
  cd "$work/repository"
  git config diff.hdb.command other
  run git-setup --dry-run
  run git-setup --undo
  cd "$OLDPWD"
  run explain
  run explain "$files/before.hdb" 1700
  for file in "$work/damaged.hdb" "$files/resources.hdb" "$work/no_texture.hdb" \
    "$work/no_header.hdb"; do
    run repair "$file" --dry-run --force --drop-damaged --lost "$work/lost.ndjson"
    cat "$work/lost.ndjson"
  done
  run repair "$work/no_texture.hdb" --dry-run --force --lost "$work/lost.ndjson" --max-lost 300
  cat "$work/lost.ndjson"
  run repair "$work/damaged.hdb" -o "$work/repaired.hdb"
  cp "$files/after.hdb" "$work/no_hp.hdb"
  hit "$work/no_hp.hdb" 1792
  for from in before three_tables; do
    run repair "$work/no_hp.hdb" --dry-run --force --lost "$work/lost.ndjson" \
      --from "$files/$from.hdb"
    cat "$work/lost.ndjson"
  done
  archive=$work/saves.hdba
  run archive put "$archive" --world w "$files/before.hdb" "$files/after.hdb"
  run archive list "$archive"
  run archive get "$archive@w/1" -o "$work/got.hdb"
  run archive share "$archive"
  run archive verify "$archive"
  run archive repair "$archive" "$work/copy.hdba"
  run archive copy "$archive" "$work/other.hdba"
  run archive metrics "$archive" --world '*'
  run archive thin "$archive" --keep-last 1 --dry-run
  run archive remove "$archive@w/1"
  run archive gc "$archive"
  hit "$archive" 100
  run archive verify "$archive"
} >"$work/lines"
# Each error and each remark is an object, too.
cat "$work/messages" >>"$work/lines"
# Every command that prints data is among those above.
for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
  case $command in completion | help | git-diff) continue ;; esac
  grep -q " $command " "$work/ran" || { echo "json_test.sh: nothing runs $command --json"; exit 1; }
done
# shellcheck disable=SC2086  # one word a type
"$check" "$schemas" $types <"$work/lines"
