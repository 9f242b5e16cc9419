# What goes wrong with archives: names, other files, damage, a number that is taken.
cp "$FIXTURES/v0/before.hdb" before.hdb
cp "$FIXTURES/v0/after.hdb" after.hdb
try() {
  hdbinspect "$@" 2>&1
  echo "status $?"
}
hdbinspect -q archive put saves.hdba before.hdb after.hdb
hdbinspect -q archive put saves.hdba after.hdb --world other
try archive put saves.hdba after.hdb --number 1
try archive put saves.hdba before.hdb --world ../escape
try archive put saves.hdba no_such.hdb
try archive put new.hdba no_such.hdb
try archive put new.hdba before.hdb --world ../escape
ls new.hdba 2>/dev/null || echo 'no new.hdba'
try archive put .
try archive put . before.hdb
try archive put saves.db before.hdb
mkdir old.hdba
touch old.hdba/hdb-archive
try archive list old.hdba
try info old.hdba@world/1
try archive list before.hdb
try archive list nowhere.hdba
try archive list saves.hdba@nobody
try archive get saves.hdba -o out.hdb
try archive get saves.hdba@world/1
try archive get saves.hdba@world/1 -o before.hdb
try archive remove saves.hdba@world
try archive gc saves.hdba@world
try archive list saves.hdba before.hdb
try info saves.hdba
try info saves.hdba@1
try info saves.hdba@world/9
try info saves.hdba@nobody/1
try info no_such.hdba@1
# A build without libpq says so (E1008), one with it that there is no such server (E1009).
hdbinspect diff saves.hdba@world/1 "postgresql://nobody@nowhere.invalid/saves@world/2" 2>&1 |
  sed -n 's,.*HDB-E100[89] .*,refused,p'
for at in $(grep -abo Before saves.hdba | cut -d: -f1); do hit saves.hdba $at; done  # world/1
try archive verify saves.hdba
try validate saves.hdba@world/1
try archive gc saves.hdba
try archive list saves.hdba
try archive repair saves.hdba
try archive repair saves.hdba@world copy.hdba
try archive repair saves.hdba copy.hdba
try archive verify copy.hdba
try archive repair saves.hdba copy.hdba
