hdbinspect ls "$FIXTURES/v0/resources.hdb"
