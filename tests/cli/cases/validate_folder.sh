# A line for each bad save of a folder, and a sum; what is not a save is skipped, and nothing hangs.
cp -r "$FIXTURES/v0/series" saves
hdbinspect validate saves; echo "[$?]"
hdbinspect validate saves/ -v | head -1
hdbinspect validate -q saves; echo "[$?]"
echo "--- damaged saves, pipes, loops of links, sparse files, strange names"
hit saves/auto-5.hdb "$(block saves/auto-5.hdb "monsters > group 0")+900"
head -c 500 saves/auto-6.hdb >saves/auto-6.hdb.1
: >saves/empty.hdb
: >saves/empty
echo text >saves/readme.txt
echo text >saves/.temporary.hdb
printf '\033[31m' >"saves/$(printf 'evil\033[31m\n.hdb')"
mkfifo saves/pipe saves/pipe.hdb
ln -s loop.hdb saves/loop.hdb
ln -s . saves/inner
ln -s auto-1.hdb saves/link.hdb
ln -s /dev/zero saves/zero.hdb
truncate -s 1G saves/sparse
truncate -s 1G saves/sparse.hdb
hdbinspect validate saves; echo "[$?]"
hdbinspect validate --json saves | grep _sum
echo "--- what has the name of a save and is not a file: not checked, and never passed over"
mkdir odd odd/folder.hdb odd/folder
ln -s gone.hdb odd/dead.hdb
ln -s gone odd/dead
mkfifo odd/pipe.hdb.1
cp "$FIXTURES/v0/series/auto-1.hdb" odd
hdbinspect validate odd 2>&1; echo "[$?]"
hdbinspect log odd 2>&1 | grep -v '^ *next'
echo "--- with single files and other folders; the worst status counts"
mkdir none text
echo text >text/readme.txt
hdbinspect validate saves/auto-1.hdb saves/auto-5.hdb none text missing 2>&1; echo "[$?]"
cp "$FIXTURES/v0/invalid/newer_version.hdb" text
hdbinspect validate text 2>&1; echo "[$?]"
echo "--- many files"
mkdir many
seq 10000 | (cd many && xargs touch)
cp "$FIXTURES/v0/series/auto-1.hdb" many
hdbinspect validate many; echo "[$?]"
