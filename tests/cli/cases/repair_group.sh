# Two bytes in the column indexes of two groups: their records are lost, all others are saved, and
# the new file is sound.
cp "$FIXTURES/v0/three_tables.hdb" damaged.hdb
heroes=$(block damaged.hdb "heroes > group 0")
zones=$(block damaged.hdb "zones > group 2")
hit damaged.hdb "$heroes + 824" "$heroes + 700" "$zones + 100" "$zones + 120"
cp damaged.hdb before.hdb
hdbinspect repair damaged.hdb -o out.hdb --lost lost.ndjson
echo "status $?"
cmp damaged.hdb before.hdb && echo "the input is as it was"
hdbinspect validate --level=deep out.hdb
head -2 lost.ndjson
tail -1 lost.ndjson
wc -l < lost.ndjson
hdbinspect diff "$FIXTURES/v0/three_tables.hdb" out.hdb --summary
hdbinspect repair --json damaged.hdb --dry-run
echo "status $?"
