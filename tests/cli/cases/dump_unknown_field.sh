hdbinspect dump "$FIXTURES/v0/after.hdb" -f nothing 2>&1
