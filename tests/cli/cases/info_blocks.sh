hdbinspect info --blocks "$FIXTURES/v0/after.hdb"
