# A damaged save is reported, and the others are used.
cp -r "$FIXTURES/v0/series" saves
head -c 1000 "$FIXTURES/v0/series/auto-5.hdb" >saves/auto-5.hdb
hdbinspect log saves monsters:0@1.hp 2>&1; echo "[$?]"
hdbinspect -q blame saves monsters:0@1.hp 2>&1; echo "[$?]"
echo "--- a damaged column: only those who need it care"
cp "$FIXTURES/v0/series/auto-5.hdb" saves/auto-5.hdb
hit saves/auto-5.hdb "$(block saves/auto-5.hdb "monsters > group 0")+900"
hdbinspect validate saves/auto-5.hdb | head -2
hdbinspect log saves monsters:0@1.hp 2>&1; echo "[$?]"
hdbinspect log saves monsters:0@1.loot 2>&1; echo "[$?]"
hdbinspect grep saves 'loot[*] == "gold"' 2>&1; echo "[$?]"
echo "--- around the place that bisect looks for"
cp "$FIXTURES/v0/series/auto-5.hdb" saves/auto-5.hdb
for i in 7 8; do
  hit "saves/auto-$i.hdb" "$(block "saves/auto-$i.hdb" "monsters > group 0")+4"
done
hdbinspect bisect --halve saves 'hp < 0' 2>&1; echo "[$?]"
hdbinspect bisect saves 'hp < 0' 2>&1; echo "[$?]"
echo "--- a save of a newer version"
cp "$FIXTURES/v0/series"/*.hdb saves
cp "$FIXTURES/v0/invalid/newer_version.hdb" saves/auto-9.hdb
hdbinspect log saves monsters:0@1.hp 2>&1; echo "[$?]"
echo "--- nothing else"
mkdir bad
cp "$FIXTURES/v0/invalid/newer_version.hdb" bad
hdbinspect log bad monsters:0@1.hp 2>&1; echo "[$?]"
head -c 1000 saves/auto-1.hdb >bad/cut.hdb
hdbinspect grep bad 'hp < 0' 2>&1; echo "[$?]"
