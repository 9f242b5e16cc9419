# A damaged pack: its tables are named, they lose their records and nothing else is lost.
cp "$FIXTURES/v0/layouts.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "pack of") + 100"
hdbinspect validate damaged.hdb
hdbinspect validate --json damaged.hdb
hdbinspect get damaged.hdb holders:0@1 2>&1
hdbinspect repair damaged.hdb -o out.hdb --lost lost.ndjson
echo "status $?"
wc -l <lost.ndjson
hdbinspect validate --level=deep out.hdb
