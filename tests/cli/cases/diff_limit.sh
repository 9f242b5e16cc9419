hdbinspect diff -t monsters -n 2 "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/after.hdb"
