# CSV: flattened fields, quoted cells; texts that would be formulas get a ' in front. Lines end in
# CR LF.
hdbinspect dump "$FIXTURES/v0/every_field.hdb" --format=csv
hdbinspect dump "$FIXTURES/v0/after.hdb" -t monsters --format=csv -f name -f pos -f loot --limit 3
hdbinspect dump "$FIXTURES/v0/odd_names.hdb" --format=csv 2>&1
echo "status $?"
hdbinspect dump "$FIXTURES/v0/odd_names.hdb" --format=csv -t '=*'
hdbinspect dump "$FIXTURES/v0/odd_names.hdb" --format=csv -t 'm*'
hdbinspect dump "$FIXTURES/v0/after.hdb" --format=csv 2>&1
