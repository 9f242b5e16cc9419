# A save file as OLD is loaded, also if the schemas are equal: its keys may be equal, its bytes
# damaged.
exec 2>&1
try() {
  status=0
  hdbinspect compat "$@" || status=$?
  echo "status $status"
}
in=$FIXTURES/v0.10/every_field.hdb
hdbinspect schema --format=json "$in" |
  sed 's/"hashed":true,/&"keys":[{"field":"skills","rule":"distinct"}],/' >game.json
cp "$in" sound.hdb
try sound.hdb game.json
hdbinspect set -q sound.hdb -o equal.hdb \
  'things:1@1.skills=[{"key":"a","value":1},{"key":"a","value":2}]'
try equal.hdb game.json
try --values equal.hdb game.json
try equal.hdb sound.hdb # a save does not say what its game refuses
echo "--- damage"
cp sound.hdb damaged.hdb
hit damaged.hdb "$(block damaged.hdb 'things > group 0') + 60"
try damaged.hdb game.json
try damaged.hdb sound.hdb
