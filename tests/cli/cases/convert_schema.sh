# An old save in newer schemas, without the game: what a load would do to it, and what it refuses.
try() {
  status=0
  hdbinspect convert "$@" 2>&1 || status=$?
  [ $status = 0 ] || echo "status $status"
}
cp "$FIXTURES/v0/before.hdb" old.hdb
cp "$FIXTURES/v0/later_version.hdb" later.hdb
try old.hdb --schema later.hdb -o new.hdb
hdbinspect compat --values new.hdb later.hdb
hdbinspect -q validate --level=deep new.hdb && echo sound
hdbinspect info new.hdb | head -5
hdbinspect get new.hdb monsters:0@1
try old.hdb --schema old.hdb --estimate
echo "--- documents: other numbers, names and policies"
hdbinspect schema --format=json old.hdb >own.json
renames='"renames":[{"structure":"","old_name":"hp","new_name":"life"}],"record"'
sed "/\"table\":\"monsters\"/{s/\"storage\":\"[a-z]*\"/\"storage\":\"stable\"/
  s/\"record\"/$renames/}; s/\"name\":\"hp\",\"kind\":\"i32\"/\"name\":\"life\",\"kind\":\"u8\"/" \
  own.json >life.json
try old.hdb --schema life.json -o life.hdb
hdbinspect -q validate --level=deep life.hdb && echo sound
try --json - --schema life.json -o again.hdb <old.hdb
hdbinspect -q diff life.hdb again.hdb && echo equal
echo "--- no migration will run on records of a newer class version"
sed '/"name":"damage"/s/}\]}}/}],"class_version":1}}/' own.json >v1.json
try old.hdb --schema v1.json -o v1.hdb
try v1.hdb --schema v1.json -o again1.hdb
echo "--- what is refused leaves nothing behind"
sed 's/"name":"tick","kind":"u64"/"name":"tick","kind":"u8"/' own.json >clock.json
try old.hdb --schema clock.json -o none.hdb
try old.hdb --schema missing.json -o none.hdb
try old.hdb --unknown-values=drop -o none.hdb
try old.hdb --schema life.json -o old.hdb
echo '{"type":"schemas","v":1,"tables":[' >cut.json
try old.hdb --schema cut.json -o none.hdb
ls
