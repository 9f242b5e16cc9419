# --count: the number of matching records of each table; without a filter nothing is read.
file=$FIXTURES/v0/after.hdb
hdbinspect dump "$file" --count
hdbinspect dump "$file" --count -t 'mon*' -w 'hp < 100'
hdbinspect dump "$file" --count -w '@slot >= 0' --json
hdbinspect dump "$file" --count --limit 3 2>&1
