# A field of another type: compared where values can be equal, else reported as not compared.
hdbinspect diff -t weapons "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/retyped.hdb"
hdbinspect diff --json -t weapons "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/retyped.hdb"
