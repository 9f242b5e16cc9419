hdbinspect validate --json "$FIXTURES/v0/three_tables.hdb"
