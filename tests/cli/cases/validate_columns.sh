# A damaged chunk is named by its column, with both hashes; its block is one, whatever number of its
# columns is hit.
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit() { printf X | dd of=damaged.hdb bs=1 seek="$1" conv=notrunc 2>/dev/null; }
hit 1960
hit 2060
hit 2312
hdbinspect validate damaged.hdb
echo "status $?"
# The dense positions: how many records there are is no longer sure. The index of the columns: no
# column can be named.
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit 1920
hit 2500
hdbinspect validate damaged.hdb
echo "status $?"
hdbinspect dump damaged.hdb -t monsters 2>&1
