# Files that need a newer reader: status 3, which outranks a finding but not trouble.
printf "no save" > text.hdb
newer=$FIXTURES/v0/invalid/newer_version.hdb
hdbinspect validate "$newer" "$FIXTURES/v0/invalid/unknown_feature.hdb" 2>&1
echo "status $?"
hdbinspect validate text.hdb "$newer" "$FIXTURES/v0/before.hdb" 2>&1
echo "status $?"
hdbinspect info "$newer" missing.hdb 2>&1
