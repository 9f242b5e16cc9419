# The page itself is looked at by tests/report and tests/browser; here, what is said about it.
hdbinspect diff --format=html -o page.html $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb
echo "[$?]"
hdbinspect diff --format=html $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb | cmp - page.html &&
  echo "the same on standard output"
hdbinspect diff --format=html $FIXTURES/v0/before.hdb $FIXTURES/v0/before.hdb >equal.html
echo "[$?]"
hdbinspect diff -q --format=html $FIXTURES/v0/before.hdb $FIXTURES/v0/after.hdb; echo "[$?]"
grep -c 'class="record' page.html
grep 'monsters:2@1' page.html
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
  $FIXTURES/v0/after.hdb | grep -o '<b>[^<]*</b> <span>[^<]*</span>'
