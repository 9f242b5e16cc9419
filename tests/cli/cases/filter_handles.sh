# Filters that go through handles: fields of the records that they name, and stale ones.
saves=$FIXTURES/v0/series
hdbinspect grep "$saves" 'target.name ~* "DEMON" or target is stale' 2>&1
hdbinspect dump "$saves/auto-6.hdb" -w 'target is stale' -f name,target
hdbinspect dump "$FIXTURES/v0/components.hdb" -w 'attacker is stale' -f attacker
hdbinspect dump "$saves/auto-5.hdb" -w 'target.weapon.damage > 0 and target.hp < 100' -f target
for where in 'target.hpp < 3' 'target.weapon.name == 3' 'hp is stale' 'target is fresh'; do
  hdbinspect dump "$saves/auto-5.hdb" -w "$where" 2>&1
done
hdbinspect diff "$saves/auto-5.hdb" "$saves/auto-6.hdb" -w 'target is stale' 2>&1
hdbinspect set "$saves/auto-6.hdb" 'monsters[target is stale].target=null' -o calm.hdb
hdbinspect set "$saves/auto-6.hdb" monsters:2.hp=3 'monsters[target is stale].target=null' \
  -o b.hdb 2>&1
