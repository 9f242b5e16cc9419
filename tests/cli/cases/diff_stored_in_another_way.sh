hdbinspect diff "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/before_stored.hdb"
