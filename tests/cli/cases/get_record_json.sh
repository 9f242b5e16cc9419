hdbinspect get --json "$FIXTURES/v0/every_field.hdb" things:1@1
