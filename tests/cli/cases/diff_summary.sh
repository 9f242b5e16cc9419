hdbinspect diff --summary "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/after.hdb"
