# What would be lost, without a file.
cp "$FIXTURES/v0/three_tables.hdb" damaged.hdb
printf X | dd of=damaged.hdb bs=1 seek=2300 conv=notrunc 2>/dev/null
hdbinspect repair damaged.hdb --dry-run
echo "status $?"
hdbinspect -q repair damaged.hdb --dry-run
echo "status $?"
ls
