# Folders and files whose names are not ASCII: listed, read, written and named in messages. Under
# Wine the names are those of Windows.
LC_ALL=C.UTF-8 TMPDIR=$PWD BROWSER=false
export LC_ALL TMPDIR BROWSER
size() { sed -E 's/[0-9.]+ KiB/SIZE/'; }
mkdir 日本
cp "$FIXTURES/v0/three_tables.hdb" 日本/夏.hdb
cp "$FIXTURES/v0/three_tables.hdb" 日本/é.hdb
hit 日本/é.hdb "$(block 日本/é.hdb "zones > group 2") + 100"
cp 日本/é.hdb before.hdb
hdbinspect validate 日本
echo "status $?"
hdbinspect ls 日本/夏.hdb | head -1
hdbinspect log 日本 2>&1
hdbinspect open 日本 -o 頁.html | size
ls 日本 頁.html
# The page is named after the save, in a folder of its own.
hdbinspect open 日本/夏.hdb | sed 's#^.*[/\\]##; s/, in a browser//' | size
hdbinspect repair 日本/é.hdb -o 日本/é.hdb --force 2>&1
cmp 日本/é.hdb before.hdb && echo "the input is as it was"
hdbinspect repair 日本/é.hdb -o 日本/夏.hdb 2>&1
hdbinspect repair 日本/é.hdb -o 日本/冬.hdb
hdbinspect validate --level=deep 日本/冬.hdb
hdbinspect explain 日本/夏.hdb 0z 2>&1
