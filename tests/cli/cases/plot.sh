cp -r "$FIXTURES/v0/series" saves
hdbinspect plot saves 'monsters:0@1.pos.*' -o path.html | sed 's/, [0-9.]* KiB$/, SIZE/'
hdbinspect plot saves monsters:1 -o slot.html | sed 's/, [0-9.]* KiB$/, SIZE/'
hdbinspect --json plot saves monsters:0@1.hp -o hp.html --by=play |
  sed 's/"output_bytes":[0-9]*/"output_bytes":N/'
made() { sed -n 's/.*x-hdb-plot">\(.*\)<.script>/\1/p' $1; }
made hp.html
made slot.html | grep -o '"events".*'
echo "--- the counts of a table"
hdbinspect plot saves monsters -o counts.html | sed 's/, [0-9.]* KiB$/, SIZE/'
made counts.html | sed 's/{"path"/\n&/g' | grep '^{"path"'
hdbinspect --json plot saves 't*' -o turn.html | sed 's/"output_bytes":[0-9]*/"output_bytes":N/'
hdbinspect plot saves monster -o no.html 2>&1; echo "[$?]"
echo "--- an output that is there"
hdbinspect plot saves monsters:0@1 -o hp.html 2>&1; echo "[$?]"
hdbinspect -q plot saves monsters:0@1 -o hp.html --force; echo "[$?]"
echo "--- an output that is a save"
hdbinspect plot saves monsters:0@1 --force -o saves/auto-1.hdb 2>&1; echo "[$?]"
cmp saves/auto-1.hdb "$FIXTURES/v0/series/auto-1.hdb" && echo unchanged
echo "--- no such record"
hdbinspect plot saves monsters:9@1 -o no.html 2>&1; echo "[$?]"
echo "--- an axis that does not rise"
cp saves/auto-1.hdb saves/copy.hdb
hdbinspect plot saves monsters:0@1 --by=date -o no.html 2>&1; echo "[$?]"
hdbinspect plot saves monsters:0@1.hp -o order.html | sed 's/, [0-9.]* KiB$/, SIZE/'
made order.html | grep -o '"by":"[a-z]*"'
echo "--- a damaged save"
head -c 1000 saves/auto-1.hdb >saves/auto-5.hdb
hdbinspect plot saves monsters:0@1.hp -o damaged.html 2>&1 | sed 's/, [0-9.]* KiB$/, SIZE/'
ls *.html
