hdbinspect validate "$FIXTURES/v0/resources.hdb"
