# Damaged metadata, or one damaged catalog of two: reported, and the rest is checked with the sound
# copy. If both are damaged, nothing else can be checked.
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit damaged.hdb 152
hdbinspect validate damaged.hdb
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit damaged.hdb 384
hit damaged.hdb 1928
hdbinspect validate damaged.hdb
cp "$FIXTURES/v0/before_stored.hdb" damaged.hdb
hit damaged.hdb 2844
hdbinspect validate damaged.hdb
hdbinspect validate --level=quick damaged.hdb
hdbinspect ls damaged.hdb 2>&1
hit damaged.hdb 384
hdbinspect validate damaged.hdb
