# The page itself is looked at by tests/browser; here, what is in it and what is said about it.
differences() {
  sed -n 's/.*x-hdb-diff">/&\n/;/x-hdb-diff/,/<.script>$/p' $1 | sed '1d;s/<.script>$//'
}
hdbinspect diff --format=html -o page.html $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb
echo "[$?]"
hdbinspect diff --format=html $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb | cmp - page.html &&
  echo "the same on standard output"
hdbinspect diff --format=html $FIXTURES/v0/before.hdb $FIXTURES/v0/before.hdb >equal.html
echo "[$?]"
hdbinspect diff -q --format=html $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb; echo "[$?]"
differences page.html | head -1
differences page.html | sed 1d >lines
hdbinspect diff --format=ndjson $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb | cmp - lines &&
  echo "what ndjson prints"
echo "--- an output that is there, and one that is an input"
hdbinspect diff --format=html -o page.html $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb 2>&1
echo "[$?]"
cp $FIXTURES/v0/before.hdb a.hdb
hdbinspect diff --force --format=html -o a.hdb a.hdb $FIXTURES/v0/after.hdb 2>&1; echo "[$?]"
echo "--- options that do not go together"
hdbinspect diff -o page.txt $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb 2>&1; echo "[$?]"
hdbinspect diff --json --format=html $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb 2>&1
echo "[$?]"
hdbinspect diff --format=ndjson --summary $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb
echo "[$?]"
echo "--- tolerances"
hdbinspect diff --format=html --abs clock.tick=1000 -t clock $FIXTURES/v0/before.hdb \
  $FIXTURES/v0/after.hdb >clock.html; echo "[$?]"
differences clock.html | sed 1d
echo "--- no page of files that cannot be compared"
cp $FIXTURES/v0/after.hdb bad.hdb
printf X | dd of=bad.hdb bs=1 seek=700 conv=notrunc 2>/dev/null
hdbinspect diff --format=html $FIXTURES/v0/before.hdb bad.hdb -o bad.html 2>&1; echo "[$?]"
hdbinspect diff --format=html $FIXTURES/v0/before.hdb bad.hdb | wc -c
test -e bad.html || echo none
