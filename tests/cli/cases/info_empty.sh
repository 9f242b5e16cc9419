hdbinspect info "$FIXTURES/v0/empty.hdb"
