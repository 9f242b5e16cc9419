# Documents of schemas on either side, and edits of them as a programmer would make.
try() {
  status=0
  hdbinspect compat "$@" 2>&1 || status=$?
  echo "status $status"
}
old=$FIXTURES/v0/before.hdb
hdbinspect schema --format=json "$old" >old.json
try old.json old.json
try "$old" old.json
try - old.json <old.json
sed 's/"name":"hp","kind":"i32"/"name":"hp","kind":"i64"/' old.json >wide.json
try old.json wide.json
echo "--- numbers that may not fit: the values of a save are checked, a document has none"
sed 's/"name":"hp","kind":"i32"/"name":"hp","kind":"u8"/' old.json >narrow.json
try old.json narrow.json
try "$old" narrow.json
sed 's/"name":"tick","kind":"u64"/"name":"tick","kind":"u8"/' old.json >clock.json
try "$old" clock.json
sed 's/"name":"hp"/"name":"life"/' old.json >undeclared.json
try old.json undeclared.json
renames='"renames":[{"structure":"","old_name":"hp","new_name":"life"}],"record"'
sed "/\"table\":\"monsters\"/s/\"record\"/$renames/; s/\"name\":\"hp\"/\"name\":\"life\"/" \
  old.json >renamed.json
try old.json renamed.json
sed '/"table":"weapons"/s/"hashed"/"max_records":1,"hashed"/' old.json >limited.json
try old.json limited.json
sed 's/"hashed":true,\(.*\)"record"/"hashed":true,"max_records":1,\1"record"/' old.json >limit.json
try "$old" limit.json
