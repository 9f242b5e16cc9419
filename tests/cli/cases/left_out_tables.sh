# An unhashed table, whose records name one that no file has.
hdbinspect info "$FIXTURES/v0/resources.hdb"
hdbinspect get "$FIXTURES/v0/resources.hdb" sparks:0@1
hdbinspect get "$FIXTURES/v0/resources.hdb" flashes:0@1 || echo "[exit $?]"
hdbinspect validate "$FIXTURES/v0/resources.hdb"
hdbinspect diff "$FIXTURES/v0/resources.hdb" "$FIXTURES/v0/resources.hdb" && echo equal
