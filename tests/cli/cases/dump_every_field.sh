hdbinspect dump "$FIXTURES/v0/every_field.hdb"
