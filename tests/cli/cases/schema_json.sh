hdbinspect schema --json -t monsters "$FIXTURES/v0/after.hdb"
