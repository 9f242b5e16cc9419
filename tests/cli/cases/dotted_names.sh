# Tables whose names have dots: what the tool proposes is what it takes.
hdbinspect dump --exact "$FIXTURES/v0.10/before.hdb" |
  sed 's/"monsters"/"level.mon"/g; s/"monsters:/"level.mon:/g' | hdbinspect -q import - -o a.hdb
hdbinspect -q set a.hdb 'level.mon[*].hp=5' -o b.hdb
try() {
  hdbinspect "$@" 2>&1
  echo "status $?"
}
try dump a.hdb --count -w 'target == level.mon:7@1'
try dump a.hdb --count -w 'target == `level.mon`:7@1'
try grep a.hdb 'target == level.mon:7@1'
try diff a.hdb b.hdb --ignore level.mon.hp
try diff a.hdb b.hdb --ignore 'level?mon.hp'
try diff a.hdb b.hdb --summary --abs level.mon.hq=3
