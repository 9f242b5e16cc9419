# What cannot be done is told, and nothing is written.
cp "$FIXTURES/v0.10/before.hdb" in.hdb
refused() {
  hdbinspect set in.hdb "$@" -o out.hdb 2>&1
  echo "status $?"
  [ ! -e out.hdb ] || echo "a file was written"
}
for edit in monsters:1@2.hp=1 monsters:5.hp=3 monsters:5@1.hp=3 monsters:99.hp=3 monster:1@1.hp=1 \
  monsters:1@1.hq=1 monsters:1@1.hp=abc monsters:1@1.hp= monsters:1@1.hp=1.5 \
  monsters:1@1.hp=2147483648 monsters:1@1.hp nonsense = monsters:1@1.target=monsters:5@1 \
  monsters:1@1.target=weapons:0@1 monsters:1@1.target=0x500000001 monsters:1@1.pos.x=1e99 \
  'monsters:3@1.loot[2]=x' 'monsters:3@1.loot[]=x' 'monsters:3@1.loot=["a", 3]' \
  'monsters:3@1={"name": "imp"}' 'monsters[hp < 0].hp=3' 'monsters[hq < 0].hp=3' \
  'monsters[hp < ].hp=3' 'monsters[hp < 0.hp=3' 0x100000001.name=x 'monsters[*]hp=3' \
  'monsters[*].=3' 'monster[*].hp=3' 'monsters[loot[0] == "gold"].hp=true'; do
  refused "$edit"
done
refused monsters:1@1.hp=7 monsters:1@2.hp=8
refused
hdbinspect set in.hdb monsters:1@1.hp=1 -o in.hdb 2>&1
hdbinspect set in.hdb monsters:1@1.hp=1 -o /dev/stdout --force >printed 2>&1
cat printed
hdbinspect set in.hdb monsters:1@1.hp=1 -o printed --force >printed 2>&1
cat printed
echo "status $?"
hdbinspect set in.hdb monsters:1@1.hp=1 2>&1
echo "status $?"
# Two records of one name; an enumerator that is not there; bytes that are damaged.
hdbinspect set "$FIXTURES/v0.10/all_kinds.hdb" 'textures[*].@name=lava' -o out.hdb 2>&1
echo "status $?"
hdbinspect set "$FIXTURES/v0.10/ages/age_5.hdb" 'monsters[*].mood=merry' -o out.hdb 2>&1
echo "status $?"
hit in.hdb $(block in.hdb "monsters > group 0")+100
hdbinspect set in.hdb monsters:1@1.hp=1 -o out.hdb 2>&1
echo "status $?"
ls
