hdbinspect dump "$FIXTURES/v0/after.hdb"
