# Copies from archive to archive: what is there is skipped, what is another save stays.
hdbinspect -q archive put saves.hdba "$FIXTURES"/v0/series/auto-*.hdb --world gate
hdbinspect -q archive put saves.hdba "$FIXTURES/v0/before.hdb" --world cave
try() {
  hdbinspect archive "$@" 2>&1
  echo "status $?"
}
try copy saves.hdba other.hdba --world cave
try copy saves.hdba other.hdba
try copy saves.hdba other.hdba
try verify other.hdba
hdbinspect archive list saves.hdba >ours
hdbinspect archive list other.hdba | diff ours - && echo equal
try remove saves.hdba@cave/1
hdbinspect -q archive put saves.hdba "$FIXTURES/v0/after.hdb" --world cave --number 1
try copy saves.hdba other.hdba
hdbinspect info other.hdba@cave/1 | sed -n 2p
try copy saves.hdba saves.hdba
try copy saves.hdba
try copy saves.hdba other.db
try copy saves.hdba@gate other.hdba
try copy nowhere.hdba other.hdba
try copy saves.hdba other.hdba --world nowhere
try copy saves.hdba other.hdba --keep-last 3
try metrics other.hdba --world 'g*'
for at in $(grep -abo Before other.hdba | cut -d: -f1); do hit other.hdba $at; done
hdbinspect archive metrics other.hdba | grep damaged_saves
try copy other.hdba third.hdba
