# Nothing to repair: the same state is written all the same, and the input is as it was.
cp "$FIXTURES/v0/three_tables.hdb" in.hdb
hdbinspect repair in.hdb -o out.hdb
echo "status $?"
cmp in.hdb "$FIXTURES/v0/three_tables.hdb" && hdbinspect diff in.hdb out.hdb
hdbinspect repair --json in.hdb --dry-run
hdbinspect -q repair - -o piped.hdb < in.hdb
echo "status $?"
hdbinspect diff in.hdb piped.hdb && ls
