hdbinspect ls "$FIXTURES/v0/three_tables.hdb"
