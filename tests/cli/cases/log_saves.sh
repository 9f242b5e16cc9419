# log without a record: a line for each save, and what only grows.
cp -r "$FIXTURES/v0/series" saves
hdbinspect log saves; echo "[$?]"
echo "--- one table"
hdbinspect log saves -t 'm*' | tail -3
hdbinspect log saves -t monster 2>&1; echo "[$?]"
echo "--- a table that comes and goes; equal states; another schema"
mkdir mixed
cp "$FIXTURES/v0/before.hdb" mixed/1.hdb
cp "$FIXTURES/v0/before.hdb" mixed/2.hdb
cp "$FIXTURES/v0/resources.hdb" mixed/3.hdb
cp "$FIXTURES/v0/later_version.hdb" mixed/4.hdb
hdbinspect -q log mixed/1.hdb mixed/2.hdb mixed/3.hdb mixed/4.hdb; echo "[$?]"
echo "--- JSON"
hdbinspect --json log saves | head -2
echo "--- an archive"
hdbinspect -q archive put saves.hdba saves/auto-3.hdb saves/auto-4.hdb
hdbinspect log saves.hdba
echo "--- a damaged column, and a damaged save"
hit saves/auto-5.hdb "$(block saves/auto-5.hdb "monsters > group 0")+900"
head -c 500 saves/auto-7.hdb >saves/auto-7.hdb.1
hdbinspect log saves 2>&1; echo "[$?]"
hdbinspect --json log saves/auto-3.hdb saves/auto-5.hdb 2>&1 | tail -1 | grep -o '"tables".*'
echo "--- pipes, loops of links, sparse files, strange names"
: >saves/empty.hdb
mkfifo saves/pipe.hdb
ln -s loop.hdb saves/loop.hdb
ln -s . saves/inner
truncate -s 1G saves/sparse.hdb
cp saves/auto-2.hdb "saves/$(printf 'evil\033[31m\n.hdb')"
hdbinspect -q log saves 2>/dev/null | tail -3; echo "[$?]"
echo "--- mistakes"
hdbinspect log saves monsters 2>&1; echo "[$?]"
hdbinspect log saves missing.hdb 2>&1; echo "[$?]"
hdbinspect log saves monsters:0@1 --leaks 2>&1; echo "[$?]"
hdbinspect log saves --grew 3 2>&1; echo "[$?]"
