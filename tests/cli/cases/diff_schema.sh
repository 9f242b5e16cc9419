hdbinspect diff "$FIXTURES/v0/after.hdb" "$FIXTURES/v0/later_version.hdb"
