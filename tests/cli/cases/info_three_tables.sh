hdbinspect info "$FIXTURES/v0/three_tables.hdb"
