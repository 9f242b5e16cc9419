# Names of enumerators: schema, dump, get, diff, compat, and an exact dump that keeps them.
enum() { echo "{$1\"kind\":\"enum\",\"values\":[$2],\"children\":[{\"kind\":\"u8\"}]}"; }
# A table of two monsters: NAME VALUES MOOD.
make() {
  hdbinspect dump --exact "$FIXTURES/v0/empty.hdb" | sed -n 1p |
    sed 's/"schemas":0/"schemas":1/; s/"tables":0/"tables":1/' >"$1.ndjson"
  slot='{"type":"exact_slot","v":1,"table":"monsters","state":"live","generation":1'
  fields=$(enum '"name":"mood",' "$2")',{"name":"all","kind":"list","children":['$(enum "" "$2")']}'
  tr -d '\n' <<END | sed 's/@/\n/g' >>"$1.ndjson"
{"type":"exact_schema","v":1,"schema":0,"record":{"kind":"struct","children":[$fields]}}@
{"type":"exact_table","v":1,"table":"monsters","schema":0,"type_id":0,"storage":"stable",
"layout":"<32,31>","free_list":"lifo","generations":"per_slot","overflow":"retire","names":"none",
"singleton":false,"hashed":true,"group_slots":64,"slots":2,"live":2,"retired":0,"free":0,
"counter":0,"highest_generation":1,"flush_cursor":0}@
$slot,"slot":0,"fields":{"mood":$3,"all":[0,1,7]}}@
$slot,"slot":1,"fields":{"mood":0,"all":[]}}@
END
  grep exact_end end.ndjson >>"$1.ndjson"
  hdbinspect -q import "$1.ndjson" -o "$1.hdb" 2>&1
}
hdbinspect dump --exact "$FIXTURES/v0/empty.hdb" | grep exact_end |
  sed 's/"slots":0/"slots":2/; s/"records":0/"records":2/' >end.ndjson
calm='{"number":0,"name":"calm"}'
make old "$calm,{\"number\":1,\"name\":\"angry\"}" 1
make moved '{"number":1,"name":"calm"},{"number":0,"name":"angry"}' 1
make fewer "$calm" 1
make more "$calm,{\"number\":1,\"name\":\"angry\"},{\"number\":7,\"name\":\"glad\"}" 0
make bare "" 0
hdbinspect schema old.hdb
hdbinspect schema --json old.hdb | grep -o '"fields.*'
hdbinspect dump old.hdb
hdbinspect dump --json old.hdb
for where in 'mood == "angry"' 'mood == angry' 'angry != mood' 'all[*] in {calm, "angry"}' \
  'mood == angy' 'mood in {calm, agry}' 'moud == angry' 'angry == calm'; do
  echo "--- $where"
  hdbinspect dump old.hdb -w "$where" -f mood 2>&1
done
hdbinspect get old.hdb monsters:0@1
hdbinspect diff old.hdb moved.hdb
hdbinspect diff old.hdb bare.hdb
for new in moved fewer more bare; do
  hdbinspect compat old.hdb $new.hdb
done
hdbinspect schema --format=json old.hdb >old.json
hdbinspect compat old.json fewer.hdb
hdbinspect compat old.json old.hdb
hdbinspect dump --exact old.hdb | hdbinspect -q import - -o again.hdb --expect-same
cmp old.hdb again.hdb && echo "byte for byte"
hdbinspect -q validate --level=deep old.hdb && echo sound
hdbinspect convert old.hdb --schema fewer.hdb -o loaded.hdb 2>&1
hdbinspect convert old.hdb --schema fewer.hdb --unknown-values=default -o loaded.hdb
