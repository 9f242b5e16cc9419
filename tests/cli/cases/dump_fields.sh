hdbinspect dump "$FIXTURES/v0/after.hdb" -t monsters -f pos.x -f "loot[]" --limit 5
# Several in one word; commas in braces belong to a glob; each missing one is named.
hdbinspect dump "$FIXTURES/v0/after.hdb" -t monsters -f hp,pos.x,name --limit 2
hdbinspect dump "$FIXTURES/v0/after.hdb" -t monsters -f 'hp,pos.{x,y}' --limit 1
hdbinspect dump "$FIXTURES/v0/after.hdb" -t monsters -f hp,nmae 2>&1
hdbinspect dump "$FIXTURES/v0/after.hdb" -t monsters -f hp, 2>&1
