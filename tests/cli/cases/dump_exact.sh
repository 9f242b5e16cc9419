# Every line that there is of a file; what does not go with --exact; a pipe that closes.
file=$FIXTURES/v0/after.hdb
hdbinspect dump --exact "$file"
hdbinspect dump --exact "$FIXTURES/v0/resources.hdb" | grep -v 'slot.*scores' | cut -c1-230
hdbinspect dump --exact "$FIXTURES/v0/every_field.hdb" | sed -n 4p
hdbinspect dump --exact "$FIXTURES/v0/three_tables.hdb" | grep -v exact_slot | cut -c1-160
hdbinspect dump --exact "$FIXTURES/v0/three_tables.hdb" | grep -c '"state":"retired"'
hdbinspect dump --exact - <"$FIXTURES/v0/empty.hdb"
{ hdbinspect dump --exact "$FIXTURES/v0/three_tables.hdb" 2>err
  echo "closed pipe: status $?" >status; } | head -c 1
cat status err
for option in "-t monsters" "-f hp" "--limit 3"; do
  # shellcheck disable=SC2086  # two words
  hdbinspect dump --exact $option "$file" 2>&1
  echo "status $?"
done
head -c 3000 "$file" >cut.hdb
hdbinspect dump --exact cut.hdb 2>&1
echo "status $?"
hdbinspect dump --exact "$FIXTURES/v0/invalid/newer_version.hdb" 2>&1
echo "status $?"
