# One byte in the middle of the rows: the block is named, its offset, its slots.
cp "$FIXTURES/v0/three_tables.hdb" damaged.hdb
printf X | dd of=damaged.hdb bs=1 seek=1600 conv=notrunc 2>/dev/null
printf X | dd of=damaged.hdb bs=1 seek=3000 conv=notrunc 2>/dev/null
hdbinspect validate damaged.hdb
echo "status $?"
hdbinspect validate --json --max-errors 1 damaged.hdb
