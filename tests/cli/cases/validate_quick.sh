hdbinspect validate --level=quick "$FIXTURES/v0/three_tables.hdb"
