# A damaged chunk is named by its column, with both hashes; its block is one, whatever number of its
# columns is hit.
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit damaged.hdb 1928
hit damaged.hdb 2028
hit damaged.hdb 2272
hdbinspect validate damaged.hdb
echo "status $?"
# The dense positions: how many records there are is no longer sure. The index of the columns: no
# column can be named.
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit damaged.hdb 1888
hit damaged.hdb 2452
hdbinspect validate damaged.hdb
echo "status $?"
hdbinspect dump damaged.hdb -t monsters 2>&1
