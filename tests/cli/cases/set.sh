# One record, many, an element, several edits at once; each file is valid, and nothing else differs.
cp "$FIXTURES/v0.10/before.hdb" in.hdb
hdbinspect set in.hdb monsters:1@1.hp=481 -o one.hdb
hdbinspect set in.hdb 'monsters[hp > 10 and name == "imp"].hp=0' -o many.hdb -n 2
hdbinspect set in.hdb 'monsters[*].name=orc' 'monsters[name == "orc" and @slot < 2].hp=5' \
  -o chain.hdb -n 3
hdbinspect set in.hdb 'monsters:3@1.loot[1]=lamp' 'monsters:3.pos={"x":1,"y":2,"z":"-0"}' \
  monsters:3@1.target=monsters:2@1 -o nested.hdb
hdbinspect set in.hdb 'monsters:3@1.loot=[]' 'monsters:2.target=null' -o cleared.hdb
hdbinspect set in.hdb monsters:1@1.hp=100 -o same.hdb
hdbinspect -q set in.hdb monsters:1@1.hp=1 -o quiet.hdb
hdbinspect --json set in.hdb monsters:1@1.hp=1 -o json.hdb
# Enumerators by name, an optional, an alternative, components, a record with a name, raw bits.
hdbinspect set "$FIXTURES/v0.10/every_field.hdb" 'things:1@1.maybe=7' 'things:0.maybe=null' \
  'things:1@1.either<2>.y=-3' 'things:1@1.skills[0].value=9' 'things:1@1.text="a=b"' \
  'things:1@1.real=Infinity' 'things:1@1.ularge=18446744073709551615' -o fields.hdb
hdbinspect set "$FIXTURES/v0.10/ages/age_5.hdb" \
  'monsters[mood == "calm"].mood=furious' -o mood.hdb -n 1
hdbinspect set "$FIXTURES/v0.10/all_kinds.hdb" textures:1.@name=lava -o name.hdb
hdbinspect -q validate --level=deep ./*.hdb && echo sound
hdbinspect -q diff in.hdb same.hdb && echo same
cat in.hdb | hdbinspect set - monsters:1@1.hp=2 -o piped.hdb | tail -1
