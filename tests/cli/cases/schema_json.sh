hdbinspect schema --format=json -t monsters "$FIXTURES/v0/after.hdb"
