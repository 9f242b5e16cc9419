# The document that a game commits: sorted, the same for every save of the same tables.
hdbinspect schema --format=json "$FIXTURES/v0/before.hdb"
hdbinspect schema --format=json "$FIXTURES/v0/before.hdb" >before.json
hdbinspect schema --format=json "$FIXTURES/v0/after.hdb" >after.json
cmp before.json after.json && echo same
hdbinspect schema --format=json -t 'weap*' "$FIXTURES/v0/before.hdb"
hdbinspect schema --format=json "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/after.hdb" 2>&1
