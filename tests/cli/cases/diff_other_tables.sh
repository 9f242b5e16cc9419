hdbinspect diff --summary "$FIXTURES/v0/three_tables.hdb" "$FIXTURES/v0/empty.hdb"
