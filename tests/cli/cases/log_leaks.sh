# Numbers of tables that never fall, and rise in some saves.
cp -r "$FIXTURES/v0/series" saves
hdbinspect log --leaks saves; echo "[$?]"
hdbinspect log --leaks --grew 1 saves; echo "[$?]"
hdbinspect log --leaks --grew 1 saves -t turn; echo "[$?]"
hdbinspect --json log --leaks --grew 1 saves; echo "[$?]"
echo "--- damaged saves are left out"
head -c 500 saves/auto-7.hdb >saves/auto-6.hdb
hdbinspect -q log --leaks --grew 1 saves 2>&1; echo "[$?]"
echo "--- mistakes"
hdbinspect log --leaks saves/auto-1.hdb saves/auto-2.hdb 2>&1; echo "[$?]"
hdbinspect log --leaks --grew 8 saves 2>&1; echo "[$?]"
hdbinspect log --leaks --grew 1 saves -t monster 2>&1; echo "[$?]"
