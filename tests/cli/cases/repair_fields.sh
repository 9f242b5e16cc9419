# A byte in one column: the records keep their other fields, and the lost one has its default.
cp "$FIXTURES/v0/after.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "monsters > group 0") + 1000"
hdbinspect repair damaged.hdb -o out.hdb --lost lost.ndjson
echo "status $?"
cat lost.ndjson
hdbinspect validate --level=deep out.hdb
hdbinspect diff --fields "$FIXTURES/v0/after.hdb" out.hdb | head -12
hdbinspect repair --json damaged.hdb --dry-run | grep '"table":"monsters"'
hdbinspect repair damaged.hdb --dry-run --drop-damaged
echo "status $?"
# The list ends early.
hdbinspect repair damaged.hdb --dry-run --lost lost.ndjson --force --max-lost 300
cat lost.ndjson
# The hash of a column index shows which byte of it changed.
cp "$FIXTURES/v0/after.hdb" index.hdb
hit index.hdb "$(block index.hdb "monsters > group 0") + 730"
hdbinspect repair index.hdb --dry-run
echo "status $?"
