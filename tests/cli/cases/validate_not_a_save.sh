# Files that are not hdb files: one clear message each, never a signal.
mkdir folder
: > nothing.hdb
printf "some text that is long enough to be read as a header, %s" \
  "one would think, but it is none at all" > text.hdb
head -c 3000 "$FIXTURES/v0/three_tables.hdb" > cut.hdb
for file in nothing.hdb text.hdb cut.hdb folder missing.hdb /dev/null; do
  hdbinspect validate "$file" 2>&1
  echo "status $?"
done
