hdbinspect info --json --blocks "$FIXTURES/v0/after.hdb"
