# Outputs that may not be written, input of which nothing is left, files of another version.
cp "$FIXTURES/v0/three_tables.hdb" in.hdb
echo kept > there.ndjson
ln -s in.hdb link.hdb
for out in in.hdb link.hdb there.ndjson no/such/folder.hdb -; do
  hdbinspect repair in.hdb -o "$out" 2>&1
  echo "status $?"
done
hdbinspect repair in.hdb 2>&1
echo "status $?"
hdbinspect repair in.hdb -o out.hdb --dry-run 2>&1
echo "status $?"
hdbinspect repair in.hdb -o out.hdb --lost there.ndjson 2>&1
echo "status $?"
hdbinspect repair in.hdb -o out.hdb --lost out.hdb 2>&1
echo "status $?"
hdbinspect repair in.hdb -o out.hdb --lost in.hdb --force 2>&1
echo "status $?"
hdbinspect repair in.hdb -o out.hdb --refs=nothing 2>&1
echo "status $?"
# Both catalogs: the list of what is lost goes, and one that was there stays.
cp in.hdb damaged.hdb
hit damaged.hdb "$(block in.hdb catalog) + 156" "$(block in.hdb "catalog (part 1)") + 100"
hdbinspect repair damaged.hdb -o out.hdb --lost new.ndjson 2>&1
echo "status $?"
hdbinspect repair damaged.hdb -o out.hdb --lost there.ndjson --force 2>&1
echo "status $?"
cat there.ndjson
echo "no save" > junk.hdb
hdbinspect repair junk.hdb -o out.hdb 2>&1
echo "status $?"
hdbinspect repair missing.hdb -o out.hdb 2>&1
echo "status $?"
hdbinspect repair "$FIXTURES/v0/invalid/newer_version.hdb" -o out.hdb 2>&1
echo "status $?"
ls
