hdbinspect info - < "$FIXTURES/v0/after.hdb"
