# What dump --exact wrote becomes the same file again; an edited value is imported with a remark.
same() { cmp "$1" "$2" && echo "$1: byte for byte"; }
for name in after empty every_field layouts odd_names resources three_tables; do
  hdbinspect -q convert "$FIXTURES/v0/$name.hdb" -o converted.hdb --force
  hdbinspect dump --exact converted.hdb >$name.ndjson
  hdbinspect import $name.ndjson -o $name.hdb --expect-same
  same $name.hdb converted.hdb
done
# Without --expect-same, the new file has an id of its own.
hdbinspect dump --exact "$FIXTURES/v0/three_tables.hdb" |
  hdbinspect import - -o piped.hdb --codec none
hdbinspect -q validate --level=deep piped.hdb resources.hdb && echo sound
hdbinspect -q convert "$FIXTURES/v0/three_tables.hdb" -o converted.hdb --codec none --force
cmp -s piped.hdb converted.hdb || hdbinspect diff piped.hdb converted.hdb
sed 's/"hp":85/"hp":1000/; s/"title":"[^"]*"/"title":"Edited"/' after.ndjson >edited.ndjson
hdbinspect import edited.ndjson -o edited.hdb 2>&1
hdbinspect diff after.hdb edited.hdb
hdbinspect import edited.ndjson -o never.hdb --expect-same 2>&1
echo "status $?"
hdbinspect -q import edited.ndjson -o edited.hdb --force 2>&1
echo "status $?"
hdbinspect --json import edited.ndjson -o edited.hdb --force --level 9 2>/dev/null
sed 's/,"state_hash":"[0-9a-f]*","file_id":"[0-9a-f]*"//' after.ndjson >no_hash.ndjson
hdbinspect import no_hash.ndjson -o no_hash.hdb
hdbinspect import no_hash.ndjson -o never.hdb --expect-same 2>&1
echo "status $?"
ls ./*.hdb
