# One file is missing: the others are listed, and the status is the worst one.
hdbinspect ls "$FIXTURES/v0/before.hdb" nowhere.hdb "$FIXTURES/v0/after.hdb"
