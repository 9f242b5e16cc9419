# Keys of maps in paths of get, set, blame and dump --sort: texts, numbers, enumerators, bools.
map() { echo "{\"name\":\"$1\",\"kind\":\"map\",\"children\":[$2,$3]}"; }
# A table of three shops: NAME SWORDS.
make() {
  hdbinspect dump --exact "$FIXTURES/v0/empty.hdb" | sed -n 1p |
    sed 's/"schemas":0/"schemas":1/; s/"tables":0/"tables":1/' >"$1.ndjson"
  mood='{"kind":"enum","values":[{"number":0,"name":"calm"},{"number":1,"name":"angry"}],
"children":[{"kind":"i8"}]}'
  slot='{"type":"exact_slot","v":1,"table":"shops","state":"live","generation":1'
  u8='{"kind":"u8"}'
  item='{"kind":"struct","children":[{"name":"count","kind":"u16"}]}'
  fields=$(map stock '{"kind":"string","utf8":true}' '{"kind":"i32"}'),$(map by_id $u8 $item)
  fields=$fields,$(map moods "$mood" $u8),$(map flags '{"kind":"bool"}' $u8)
  rest='"by_id":[{"key":7,"value":{"count":70}},{"key":8,"value":{"count":80}}],
"moods":[{"key":1,"value":9}],"flags":[{"key":true,"value":1}]'
  tr -d '\n' <<END | sed 's/@/\n/g' >>"$1.ndjson"
{"type":"exact_schema","v":1,"schema":0,"record":{"kind":"struct","children":[$fields]}}@
{"type":"exact_table","v":1,"table":"shops","schema":0,"type_id":0,"storage":"stable",
"layout":"<32,31>","free_list":"lifo","generations":"per_slot","overflow":"retire","names":"none",
"singleton":false,"hashed":true,"group_slots":64,"slots":3,"live":3,"retired":0,"free":0,
"counter":0,"highest_generation":1,"flush_cursor":0}@
$slot,"slot":0,"fields":{"stock":[{"key":"sword","value":$2},{"key":"a,b=c]","value":3}],$rest}}@
$slot,"slot":1,"fields":{"stock":[{"key":"it's","value":1}],"by_id":[],"moods":[],"flags":[]}}@
$slot,"slot":2,"fields":{"stock":[{"key":"sword","value":9}],$rest}}@
END
  hdbinspect dump --exact "$FIXTURES/v0/empty.hdb" | grep exact_end |
    sed 's/"slots":0/"slots":3/; s/"records":0/"records":3/' >>"$1.ndjson"
  hdbinspect -q import "$1.ndjson" -o "$1.hdb" 2>&1
}
make old 5
hdbinspect get old.hdb "shops:0@1.stock['sword']" 'shops:0@1.stock["a,b=c]"]' \
  "shops:1.stock['it\\'s']" "shops:0.by_id['7'].count" "shops:0.by_id[1].value.count" \
  "shops:0.moods['angry']" "shops:0.moods['1']" "shops:0.flags['true']"
hdbinspect --json get old.hdb "shops:0@1.by_id['7']"
for path in "stock['axe']" "stock['swort']" "by_id['7']" "by_id['300']" "by_id['x']" "by_id[7]" \
  "moods['angri']" "moods['calm']" "flags['1']" "stock[sword]" "stock['sword" "stock['sword'].x"; do
  hdbinspect get old.hdb "shops:1@1.$path" 2>&1
  echo "status $?"
done
hdbinspect set old.hdb "shops:0@1.stock['sword']=6" 'shops:0.stock["a,b=c]"]=4' \
  "shops[stock['it\\'s'] == 1].stock['it\\'s']=2" "shops:0.by_id['7'].count=71" \
  "shops:0.moods['angry']=8" "shops:0.flags['true']=0" -o new.hdb
hdbinspect blame old.hdb new.hdb "shops:0@1.stock['sword']"
for sort in "-stock['sword']" "by_id['7'].count,-stock['a,b=c]']" \
  "stock['sword'],-flags['true']"; do
  hdbinspect dump new.hdb --sort="$sort" -f stock
done
hdbinspect dump new.hdb --sort="by_id['x']" 2>&1
# The paths that diff prints are read by get.
hdbinspect --json diff old.hdb new.hdb --format=ndjson | grep -o '"path":"[^}]*' |
  sed 's/"path":"//; s/","old":.*//; s/\\"/"/g' >paths
while read -r path; do
  hdbinspect get new.hdb "shops:0@1.$path" || hdbinspect get new.hdb "shops:1@1.$path"
done <paths 2>&1
for edit in "shops:1@1.stock['sword']=6" "shops[*].stock['sword']=6" \
  "shops:0@1.by_id['x'].count=1" "shops:0@1.stock['sword']=x" "shops:0@1.stock['sword'=6"; do
  hdbinspect set old.hdb "$edit" -o out.hdb 2>&1
  echo "status $?"
done
ls
