# Optionals: null, the value, or the JSON of an exact dump, which import reads in the same way.
text='{"kind":"string","utf8":false}'
optional() { echo '{"name":"'"$1"'","kind":"optional","children":['"$2"']}'; }
inner() { echo '{"kind":"optional","children":['"$1"']}'; }
handle='{"kind":"handle","handle_table":"guilds","strong":false,"layout":"<32,31>"}'
list='{"kind":"list","children":[{"kind":"i32"}]}'
schema='{"kind":"struct","children":['"$(optional title "$text")"
schema="$schema,$(optional nested "$(inner "$text")"),$(optional ally "$handle")"
schema="$schema,$(optional codes "$list")"
schema="$schema,$(optional all "$(inner "$list")")"']}'
fields='{"title":null,"nested":null,"ally":null,"codes":null,"all":null}'
one_record "$schema" "$fields" >in.ndjson
hdbinspect -q import in.ndjson -o in.hdb
try() { # try FIELD VALUE: what set makes of it, and import of what is dumped then
  echo "--- $1=$2"
  if hdbinspect -q set in.hdb "guilds:0@1.$1=$2" -o out.hdb --force 2>&1; then
    hdbinspect dump --exact out.hdb >out.ndjson
    grep -o '"fields":.*' out.ndjson | grep -o "\"$1\":[^{}]*" | sed 's/,"[a-z]*":.*//; s/}*$//'
    hdbinspect -q import out.ndjson -o again.hdb --force --expect-same || echo "differs"
  fi
}
for value in null 'a text' '"null"' '["a text"]' '"[draft]"' '[draft]' '[null]'; do
  try title "$value"
done
for value in null '[null]' '[["x"]]' x '"[null]"' '["x"]'; do try nested "$value"; done
for value in null '[null]' guilds:0@1 '["guilds:0@1"]'; do try ally "$value"; done
for value in null '[]' '[1, 2]' '[[1]]'; do try codes "$value"; done
for value in null '[null]' '[[[1, 2]]]' '[1]'; do try all "$value"; done
