# Queries in each format: a join through a handle, a nested list, counts by save, odd values.
before=$FIXTURES/v0.10/before.hdb
after=$FIXTURES/v0.10/after.hdb
every=$FIXTURES/v0.10/every_field.hdb
hdbinspect sql "$before" 'select sql from sqlite_schema'
hdbinspect sql "$before" 'select m.name, m.hp, t.name as target from monsters m
  join monsters t on t.handle = m.target order by m.hp limit 3'
hdbinspect sql "$before" "$after" 'select save, date, state_hash, count(*), min(hp), max("pos.x")
  from monsters join saves using (save) group by save'
hdbinspect sql "$before" 'select l.*, m.name from "monsters.loot" l join monsters m using (handle)'
hdbinspect sql "$every" 'select handle, real, ularge, mood, text, either, "either<1>",
  "either<2>.x", "pos.z", maybe, self, "self.slot", secret from things'
hdbinspect --json sql "$every" 'select handle, real, ularge, text, "pos.z", secret, handle
  from things'
hdbinspect sql --format=json "$every" 'select key, value from "things.skills"'
hdbinspect sql --format=json "$every" 'select key from "things.skills" where value > 100'
hdbinspect sql --format=csv "$every" 'select handle, "-5" as "=x", text, secret, maybe, "pos.z"
  from things join (select -5 as "-5")' | tr -d '\r'
hdbinspect sql "$FIXTURES/v0.10/components.hdb" 'select e.handle, kind, h.hp, p.x from entities e
  left join Health h using (handle) left join Position p using (handle) limit 3'
hdbinspect sql "$FIXTURES/v0.10/odd_names.hdb" "select * from \"=x 'y'\""
# Only what a query reads is read: damage elsewhere does not matter.
cp "$FIXTURES/v0.10/three_tables.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "units > group 0") + 100"
hdbinspect sql damaged.hdb 'select count(*) from heroes'
hdbinspect sql damaged.hdb 'select * from units' 2>&1
echo "[$?]"
hdbinspect sql "$before" 'select handle from monsters where hp > 1000000'
echo "[$?]"
cat "$before" | hdbinspect sql - 'select file, count(*) from saves'
