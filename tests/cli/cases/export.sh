# An SQLite file; names that SQLite has already; what is refused, and leaves nothing.
in=$FIXTURES/v0.10/before.hdb
try() {
  hdbinspect "$@" 2>&1
  echo "[$?]"
}
try export "$in" -o out.sqlite
head -c 15 out.sqlite
echo
try export "$in" -o out.sqlite
try export "$in" "$FIXTURES/v0.10/after.hdb" -t monsters -o out.sqlite --force
try --json export "$in" -w 'name == "imp"' -o where.sqlite
try -q export "$in" -o quiet.sqlite
mkdir folder
ln -s folder/linked.sqlite link.sqlite
try export "$in" -o link.sqlite --force
ls folder
# Tables "saves" and "Monsters" beside "monsters", and a field "slot".
hdbinspect dump --exact "$FIXTURES/v0.10/before.hdb" | sed -e 's/"name":"hp"/"name":"Slot"/' \
  -e 's/"hp":/"Slot":/; s/"table":"weapons"/"table":"saves"/; s/weapons:/saves:/g' \
  -e 's/"handle_table":"weapons"/"handle_table":"saves"/' |
  hdbinspect -q import - -o odd.hdb
try export odd.hdb -o odd.sqlite
try sql odd.hdb 'select handle, slot, "Slot_2" from monsters limit 2'
try sql odd.hdb 'select name from sqlite_schema'
cp "$FIXTURES/v0.10/three_tables.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "units > group 0") + 100"
try export damaged.hdb -o damaged.sqlite
try export damaged.hdb -t heroes -o part.sqlite
try export "$in" -o "$in"
try export "$in" damaged.hdb -o damaged.hdb --force
try export "$in" -t monstres -o no.sqlite
try export "$in" -w 'hp <' -o no.sqlite
try export "$in" -o missing/no.sqlite
try export missing.hdb -o no.sqlite
try export "$in"
ls
