hdbinspect diff -q "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/after.hdb"
echo "status $?"
hdbinspect diff --quiet "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/before.hdb"
