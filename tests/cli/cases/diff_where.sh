# -w: only records that match the filter in A or in B; nothing else of the tables. Tables without
# the fields of the filter are left out.
a=$FIXTURES/v0/before.hdb
b=$FIXTURES/v0/after.hdb
hdbinspect diff "$a" "$b" -w 'name == "imp" and pos.x > 20'
hdbinspect diff "$a" "$b" -w '@slot == 5' -t '{mon,wea}*' --format=ndjson
hdbinspect diff "$a" "$b" -w 'hp < -1000'
echo "status $?"
hdbinspect diff "$a" "$b" -w 'hpp < 3' 2>&1
hdbinspect diff "$a" "$b" -w 'hp <' 2>&1
hdbinspect diff "$a" "$b" -t 'x*' 2>&1
