cd "$FIXTURES/v0"
hdbinspect compat --json later_version.hdb before.hdb
hdbinspect compat --json --allow-loss later_version.hdb before.hdb | tail -1
hdbinspect compat --json before.hdb retyped.hdb
