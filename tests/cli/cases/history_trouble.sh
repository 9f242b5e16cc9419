cp -r "$FIXTURES/v0/series" saves
echo "--- no such record"
hdbinspect log saves monsters:0@9 2>&1; echo "[$?]"
hdbinspect log saves monsters:1@5.hp 2>&1; echo "[$?]"
hdbinspect blame saves monsters:700@1 2>&1; echo "[$?]"
echo "--- names that are wrong"
hdbinspect log saves monster:0@1 2>&1; echo "[$?]"
hdbinspect log saves monsters:0@1.hpp 2>&1; echo "[$?]"
hdbinspect blame saves monsters 2>&1; echo "[$?]"
hdbinspect log saves 0x100000000 2>&1; echo "[$?]"
hdbinspect grep saves 'hpp < 0' 2>&1; echo "[$?]"
hdbinspect bisect saves 'hp <' 2>&1; echo "[$?]"
hdbinspect grep saves -t monster 'hp < 0' 2>&1; echo "[$?]"
hdbinspect grep saves 'name < 0' 2>&1; echo "[$?]"
echo "--- something is missing"
hdbinspect blame saves 2>&1; echo "[$?]"
hdbinspect log 2>&1; echo "[$?]"
hdbinspect grep saves 2>&1; echo "[$?]"
echo "--- folders"
mkdir none other
hdbinspect log none monsters:0@1 2>&1; echo "[$?]"
hdbinspect log missing monsters:0@1 2>&1; echo "[$?]"
echo text >other/readme.txt
echo text >other/.hidden
hdbinspect grep other 'hp < 0' 2>&1; echo "[$?]"
cp saves/auto-1.hdb other/only.save
hdbinspect log other monsters:0@1.hp 2>&1; echo "[$?]"
hdbinspect bisect other 'hp < 0' 2>&1; echo "[$?]"
hdbinspect log - monsters:0@1.hp <saves/auto-1.hdb 2>&1; echo "[$?]"
echo "--- the saves of two worlds"
cp saves/auto-3.hdb saves/auto-4.hdb other
cp "$FIXTURES/v0/before.hdb" "$FIXTURES/v0/resources.hdb" other
hdbinspect log other monsters:0@1.hp 2>&1; echo "[$?]"
hdbinspect -q grep other 'awake' 2>&1; echo "[$?]"
