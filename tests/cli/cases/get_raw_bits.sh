# Bits 0x100000002 fit both tables of that layout: only one of the records is live, or -t and the
# name of the table choose.
hdbinspect get "$FIXTURES/v0/before.hdb" -t monsters 0x100000002.name
hdbinspect get "$FIXTURES/v0/before.hdb" 0x100000002.name
hdbinspect get "$FIXTURES/v0/before.hdb" 0x100000001.name 2>&1
