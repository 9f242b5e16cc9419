# What would be lost, without a file.
cp "$FIXTURES/v0/three_tables.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb units) + 276"
hdbinspect repair damaged.hdb --dry-run
echo "status $?"
hdbinspect -q repair damaged.hdb --dry-run
echo "status $?"
ls
