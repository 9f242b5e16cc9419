# One byte in the middle of the rows: the block is named, its offset, its slots.
cp "$FIXTURES/v0/three_tables.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "heroes > group 0") + 824" \
  "$(block damaged.hdb "units > free list") + 80"
hdbinspect validate damaged.hdb
echo "status $?"
hdbinspect validate --json --max-errors 1 damaged.hdb
