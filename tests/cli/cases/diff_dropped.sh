hdbinspect diff "$FIXTURES/v0.10/dropped.hdb" "$FIXTURES/v0.10/dropped_later.hdb"
hdbinspect diff --json "$FIXTURES/v0.10/dropped.hdb" "$FIXTURES/v0.10/dropped_later.hdb"
# Only of whole states.
hdbinspect diff -t level "$FIXTURES/v0.10/dropped.hdb" "$FIXTURES/v0.10/dropped_later.hdb"
hdbinspect -q convert "$FIXTURES/v0.10/dropped.hdb" -o converted.hdb
hdbinspect diff "$FIXTURES/v0.10/dropped.hdb" converted.hdb
hdbinspect dump --exact "$FIXTURES/v0.10/dropped.hdb" | hdbinspect -q import - -o imported.hdb
hdbinspect diff "$FIXTURES/v0.10/dropped.hdb" imported.hdb
hdbinspect info "$FIXTURES/v0.10/dropped_later.hdb"
hdbinspect diff "$FIXTURES/v0.10/dropped.hdb" "$FIXTURES/v0.10/dropped_unknown.hdb"
hdbinspect info --json "$FIXTURES/v0.10/dropped_unknown.hdb"
hdbinspect dump --exact "$FIXTURES/v0.10/dropped_unknown.hdb" >unknown.jsonl
hdbinspect -q import unknown.jsonl -o imported_too.hdb
hdbinspect diff "$FIXTURES/v0.10/dropped_unknown.hdb" imported_too.hdb
