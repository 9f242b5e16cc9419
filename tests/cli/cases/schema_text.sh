hdbinspect schema "$FIXTURES/v0/every_field.hdb"
