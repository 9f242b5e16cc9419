# Lost values come from other saves, and are listed with the save that had them.
cp "$FIXTURES/v0/after.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "monsters > group 0") + 1000"
mkdir saves
cp damaged.hdb "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/every_field.hdb" saves
hdbinspect repair damaged.hdb -o out.hdb --from saves --lost lost.ndjson
echo "status $?"
cat lost.ndjson
hdbinspect validate --level=deep out.hdb
hdbinspect diff --fields "$FIXTURES/v0/after.hdb" out.hdb
echo "--- a save with the same bytes"
hdbinspect repair damaged.hdb --dry-run --from saves --from "$FIXTURES/v0/after.hdb"
echo "status $?"
echo "--- as JSON"
hdbinspect repair --json damaged.hdb --dry-run --from saves | grep -v '"clock"\|"weapons"'
echo "--- from an archive"
hdbinspect archive put saves.hdba world "$FIXTURES/v0/before.hdb" >/dev/null
hdbinspect repair damaged.hdb --dry-run --from saves.hdba
echo "status $?"
echo "--- a save that lies"
hdbinspect set "$FIXTURES/v0/before.hdb" 'monsters[*].name=orc' 'monsters[*].hp=7' \
  'monsters[*].pos.x=-1' 'monsters[*].pos.y=-1' 'monsters[*].weapon=null' -o liar.hdb >/dev/null
hdbinspect repair damaged.hdb --dry-run --from liar.hdb
echo "status $?"
