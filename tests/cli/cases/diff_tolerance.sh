# --abs and --rel: records that differ by less are counted separately. One bound is enough; the last
# bound that matches counts.
a=$FIXTURES/v0/before.hdb
b=$FIXTURES/v0/after.hdb
hdbinspect diff "$a" "$b" -t monsters
hdbinspect diff "$a" "$b" -t monsters --abs 'monsters.pos.*=1000'
hdbinspect diff "$a" "$b" -t monsters --ignore 'monsters.target' --abs '**.pos=5' \
  --rel 'monsters.hp=0.15'
hdbinspect diff "$a" "$b" -t monsters --summary --abs 1000
hdbinspect diff "$a" "$b" -t monsters --summary --rel 0.5 --ignore '**.target' --json
hdbinspect diff "$a" "$b" -t clock --abs 'clock.{tick,random}=1e9'
echo "status $?"
hdbinspect diff "$a" "$b" -t clock --abs 1e9 --abs 'clock.tick=1'
hdbinspect diff "$a" "$b" -t clock --abs 'clock.tick=x' 2>&1
hdbinspect diff "$a" "$b" -t clock --rel '=-1' 2>&1
hdbinspect diff "$a" "$b" -t clock --rel 'a..b=1' 2>&1
