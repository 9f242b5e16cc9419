hdbinspect schema "$FIXTURES/v0.10/type_names.hdb"
hdbinspect schema --format=json "$FIXTURES/v0.10/type_names.hdb"
hdbinspect dump "$FIXTURES/v0.10/type_names.hdb"
