# Damaged metadata, or one damaged catalog of two: reported, and the rest is checked with the sound
# copy. If both are damaged, nothing else can be checked.
hit() { printf X | dd of=damaged.hdb bs=1 seek="$1" conv=notrunc 2>/dev/null; }
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit 160
hdbinspect validate damaged.hdb
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit 400
hit 1960
hdbinspect validate damaged.hdb
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit 2900
hdbinspect validate damaged.hdb
hdbinspect validate --level=quick damaged.hdb
hdbinspect ls damaged.hdb 2>&1
hit 400
hdbinspect validate damaged.hdb
