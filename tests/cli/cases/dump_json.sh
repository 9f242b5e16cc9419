# --format=json is one array.
hdbinspect dump "$FIXTURES/v0/after.hdb" -t 'w*' --format=json
hdbinspect dump "$FIXTURES/v0/after.hdb" -t weapons -w 'damage > 1000' --format=json
hdbinspect dump "$FIXTURES/v0/empty.hdb" --format=json
