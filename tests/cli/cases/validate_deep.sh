for file in three_tables resources every_field; do
  hdbinspect validate --level=deep "$FIXTURES/v0/$file.hdb"
  echo "status $?"
done
hdbinspect --json validate --level=deep "$FIXTURES/v0/every_field.hdb"
