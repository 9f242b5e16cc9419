# What would be lost, without a file.
cp "$FIXTURES/v0/three_tables.hdb" damaged.hdb
units=$(block damaged.hdb units)
hit damaged.hdb "$units + 276" "$units + 300"
hdbinspect repair damaged.hdb --dry-run
echo "status $?"
hdbinspect -q repair damaged.hdb --dry-run
echo "status $?"
ls
