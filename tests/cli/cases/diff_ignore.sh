# --ignore: fields and tables that are not compared; their columns and schema changes are skipped. A
# glob without a match is reported.
a=$FIXTURES/v0/before.hdb
b=$FIXTURES/v0/after.hdb
hdbinspect diff --summary "$a" "$b"
hdbinspect diff --summary "$a" "$b" --ignore 'monsters.{hp,pos}' --ignore clock
hdbinspect diff "$a" "$b" --ignore 'monsters.*' --ignore '{clock,weapons}'
hdbinspect diff "$FIXTURES/v0/after.hdb" "$FIXTURES/v0/later_version.hdb" --summary
hdbinspect diff "$FIXTURES/v0/after.hdb" "$FIXTURES/v0/later_version.hdb" --summary \
  --ignore 'monsters.stamina'
hdbinspect diff --summary "$a" "$b" --ignore monster.hp 2>&1 >summary
hdbinspect diff --summary "$a" "$b" --ignore hp 2>&1 >summary
hdbinspect diff --summary "$a" "$b" --ignore 'monsters.[' 2>&1
