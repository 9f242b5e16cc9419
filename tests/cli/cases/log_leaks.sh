# Numbers of tables that never fall, and rise in some saves.
cp -r "$FIXTURES/v0/series" saves
hdbinspect log --leaks saves; echo "[$?]"
hdbinspect log --leaks --grew 1 saves; echo "[$?]"
hdbinspect log --leaks --grew 1 saves -t turn; echo "[$?]"
hdbinspect --json log --leaks --grew 1 saves; echo "[$?]"
echo "--- damaged saves are left out"
head -c 500 saves/auto-7.hdb >saves/auto-6.hdb
hdbinspect -q log --leaks --grew 1 saves 2>&1; echo "[$?]"
echo "--- the slots of a component table are those of its owner"
slot='{"type":"exact_slot","v":1,"table":"textures","slot":2,"state":"free","generation":1}'
list='{"type":"exact_free_list","v":1,"table":"textures","first":0,"slots":[2]}'
component='{"type":"exact_slot","v":1,"table":"Use","slot":2,"state":"unissued","generation":0}'
cp "$FIXTURES/v0.10/components.hdb" one.hdb
hdbinspect dump --exact one.hdb | sed '/exact_table.*"\(Use\|textures\)"/s/"slots":2/"slots":3/
  /exact_table.*"table":"textures"/s/"free":0/"free":1/; s/"sequence":1/"sequence":2/
  s/"slots":52/"slots":54/; /"Use","slot":1/a '"$component"'
  /"textures","slot":1/a '"$slot\\n$list" | hdbinspect -q import - -o two.hdb
hdbinspect log --leaks --grew 1 one.hdb two.hdb; echo "[$?]"
echo "--- mistakes"
hdbinspect log --leaks saves/auto-1.hdb saves/auto-2.hdb 2>&1; echo "[$?]"
hdbinspect log --leaks --grew 8 saves 2>&1; echo "[$?]"
hdbinspect log --leaks --grew 1 saves -t monster 2>&1; echo "[$?]"
