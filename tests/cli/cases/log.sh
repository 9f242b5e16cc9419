cp -r "$FIXTURES/v0/series" saves
hdbinspect log saves monsters:0@1
echo "--- one field"
hdbinspect log saves/ monsters:0@1.hp
echo "--- a glob"
hdbinspect log saves 'monsters:0@1.{hp,loot}'
echo "--- an element of a list that is not there at first"
hdbinspect log saves 'monsters:0@1.loot[0]'
echo "--- the end of a record, and who has its slot"
hdbinspect log saves monsters:1@1.name
echo "--- one that is born later, in a slot that was used before"
hdbinspect log saves monsters:1@2.name
echo "--- all records of a slot"
hdbinspect log saves monsters:1.name
echo "--- raw bits"
hdbinspect log saves 0x100000000.hp -t monsters
echo "--- files, in any order, one of them twice"
cd saves
hdbinspect log auto-4.hdb auto-1.hdb auto-3.hdb auto-4.hdb monsters:0@1.hp
