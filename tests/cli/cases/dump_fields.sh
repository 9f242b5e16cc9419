hdbinspect dump "$FIXTURES/v0/after.hdb" -t monsters -f pos.x -f "loot[]" --limit 5
