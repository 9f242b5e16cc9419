hdbinspect report $FIXTURES/v0/three_tables.hdb -o one.html | sed 's/, [0-9.]* KiB$/, SIZE/'
hdbinspect report $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb -o two.html |
  sed 's/, [0-9.]* KiB$/, SIZE/'
echo "--- an output that is there"
hdbinspect report $FIXTURES/v0/before.hdb -o one.html 2>&1; echo "[$?]"
hdbinspect report -q --force $FIXTURES/v0/before.hdb -o one.html; echo "[$?]"
echo "--- an output that is an input"
cp $FIXTURES/v0/before.hdb a.hdb
cp $FIXTURES/v0/after.hdb b.hdb
hdbinspect report --force a.hdb b.hdb -o b.hdb 2>&1; echo "[$?]"
cmp b.hdb $FIXTURES/v0/after.hdb && echo unchanged
echo "--- no output"
hdbinspect report a.hdb 2>&1; echo "[$?]"
hdbinspect report a.hdb -o missing/folder.html 2>&1; echo "[$?]"
echo "--- damaged: shown as far as it can be read"
printf X | dd of=b.hdb bs=1 seek=700 conv=notrunc 2>/dev/null
hdbinspect report a.hdb -o a.html >/dev/null; echo "[$?]"
hdbinspect report b.hdb -o b.html | sed 's/, [0-9.]* KiB$/, SIZE/'
hdbinspect report -q b.hdb -o b2.html; echo "[$?]"
echo "--- no save at all"
echo text >text.hdb
hdbinspect report text.hdb -o text.html 2>&1 | sed 's/, [0-9.]* KiB$/, SIZE/'
hdbinspect report -q --force text.hdb -o text.html 2>/dev/null; echo "[$?]"
ls *.html
echo "--- what is in the page: the saves, as they are, and the view to begin with"
grep -o 'x-hdb-view">[^<]*' two.html
for number in 1 2; do
  grep -o 'x-hdb" data-name="[^"]*">[^<]*' two.html | sed -n "${number}s/.*>//p" | base64 -d |
    cmp - $FIXTURES/v0/$(test $number = 1 && echo before || echo after).hdb && echo save $number
done
