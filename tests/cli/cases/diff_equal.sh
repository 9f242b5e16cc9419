hdbinspect diff "$FIXTURES/v0/after.hdb" "$FIXTURES/v0/after.hdb"
echo "status $?"
hdbinspect diff -v "$FIXTURES/v0/after.hdb" "$FIXTURES/v0/after.hdb"
hdbinspect diff --verify "$FIXTURES/v0/after.hdb" "$FIXTURES/v0/after.hdb"
