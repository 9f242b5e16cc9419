# What only a load of the save shows, and what it cannot show without the program.
try() {
  status=0
  hdbinspect compat "$@" 2>&1 || status=$?
  echo "status $status"
}
old=$FIXTURES/v0/before.hdb
hdbinspect schema --format=json "$old" >old.json
try --values "$old" old.json
try --values old.json old.json
echo "--- code of the program reads older class versions: a refusal without it says nothing"
sed '/"name":"damage"/s/}\]}}/}],"class_version":1}}/' old.json >v1.json
hdbinspect -q convert "$old" --schema v1.json -o v1.hdb
sed 's/"class_version":1/"class_version":2/
  s/"name":"damage","kind":"f32"/"name":"damage","kind":"string","utf8":false/' v1.json >v2.json
try v1.hdb v2.json
try --values v1.hdb v2.json
echo "--- more records than the program's table holds"
sed '/"table":"monsters"/s/"hashed":true/"hashed":true,"max_records":5/' old.json >few.json
try --values "$old" few.json
echo "--- two tables of the file are one table of the program"
{
  sed '/"table":"weapons"/,$d; s/"handle_table":"weapons"/"handle_table":"monsters"/
    /"table":"monsters"/s/"hashed":true/&,"old_names":[{"name":"weapons"}]/' old.json |
    sed '$s/,$//'
  echo ']}'
} >clash.json
try "$old" clash.json
try --values "$old" clash.json
echo "--- a buffer that does not fit: only the schemas count"
sed '/"table":"weapons"/i\
{"table":"meshes","storage":"stable","layout":"<32,31>","free_list":"lifo",\
"generations":"per_slot","overflow":"retire","names":"none",\
"blob_capacity_bytes":1099511627776,"blob_alignment":16,\
"compaction":"at_release","singleton":false,"hashed":true,"record":{"kind":"struct","children":[]}},
' old.json >meshes.json
try "$old" meshes.json
try --values "$old" meshes.json
echo "--- elements that a comparison of the program may take for equal"
every=$FIXTURES/v0/every_field.hdb
hdbinspect schema --format=json "$every" >every.json
sed '/"name":"weapons"/,/"damage"/{s/{"name":"name","kind":"string","utf8":false},/&]}]},/;s/},]/}]/
  /"damage"/d
}' every.json >dropped.json
for rule in distinct compared; do
  keys="\"keys\":[{\"field\":\"weapons\",\"rule\":\"$rule\"}]"
  sed "s/\"hashed\":true,/&$keys,/" dropped.json >$rule.json
  try "$every" $rule.json | grep -A1 keys_distinct
done
echo "--- a fault of NEW is not one of OLD"
sed '/"name":"weapon"/s/<32,31>/<16,16>/' old.json >conflict.json
try "$old" conflict.json
