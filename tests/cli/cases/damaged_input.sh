# Commands that need a sound file: trouble, with the place and what to do.
head -c 3000 "$FIXTURES/v0/three_tables.hdb" > cut.hdb
for command in info ls schema dump; do
  hdbinspect $command cut.hdb 2>&1
  echo "status $?"
done
hdbinspect get cut.hdb units:1@1 2>&1
echo "status $?"
hdbinspect diff cut.hdb "$FIXTURES/v0/three_tables.hdb" 2>&1
