hdbinspect ls --json "$FIXTURES/v0/resources.hdb"
