# Damaged header, directory and footer: blocks contain their own place, so nothing is lost.
file=$FIXTURES/v0/layouts.hdb
cp "$file" damaged.hdb
size=$(wc -c <"$file")
hit damaged.hdb 20 "$size - 164" "$size - 8"
hdbinspect repair damaged.hdb -o out.hdb
echo "status $?"
hdbinspect diff "$file" out.hdb
# Cut off within the last table: what is whole survives.
file=$FIXTURES/v0/three_tables.hdb
head -c $(($(block "$file" "zones > group 3") + 100)) "$file" > cut.hdb
hdbinspect repair cut.hdb -o cut.fixed.hdb
echo "status $?"
hdbinspect validate --level=deep cut.fixed.hdb
# Metadata, thumbnail, a block head, one catalog.
cp "$file" heads.hdb
hit heads.hdb "$(block "$file" metadata) + 98" "$(block "$file" thumbnail) + 76" \
  "$(block "$file" catalog) + 176" "$(block "$file" heroes) + 32"
hdbinspect repair heads.hdb -o heads.fixed.hdb
echo "status $?"
hdbinspect repair --json heads.hdb --dry-run | grep repair_fault
