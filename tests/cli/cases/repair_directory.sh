# Damaged header, directory and footer: blocks contain their own place, so nothing is lost.
cp "$FIXTURES/v0/three_tables.hdb" damaged.hdb
for at in 20 5000 5800; do printf X | dd of=damaged.hdb bs=1 seek=$at conv=notrunc 2>/dev/null; done
hdbinspect repair damaged.hdb -o out.hdb
echo "status $?"
cmp "$FIXTURES/v0/three_tables.hdb" out.hdb && echo "byte for byte"
# Cut off within the last table: what is whole survives.
head -c 4200 "$FIXTURES/v0/three_tables.hdb" > cut.hdb
hdbinspect repair cut.hdb -o cut.fixed.hdb
echo "status $?"
hdbinspect validate --level=deep cut.fixed.hdb
# Metadata, thumbnail, a block head, one catalog.
cp "$FIXTURES/v0/three_tables.hdb" heads.hdb
for at in 170 300 520 800; do
  printf X | dd of=heads.hdb bs=1 seek=$at conv=notrunc 2>/dev/null
done
hdbinspect repair heads.hdb -o heads.fixed.hdb
echo "status $?"
hdbinspect repair --json heads.hdb --dry-run | grep repair_fault
